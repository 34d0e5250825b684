import { InvalidRequestError, ServiceError } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { describe, expect, test, vi } from 'vitest'
import { flush } from '../support/clock.ts'
import { rejection, watch } from '../support/setup.ts'
import { MINUTE, setupFeed, some } from './setup.ts'

const { BOLT, CORE, DYNO, PDY } = fakeTokens

describe('a price request', () => {
  test('resolves with the price that the client returns, and its age', async () => {
    const { feed, client, clock } = setupFeed()
    const asked = feed.price(BOLT)
    await clock.advance(5)
    const price = await asked
    const { usd, etn } = await client.token.price({ address: BOLT })
    expect(price).toEqual({ address: BOLT, usd, etn, at: clock.now(), ageMs: 0, stale: false })
  })

  test('is free if a fresh enough price is known', async () => {
    const { feed, fake, clock } = setupFeed()
    const first = feed.price(BOLT)
    await clock.advance(5)
    await first
    await clock.advance(30_000)
    expect((await feed.price(BOLT, { maxAgeMs: 30_000 })).ageMs).toBe(30_000)
    fake.expectCredits(50)
    const newer = feed.price(BOLT, { maxAgeMs: 29_999 })
    await clock.advance(5)
    expect((await newer).ageMs).toBe(0)
    fake.expectCredits(100)
  })

  test('rejects where no newer price can be bought, unless an older one is allowed', async () => {
    const { feed, fake, clock } = setupFeed()
    const first = feed.price(BOLT)
    await clock.advance(5)
    const known = await first
    await clock.advance(2 * MINUTE)
    fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
    const strict = rejection(feed.price(BOLT), ServiceError)
    await clock.advance(3 * MINUTE)
    expect(await strict).toMatchObject({ code: 'internal_error', status: 500 })
    const lenient = feed.price(BOLT, { stale: 'allow' })
    await clock.advance(3 * MINUTE)
    expect(await lenient).toMatchObject({ usd: known.usd, at: known.at, stale: true })
  })

  test('remembers that a token has no price, from both operations', async () => {
    const { feed, fake, clock } = setupFeed()
    const [nobody = '', other = '', third = ''] = some(3)
    const alone = feed.price(nobody)
    await clock.advance(5)
    expect(await alone).toMatchObject({ usd: null, etn: null, stale: false })
    const together = feed.prices([nobody, other, third, BOLT])
    await clock.advance(5)
    expect((await together)[other]).toMatchObject({ usd: null })
    expect((await together)[BOLT]?.usd).toMatch(/^\d/)
    fake.expectRequests(2)
    await feed.prices([nobody, other, third])
    fake.expectRequests(2)
  })

  test('uses the address as the caller wrote it', async () => {
    const { feed, clock, fake } = setupFeed()
    const lower = BOLT.toLowerCase()
    const asked = feed.prices([lower, BOLT, CORE])
    await clock.advance(5)
    const prices = await asked
    expect(Object.keys(prices)).toEqual([lower, BOLT, CORE])
    expect(prices[lower]?.address).toBe(lower)
    fake.expectCredits(100)
  })

  test.each([
    ['an address', ['0x1'], {}],
    ['an age', [BOLT], { maxAgeMs: -1 }],
    ['an option', [BOLT], { maxAge: 5 } as object],
    ['what may be stale', [BOLT], { stale: true } as object],
  ])('rejects %s that is invalid, and sends nothing', async (_, addresses: readonly string[], options) => {
    const { feed, fake } = setupFeed()
    await rejection(feed.prices(addresses, options), InvalidRequestError)
    fake.expectRequests(0)
  })
})

test('a price request without addresses resolves with an empty object, and sends nothing', async () => {
  const { feed, fake } = setupFeed()
  expect(await feed.prices([])).toEqual({})
  fake.expectRequests(0)
})

describe('price requests', () => {
  test('in one window share one batch', async () => {
    const { feed, fake, clock } = setupFeed({ collectMs: 20 })
    const asked = [feed.price(BOLT)]
    await clock.advance(10)
    asked.push(feed.price(CORE), feed.price(DYNO))
    await clock.advance(10)
    await Promise.all(asked)
    expect(fake.journal().map(({ operation }) => operation)).toEqual(['prices.batch'])
    fake.expectCredits(130)
  })

  test('in the same turn share one batch with a window of 0, without a timer', async () => {
    const { feed, fake, clock } = setupFeed({ collectMs: 0 })
    const asked = Promise.all([feed.price(BOLT), feed.price(CORE), feed.price(DYNO)])
    await flush()
    await asked
    fake.expectCredits(130)
    expect(clock.waits.filter((ms) => ms < 1_000)).toEqual([])
  })

  test('share requests in flight, single ones and batches', async () => {
    const { feed, fake, clock } = setupFeed({}, { latencyMs: 100 })
    const asked = [feed.price(PDY)]
    await clock.advance(10)
    asked.push(feed.prices([BOLT, CORE, DYNO]).then((prices) => prices[BOLT] as never))
    await clock.advance(10)
    asked.push(feed.price(PDY), feed.price(CORE))
    await clock.advance(200)
    await Promise.all(asked)
    fake.expectCredits(50 + 130)
  })

  test('use single requests for one or two addresses, and batches for more', async () => {
    for (const [count, credits, sent] of [
      [1, 50, 1],
      [2, 100, 2],
      [3, 130, 1],
      [50, 600, 1],
      [51, 650, 2],
      [52, 700, 3],
      [53, 730, 2],
    ] as const) {
      const { feed, fake, clock, client } = setupFeed()
      const tokens = (await client.token.list({ limit: 100 })).map(({ address }) => address).slice(0, count)
      const before = fake.charged()
      const asked = feed.prices(tokens)
      await clock.advance(10)
      await asked
      expect([count, fake.charged() - before, fake.journal().length - 1]).toEqual([count, credits, sent])
    }
  })
})

describe('an abort', () => {
  test('adds one listener to a shared signal, and removes it', async () => {
    const { feed, clock } = setupFeed()
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const asked = some(20).map((address) => feed.price(address, { signal }))
    const { stop } = feed.watch(BOLT, { everyMs: MINUTE, onPrice: () => {}, signal })
    await clock.advance(10)
    await Promise.all(asked)
    stop()
    expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1])
  })

  test('rejects one caller only, and the price is kept', async () => {
    const { feed, fake, clock } = setupFeed({}, { latencyMs: 100 })
    const leaving = new AbortController()
    const one = watch(feed.price(BOLT, { signal: leaving.signal }))
    const other = watch(feed.price(BOLT))
    await clock.advance(50)
    leaving.abort(new Error('enough'))
    await flush()
    expect(one.error).toBe(leaving.signal.reason)
    expect(other.state).toBe('pending')
    await clock.advance(100)
    expect(other.value).toMatchObject({ address: BOLT, stale: false })
    fake.expectCredits(50)
  })

  test('of every caller before the request is sent spends nothing', async () => {
    const { feed, fake, clock } = setupFeed()
    const one = watch(feed.price(BOLT, { signal: AbortSignal.timeout(0) }))
    const leaving = new AbortController()
    const other = watch(feed.price(CORE, { signal: leaving.signal }))
    leaving.abort()
    await new Promise((resolve) => setTimeout(resolve, 20))
    await clock.advance(MINUTE)
    expect([one.state, other.state]).toEqual(['rejected', 'rejected'])
    fake.expectRequests(0)
    expect(clock.pending).toBe(0)
  })

  test('closing the feed rejects waiting price requests and leaves no timer', async () => {
    const { feed, clock } = setupFeed({}, { latencyMs: 100 })
    const waiting = watch(feed.price(BOLT))
    await clock.advance(50)
    await feed.close()
    expect(waiting.error).toMatchObject({ code: 'feed_closed' })
    expect(clock.pending).toBe(0)
    await expect(feed.price(BOLT)).rejects.toMatchObject({ code: 'feed_closed' })
    expect(feed.status().state).toBe('closed')
  })
})

test.each([
  { collectMs: -1 },
  { collectMs: 1_001 },
  { maxAgeMs: Number.NaN },
  { budget: { creditsPerDay: 0 } },
  { budget: { credits: 5 } as never },
  { maxAge: 5 } as object,
])('rejects the options %j', (options) => {
  const { client } = setupFeed()
  expect(() => createPriceFeed(client, options)).toThrow(InvalidRequestError)
})
