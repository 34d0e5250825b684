import { watchCandles } from 'etn-market/candles'
import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
import { createStore } from '../support/store.ts'
import { asksFor, DAY, MINUTE, recordWatch, SECOND, setupFeed, some, toMidnight, types } from './setup.ts'

const HOUR = 60 * MINUTE
const { BOLT, CORE } = fakeTokens

describe('a budget of the day', () => {
  test.each([
    [
      '9 tokens at 5 min and 60 at an hour',
      17_402,
      [
        [9, 5 * MINUTE],
        [60, HOUR],
      ],
    ],
    ['14 tokens at 10 min', 9_000, [[14, 10 * MINUTE]]],
    ['110 tokens at 15 min', 40_000, [[110, 15 * MINUTE]]],
  ] as const)('is used each day, and prices arrive soon after each midnight: %s', async (_, creditsPerDay, shapes) => {
    const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay } })
    await toMidnight(clock)
    const start = clock.now()
    for (const [index, [count, everyMs]] of shapes.entries()) recordWatch(feed, some(count, 100 * index), everyMs)
    await clock.advance(2 * DAY - 1)
    const charges = fake.ledger().map(({ at, credits }) => ({ at: at - start, credits }))
    const onePurchase = shapes.reduce((sum, [count]) => sum + 100 * Math.ceil(count / 50) + 10 * count, 0)
    for (let day = 0; day < 2; day++) {
      const ofDay = charges.filter(({ at }) => Math.floor(at / DAY) === day)
      const spent = ofDay.reduce((sum, { credits }) => sum + credits, 0)
      expect(spent).toBeLessThanOrEqual(creditsPerDay)
      // What is left at midnight is at most one purchase of all.
      expect(creditsPerDay - spent).toBeLessThanOrEqual(onePurchase)
      const times = [day * DAY, ...ofDay.map(({ at }) => at), (day + 1) * DAY]
      const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))
      expect(longest).toBeLessThan(3 * HOUR)
    }
  })

  test.each([3 * HOUR, 25 * HOUR, -25 * HOUR])(
    'is spread over the true day when the wall clock is set by %d ms',
    async (ms) => {
      const options = { budget: { creditsPerDay: 10_608 } }
      const midnight = createVirtualClock(Date.UTC(2026, 10, 20))
      const { feed, fake, clock, events } = setupFeed(options, {}, {}, midnight)
      const { prices } = recordWatch(feed, some(5), MINUTE)
      await clock.advance(22 * HOUR)
      const waitsBefore = clock.waits.length
      const before = fake.charged()
      clock.stepWallClock(ms)
      await clock.advance(HOUR)
      // The pace of the hour before, and no storm of timers beside the look every ten seconds. A day ahead, one more day of the budget begins.
      const newDay = ms > DAY ? 160 : 0
      expect(fake.charged() - before).toBeLessThanOrEqual(10_608 / 24 + 150 + newDay)
      expect(clock.waits.length - waitsBefore).toBeLessThan(300 + 360)
      expect(feed.status().stretch).toBeGreaterThanOrEqual(1)
      expect(types(events)).not.toContain('feed.stopped')
      const times = [...new Set(prices.map(({ at, ageMs }) => at + ageMs))]
      expect(times.length).toBeGreaterThan(40)
      await clock.advance(DAY)
      expect(fake.charged()).toBeLessThanOrEqual(2 * 10_608)
    },
  )
})

describe('a token that is refused', () => {
  test.each([400, 404, 413, 414, 422])('with %d delays no other, and has its own failure', async (status) => {
    const minutes = status > 404 ? 10 : 60
    const { feed, fake, clock, events } = setupFeed()
    const healthy = recordWatch(feed, some(8), MINUTE)
    await clock.advance(10 * MINUTE)
    fake.fault({ status, when: asksFor(BOLT), times: Number.POSITIVE_INFINITY })
    const bad = recordWatch(feed, BOLT, MINUTE)
    const mixed = recordWatch(feed, [CORE, ...some(6, 40), BOLT, ...some(1, 60)], 2 * MINUTE)
    await clock.advance(minutes * MINUTE)
    expect(healthy.prices.length).toBeGreaterThanOrEqual(8 * (minutes + 9))
    expect(healthy.prices.filter(({ stale }) => stale)).toEqual([])
    expect(mixed.prices.filter(({ address }) => address === CORE).length).toBeGreaterThanOrEqual(minutes / 2)
    expect(feed.status().state).toBe('running')
    expect(types(events)).not.toContain('feed.stopped')
    if (status === 404) expect(bad.prices.at(-1)?.usd).toBe(null)
    else expect(bad.errors).toHaveLength(1)
    // A refusal is free, but not to be repeated all the time: once a minute.
    const refused = fake.journal().filter((request) => asksFor(BOLT)(request as never))
    expect(refused.length).toBeLessThan(minutes + 1 + 20)
  })

  test('in a price request fails that request only, and what was bought with it is known', async () => {
    const { feed, fake, clock } = setupFeed()
    fake.fault({ status: 400, when: asksFor(BOLT), times: Number.POSITIVE_INFINITY })
    const prices = feed.prices([BOLT, ...some(40)]).catch((error: unknown) => error)
    await clock.advance(5 * SECOND)
    expect(await prices).toMatchObject({ status: 400 })
    expect(some(40).map((address) => feed.peek(address)?.address)).toEqual(some(40))
  })

  test.each([401, 402, 403])('with %d stops the feed, because that is about the key', async (status) => {
    const { feed, fake, clock } = setupFeed()
    fake.fault({ status, when: asksFor(BOLT), times: Number.POSITIVE_INFINITY })
    recordWatch(feed, [BOLT, ...some(8)], MINUTE)
    await clock.advance(SECOND)
    expect(feed.status().state).toBe('stopped')
    expect(fake.journal()).toHaveLength(1)
  })

  test('stops the feed where everything is refused, before the key is locked', async () => {
    const { feed, fake, clock } = setupFeed()
    fake.fault({ status: 400, times: Number.POSITIVE_INFINITY })
    recordWatch(feed, some(200), MINUTE)
    await clock.advance(MINUTE - SECOND)
    expect(feed.status().state).toBe('stopped')
    expect(fake.journal().length).toBeLessThanOrEqual(30)
  })
})

describe('a look-up', () => {
  const SPAN = 18 * MINUTE

  /** Credits of this time. */
  async function spend(watched: readonly number[], lookUpEveryMs?: number): Promise<number> {
    const { feed, fake, clock } = setupFeed({}, { latencyMs: 80 })
    let first = 0
    for (const count of watched) {
      recordWatch(feed, some(count, first), 30 * SECOND)
      first += count
      await clock.advance(11 * SECOND)
    }
    for (let at = 0; at < SPAN; at += lookUpEveryMs ?? SPAN) {
      if (lookUpEveryMs) void feed.price(some(1, 500)[0] ?? '', { maxAgeMs: SECOND })
      await clock.advance(lookUpEveryMs ?? SPAN)
    }
    return fake.charged()
  }

  test.each([[[5, 49]], [[14]], [[60]], [[1]]])(
    'never makes watches of %j tokens dearer than it is alone',
    async (watched) => {
      const without = await spend(watched)
      const withLookUps = await spend(watched, 36 * SECOND)
      expect(withLookUps - without).toBeLessThanOrEqual(30 * 50 + 600)
    },
  )
})

test('of several processes on one store, when the first answer takes 7 s, one buys and the others read', async () => {
  const { store, kept } = createStore()
  const shared = { ...store, add: (key: string, value: string) => !kept.has(key) && Boolean(kept.set(key, value)) }
  const { clock, fake } = setupFeed()
  let count = 0
  const transport = createDirectTransport(async (url, init) => {
    await clock.sleep(count++ === 0 ? 7 * SECOND : 80)
    return fake.fetch(url, init)
  })
  const prices = Array.from({ length: 9 }, (_, index) => {
    const own = { ...clock, now: () => clock.now(), random: () => ((index + 1) * 0.37) % 1 }
    const { feed } = setupFeed({ clock: own, store: shared }, {}, { transport, apiKey: fake.key }, clock)
    return feed.price(BOLT)
  })
  await clock.advance(20 * SECOND)
  expect((await Promise.all(prices)).map(({ stale }) => stale)).toEqual(Array(9).fill(false))
  expect(fake.ledger().length).toBeLessThanOrEqual(2)
})

describe('what was not sent', () => {
  test('is not bought after the watch has stopped', async () => {
    const { feed, fake, clock, client } = setupFeed({ budget: { creditsPerDay: 10_000 } })
    // The client parks what follows.
    fake.fault({ status: 429, retryAfter: '30', times: 1 })
    await client.etn.price({}, { retry: false }).catch(() => {})
    const { stop } = recordWatch(feed, some(3), MINUTE)
    await clock.advance(SECOND)
    stop()
    await clock.advance(2 * MINUTE)
    expect(fake.charged()).toBe(0)
    expect(feed.status()).toMatchObject({ spent: 0, state: expect.not.stringMatching('running') })
  })

  test('is not booked when somebody leaves while it is parked by a cool-down', async () => {
    const { feed, fake, clock, client } = setupFeed({ budget: { creditsPerDay: 2_000 } })
    fake.fault({ status: 429, retryAfter: '30', times: 1 })
    await client.etn.price({}, { retry: false }).catch(() => {})
    for (let reader = 0; reader < 3; reader++) {
      const leaving = new AbortController()
      const iterator = watchCandles(feed, BOLT, { bucket: '1h', everyMs: HOUR, limit: 500, signal: leaving.signal })[
        Symbol.asyncIterator
      ]()
      iterator.next().catch(() => {})
      await clock.advance(SECOND)
      leaving.abort()
      await clock.advance(SECOND)
    }
    expect(fake.charged()).toBe(0)
    expect(feed.status().spent).toBe(0)
    const parked = recordWatch(feed, some(3), MINUTE)
    await clock.advance(SECOND)
    parked.stop()
    await clock.advance(2 * MINUTE)
    expect(fake.charged()).toBe(0)
    expect(feed.status().spent).toBe(0)
  })
})

test('closing during a request raises no feed.waiting', async () => {
  const { feed, clock, events } = setupFeed({}, { latencyMs: 10 * SECOND })
  recordWatch(feed, some(3), MINUTE)
  watchCandles(feed, BOLT, { bucket: '1h', everyMs: HOUR })
    [Symbol.asyncIterator]()
    .next()
    .catch(() => {})
  await clock.advance(SECOND)
  await feed.close()
  await clock.advance(MINUTE)
  expect(types(events)).not.toContain('feed.waiting')
})
