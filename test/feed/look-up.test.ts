import { InvalidRequestError } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { describe, expect, test, vi } from 'vitest'
import { flush } from '../support/clock.ts'
import { rejection, watch } from '../support/setup.ts'
import { MINUTE, some, stage } from './setup.ts'

const { BOLT, CORE, DYNO, PDY } = fakeTokens

describe('a look-up', () => {
  test('tells the price as the client does, with its age', async () => {
    const { feed, client, clock } = stage()
    const asked = feed.price(BOLT)
    await clock.advance(5)
    const price = await asked
    const { usd, etn } = await client.token.price({ address: BOLT })
    expect(price).toEqual({ address: BOLT, usd, etn, at: clock.now(), ageMs: 0, stale: false })
  })

  test('is answered from what is fresh enough, and costs nothing then', async () => {
    const { feed, fake, clock } = stage()
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

  test('remembers that there is no price, by either route', async () => {
    const { feed, fake, clock } = stage()
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

  test('is in the spelling of the caller', async () => {
    const { feed, clock, fake } = stage()
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
    ['a lack of addresses', [], {}],
    ['an age', [BOLT], { maxAgeMs: -1 }],
    ['an option', [BOLT], { maxAge: 5 } as object],
  ])('refuses %s that is wrong, and sends nothing', async (_, addresses: readonly string[], options) => {
    const { feed, fake } = stage()
    await rejection(feed.prices(addresses, options), InvalidRequestError)
    fake.expectRequests(0)
  })
})

describe('joining', () => {
  test('everything asked for within the window goes out in one request', async () => {
    const { feed, fake, clock } = stage({ windowMs: 20 })
    const asked = [feed.price(BOLT)]
    await clock.advance(10)
    asked.push(feed.price(CORE), feed.price(DYNO))
    await clock.advance(10)
    await Promise.all(asked)
    expect(fake.journal().map(({ operation }) => operation)).toEqual(['prices.batch'])
    fake.expectCredits(130)
  })

  test('a window of 0 is the same turn, without any timer', async () => {
    const { feed, fake, clock } = stage({ windowMs: 0 })
    const asked = Promise.all([feed.price(BOLT), feed.price(CORE), feed.price(DYNO)])
    await flush()
    await asked
    fake.expectCredits(130)
    expect(clock.waits.filter((ms) => ms < 1_000)).toEqual([])
  })

  test('what is under way is shared, whether it was asked for alone or in a batch', async () => {
    const { feed, fake, clock } = stage({}, { latencyMs: 100 })
    const asked = [feed.price(PDY)]
    await clock.advance(10)
    asked.push(feed.prices([BOLT, CORE, DYNO]).then((prices) => prices[BOLT] as never))
    await clock.advance(10)
    asked.push(feed.price(PDY), feed.price(CORE))
    await clock.advance(200)
    await Promise.all(asked)
    fake.expectCredits(50 + 130)
  })

  test('one or two go one by one, three together, and a rest after 50 likewise', async () => {
    for (const [count, credits, sent] of [
      [1, 50, 1],
      [2, 100, 2],
      [3, 130, 1],
      [50, 600, 1],
      [51, 650, 2],
      [52, 700, 3],
      [53, 730, 2],
    ] as const) {
      const { feed, fake, clock, client } = stage()
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
  test('is listened for once, however many share a signal, and no longer than need be', async () => {
    const { feed, clock } = stage()
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

  test('of one caller touches nobody else, and what is paid for is kept', async () => {
    const { feed, fake, clock } = stage({}, { latencyMs: 100 })
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

  test('of all before the request goes out spends nothing', async () => {
    const { feed, fake, clock } = stage()
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

  test('closing the feed rejects who waits and leaves no timer', async () => {
    const { feed, clock } = stage({}, { latencyMs: 100 })
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
  { windowMs: -1 },
  { maxAgeMs: Number.NaN },
  { budget: { creditsPerDay: 0 } },
  { budget: { credits: 5 } as never },
  { maxAge: 5 } as object,
])('refuses the options %j', (options) => {
  const { client } = stage()
  expect(() => createPriceFeed(client, options)).toThrow(InvalidRequestError)
})
