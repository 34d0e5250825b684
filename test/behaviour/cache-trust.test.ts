import type { CacheStore, Client, ClientOptions } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, ok, price, tokens } from '../support/answers.ts'
import { createVirtualClock, flush } from '../support/clock.ts'
import { address, addresses, setup } from '../support/setup.ts'

const TOKEN = address(1)
const WEEK = 604_800_000
const cached = (store?: CacheStore): ClientOptions['cache'] => ({
  ttlMs: { 'prices.batch': WEEK, 'token.price': WEEK, 'token.list': WEEK, 'token.candles': WEEK, 'trade.list': WEEK },
  store,
})

const changed = (text: string, fields: object) => JSON.stringify({ ...JSON.parse(text), ...fields })

describe('only what matches the contract is cached', () => {
  test.each<[string, unknown]>([
    ['data is null', null],
    ['data is a list', []],
    ['data is a text', 'soon'],
  ])('a batch whose %s fails, and the next call asks again', async (_, data) => {
    const { client, script } = setup(({ number }) => ok(number === 1 ? data : {}, costs(110)), { cache: cached() })
    await expect(client.prices.batch({ addresses: [TOKEN] })).rejects.toMatchObject({
      code: 'unexpected_shape',
      credits: 110,
      charge: 'charged',
    })
    await flush()
    expect(await client.prices.batch({ addresses: [TOKEN] })).toEqual({ [TOKEN]: null })
    expect(script.requests).toHaveLength(2)
  })

  test.each(['warn', 'off'] as const)('a mismatch with validate %j is handed over and not kept', async (validate) => {
    const { client, script } = setup(({ number }) => ok(number === 1 ? { usd: 7 } : price(TOKEN), costs(50)), {
      cache: cached(),
      validate,
    })
    expect(await client.token.price({ address: TOKEN })).toEqual({ usd: 7 })
    await flush()
    expect(await client.token.price({ address: TOKEN })).toEqual(price(TOKEN))
    await flush()
    expect(await client.token.price({ address: TOKEN })).toEqual(price(TOKEN))
    expect(script.requests).toHaveLength(2)
  })

  test.each<[string, (text: string) => unknown]>([
    ['an answer that no longer matches', (text) => changed(text, { text: '{"data":{"usd":7}}' })],
    ['the text of a bare envelope', () => JSON.stringify({ data: price(TOKEN) })],
    ['a text that is not JSON', () => '{'],
    ['null', () => null],
    ['an object', () => ({ data: price(TOKEN) })],
    ['a number', () => 7],
    ['an entry without its expiry', (text) => changed(text, { expiresAt: undefined })],
    ['an entry that expires at a text', (text) => changed(text, { expiresAt: '9999999999999999' })],
    ['an entry without its text', (text) => changed(text, { text: undefined })],
  ])('%s in the store is no answer', async (_, replace) => {
    const values = new Map<string, unknown>()
    const store: CacheStore = {
      get: (key) => values.get(key),
      set: (key, value) => void values.set(key, value),
      delete: (key) => values.delete(key),
    }
    const { client, script } = setup(() => ok(price(TOKEN), costs(50)), { cache: cached(store) })
    await client.token.price({ address: TOKEN })
    await flush()
    for (const [key, text] of values) values.set(key, replace(String(text)))
    expect(await client.token.price({ address: TOKEN })).toEqual(price(TOKEN))
    expect(script.requests).toHaveLength(2)
  })
})

describe('the expiry is kept with the answer', () => {
  test('a plain Map is a store, and its answers expire', async () => {
    const store: CacheStore = new Map<string, string>()
    const { client, clock, script } = setup(() => ok(price(TOKEN), costs(50)), { cache: cached(store) })
    await client.token.price({ address: TOKEN })
    await clock.advance(WEEK - 1)
    await client.token.price({ address: TOKEN })
    expect(script.requests).toHaveLength(1)
    await clock.advance(1)
    await client.token.price({ address: TOKEN })
    expect(script.requests).toHaveLength(2)
    // Nor does it keep them longer over a restart.
    const after = setup(() => ok(price(TOKEN), costs(50)), { cache: cached(store) })
    await after.clock.advance(2 * WEEK)
    await after.client.token.price({ address: TOKEN })
    expect(after.script.requests).toHaveLength(1)
  })

  test('an answer that was kept while the clock was a year ahead is not fresh for a year', async () => {
    const store: CacheStore = new Map<string, string>()
    const { client, clock, script } = setup(() => ok(price(TOKEN), costs(50)), { cache: cached(store) })
    clock.stepWallClock(52 * WEEK)
    await client.token.price({ address: TOKEN })
    await flush()
    clock.stepWallClock(-52 * WEEK)
    // The process that has kept it knows how long ago that was; no other does.
    await client.token.price({ address: TOKEN })
    expect(script.requests).toHaveLength(1)
    const other = setup(() => ok(price(TOKEN), costs(50)), { cache: cached(store) })
    for (let call = 0; call < 2; call++) await other.client.token.price({ address: TOKEN })
    expect(other.script.requests).toHaveLength(1)
    await clock.advance(WEEK)
    await client.token.price({ address: TOKEN })
    expect(script.requests).toHaveLength(2)
  })
})

test('an answer gets older with elapsed time where the wall clock is set back; a step forward may be sleep, and makes it older', async () => {
  const clock = createVirtualClock()
  const options = { clock, cache: { ttlMs: { 'token.price': 60_000 } } }
  const { client, script } = setup(() => ok(price(TOKEN), costs(50)), options)
  const ask = async () => {
    await client.token.price({ address: TOKEN })
    await flush()
    return script.requests.length
  }
  await ask()
  for (let step = 0; step < 5; step++) {
    await clock.advance(11_000)
    clock.stepWallClock(-50_000)
    expect(await ask()).toBe(1)
  }
  await clock.advance(11_000)
  expect(await ask()).toBe(2)
  clock.stepWallClock(10 * WEEK)
  expect(await ask()).toBe(3)
  expect(await ask()).toBe(3)
})

describe('an answer is as old as its request', () => {
  const setupSlow = (ttlMs: number, answer: (number: number) => Response | undefined = () => undefined) => {
    const clock = createVirtualClock()
    const keptFor: number[] = []
    const values = new Map<string, string>()
    const store: CacheStore = {
      get: (key) => values.get(key),
      set(key, value, ttl) {
        values.set(key, value)
        keptFor.push(ttl)
      },
      delete: (key) => values.delete(key),
    }
    let requests = 0
    const fetch = async () => {
      requests++
      await clock.sleep(8_000)
      return answer(requests) ?? ok(price(TOKEN), costs(50))
    }
    const { client } = setup(undefined, { clock, fetch, cache: { ttlMs: { 'token.price': ttlMs }, store } })
    const ask = async (waitMs: number) => {
      const asked = client.token.price({ address: TOKEN })
      await clock.advance(waitMs)
      await asked
      await flush()
      return requests
    }
    return { clock, ask, keptFor }
  }

  test('one that was 8 s on its way is fresh for 8 s less, and the store keeps it for whole milliseconds', async () => {
    const { clock, ask, keptFor } = setupSlow(20_000)
    expect(await ask(8_000)).toBe(1)
    expect(keptFor.every((ms) => Number.isInteger(ms) && ms > 11_900 && ms <= 12_000)).toBe(true)
    await clock.advance(11_000)
    expect(await ask(0)).toBe(1)
    await clock.advance(1_000)
    expect(await ask(8_000)).toBe(2)
  })

  test('one that took longer than its time to live is not kept', async () => {
    const { ask, keptFor } = setupSlow(8_000)
    expect([await ask(8_000), await ask(8_000)]).toEqual([1, 2])
    expect(keptFor).toEqual([])
  })

  test('a request that failed before does not make it older', async () => {
    const { ask, keptFor } = setupSlow(20_000, (number) => (number === 1 ? busy() : undefined))
    expect(await ask(30_000)).toBe(2)
    expect(keptFor.every((ms) => ms > 0 && ms <= 12_000)).toBe(true)
    expect(keptFor).toHaveLength(1)
  })
})

describe('a list answers for a shorter one', () => {
  test.each<[string, number, number[], number[], number]>([
    ['limit 50 from a cached limit 100', 100, [100, 50], [100, 50], 1],
    ['limit 100 from a cached limit 50 that holds all there is', 30, [50, 100, 10], [30, 30, 10], 1],
    ['limit 100 is asked for when a cached limit 50 was full', 100, [50, 100, 50], [50, 100, 50], 2],
    ['a shorter list does not replace the longer one that it came from', 100, [100, 5, 100], [100, 5, 100], 1],
  ])('%s', async (_, listed, limits, lengths, requests) => {
    const { client, script } = setup(
      ({ url }) => ok(tokens(Math.min(listed, Number(url.searchParams.get('limit')))), costs(600)),
      { cache: cached() },
    )
    for (const [index, limit] of limits.entries()) {
      const before = script.requests.length
      const { data, meta } = await client.token.list({ limit }).withMeta()
      expect(data).toEqual(tokens(lengths[index] ?? 0))
      const isCached = script.requests.length === before
      expect(meta).toMatchObject(isCached ? { cached: true, requests: 0, attempts: 0 } : { cached: false })
      await flush()
    }
    expect(script.requests).toHaveLength(requests)
  })

  test.each<[string, unknown, (client: Client) => Promise<unknown>[]]>([
    [
      'the list of another filter is another list',
      [],
      ({ trade }) => [trade.list({ limit: 20 }), trade.list({ limit: 10, token: TOKEN })],
    ],
    [
      'candles are asked for, because it is unknown which end of the longer list counts',
      [],
      ({ token }) => [100, 50].map((limit) => token.candles({ address: TOKEN, limit })),
    ],
    [
      'a batch that asks for fewer addresses is not answered from another chunk',
      {},
      ({ prices }) => [10, 5].map((count) => prices.batch({ addresses: addresses(count) })),
    ],
  ])('%s', async (_, data, ask) => {
    const { client, script } = setup(() => ok(data, costs(100)), { cache: cached() })
    await Promise.all(ask(client))
    await flush()
    expect(script.requests).toHaveLength(2)
    await Promise.all(ask(client))
    expect(script.requests).toHaveLength(2)
  })
})
