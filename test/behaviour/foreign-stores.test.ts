import { type ClientOptions, createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { afterEach, describe, expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'

const { BOLT, CORE } = fakeTokens
const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function start() {
  const fake = createFakeService()
  closing.push(() => fake.close())
  const open = (options: ClientOptions = {}) => {
    const client = createClient({ apiKey: fake.key, fetch: fake.fetch, ...options })
    closing.push(() => client.close())
    return client
  }
  return { fake, open }
}

/** What unstorage does with keys: it drops what follows `?`, and takes `/` and `:` for the same. */
const unstorageKey = (key: string) => (key.split('?')[0] ?? '').replace(/[/\\]/g, ':').replace(/:+/g, ':')

/** What stores of the registry return in place of the text, and what they make of keys. */
const STORES = {
  'parses texts of JSON, and shortens keys, as unstorage does': [unstorageKey, (text: string) => parsed(text)],
  'returns bytes, as memjs and getBuffer of ioredis do': [(key: string) => key, (text: string) => Buffer.from(text)],
  'refuses keys of more than 250 characters, as memcached does': [shortKey, (text: string) => text],
} satisfies Record<string, [(key: string) => string, (text: string) => unknown]>

function parsed(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text
}

function shortKey(key: string): string {
  if (key.length > 250) throw new Error('Key too long.')
  return key
}

describe.each(Object.entries(STORES))('a store that %s', (_, [keyOf, read]) => {
  const storeOn = (map: Map<string, string>) => ({
    get(key: string) {
      const text = map.get(keyOf(key))
      return text === undefined ? null : read(text)
    },
    set: (key: string, value: string) => map.set(keyOf(key), value),
    delete: (key: string) => map.delete(keyOf(key)),
  })
  const addresses = [BOLT, CORE, ...Array.from({ length: 40 }, (__, i) => `0x${String(i).padStart(40, '0')}`)] as const

  test('keeps a budget over restarts', async () => {
    const map = new Map<string, string>()
    for (const spent of [100, 200]) {
      const budget = createBudget({ credits: 1_000, store: storeOn(map) })
      const reservation = await budget.reserve(100)
      reservation.settle(100)
      await budget.flush()
      expect(budget.spent).toBe(spent)
    }
  })

  test('keeps the answers of a cache apart', async () => {
    const { fake, open } = start()
    const map = new Map<string, string>()
    const failures: string[] = []
    const bought = []
    for (let run = 0; run < 2; run++) {
      const client = open({
        cache: { ttlMs: { 'prices.batch': 60_000, 'token.candles': 60_000 }, store: storeOn(map) },
        onEvent: (event) => event.type === 'cache.failed' && failures.push(String(event.message)),
      })
      const answers = [
        await client.prices.batch({ addresses }),
        await client.prices.batch({ addresses: [CORE] }),
        await client.token.candles({ address: BOLT, bucket: '1h', limit: 3 }),
        await client.token.candles({ address: BOLT, bucket: '1d', limit: 3 }),
      ]
      bought.push({ charged: fake.charged(), answers })
    }
    expect(failures).toEqual([])
    expect(bought[1]).toEqual(bought[0])
    expect(Object.keys(bought[1]?.answers[1] ?? {})).toEqual([CORE])
  })

  test('keeps the price of a feed, and the budget of its day', async () => {
    const { fake, open } = start()
    const map = new Map<string, string>()
    for (let run = 0; run < 2; run++) {
      const feed = createPriceFeed(open(), { store: storeOn(map), budget: { creditsPerDay: 1_000 } })
      await feed.price(BOLT, { maxAgeMs: 60_000 })
      expect(feed.status().spent).toBe(50)
      await feed.close()
    }
    expect(fake.charged()).toBe(50)
  })

  test('keeps what a sweep has bought', async () => {
    const { fake, open } = start()
    const map = new Map<string, string>()
    const list = [{ addresses }, { addresses: [CORE] }]
    const sweep = async () => {
      const found: unknown[] = []
      for await (const { data } of open().prices.batch.many(list, { store: storeOn(map) })) found.push(data)
      return found
    }
    const first = await sweep()
    const charged = fake.charged()
    expect(await sweep()).toEqual(first)
    expect(fake.charged()).toBe(charged)
  })
})

test('a store that does not have what was written to it would forget what is spent: nothing is sent', async () => {
  const { fake, open } = start()
  // The package memcached does this without callbacks.
  const store = { get: () => undefined, set: () => undefined }
  const client = open({ budget: { credits: 1_000, store }, retry: false })
  const error = await client.etn.price().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'state_unavailable', charge: 'none' })
  expect(error).toHaveProperty('cause.message', 'The store does not have what was just written to it.')
  expect(fake.charged()).toBe(0)
})

test('a cache and a feed refuse a store that cannot delete, as those of cache-manager', () => {
  const { open } = start()
  const store = { get: () => undefined, set: () => undefined, del: () => undefined } as never
  const rule = /a store with the methods get, set, delete/
  expect(() => open({ cache: { ttlMs: {}, store } })).toThrow(rule)
  expect(() => createPriceFeed(open(), { store })).toThrow(rule)
})
