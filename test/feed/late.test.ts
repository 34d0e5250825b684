import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { watch } from '../support/setup.ts'
import { MINUTE, recordWatch, SECOND, setupFeed, some, toMidnight, types } from './setup.ts'

const { BOLT, CORE, DYNO } = fakeTokens

test('an iterated price has its age at the time when it is read', async () => {
  const { feed, clock } = setupFeed()
  const iterator = feed.watch(BOLT, { everyMs: 10 * MINUTE })[Symbol.asyncIterator]()
  await clock.advance(5 * MINUTE)
  expect((await iterator.next()).value).toMatchObject({ ageMs: 5 * MINUTE - 5, stale: false })
  await iterator.return?.()
})

test('a price request does not accept the answer of an older request if it is too old', async () => {
  const { feed, fake, clock } = setupFeed({}, { latencyMs: 2 * SECOND })
  const first = feed.price(BOLT)
  await clock.advance(1_900)
  const second = watch(feed.price(BOLT, { maxAgeMs: SECOND }))
  const third = watch(feed.price(BOLT, { maxAgeMs: 5 * SECOND }))
  await clock.advance(200)
  await first
  expect([second.state, third.state]).toEqual(['pending', 'resolved'])
  await clock.advance(2 * SECOND)
  expect(second.value).toMatchObject({ stale: false, ageMs: expect.closeTo(2 * SECOND, -2) })
  fake.expectRequests(2)
})

/** A feed whose answers take `latencyMs`. */
const setupSlow = (latencyMs: number) => setupFeed({}, { latencyMs }, { timeoutMs: MINUTE })

test('answers that take just less than half of an interval arrive in time: requests are sent earlier', async () => {
  const { feed, clock, fake, events } = setupSlow(29 * SECOND)
  const { prices } = recordWatch(feed, BOLT, MINUTE)
  // The first answer shows how long they take.
  await clock.advance(MINUTE)
  const before = { prices: prices.length, charged: fake.charged() }
  await clock.advance(10 * MINUTE)
  const later = prices.slice(before.prices)
  expect(later.length).toBeGreaterThan(9)
  expect(later.some(({ stale }) => stale)).toBe(false)
  expect(fake.charged() - before.charged).toBeLessThanOrEqual(2 * 10 * 50)
  expect(types(events)).not.toContain('feed.slow')
})

test('a price that is too old when it arrives is delivered once', async () => {
  const { feed, clock } = setupSlow(5 * SECOND)
  const { prices } = recordWatch(feed, BOLT, MINUTE)
  await clock.advance(SECOND)
  clock.suspend(60 * MINUTE, false)
  await clock.advance(30 * SECOND)
  expect(prices.map(({ stale }) => stale)).toEqual([true, false])
})

test('a price of a request that a tick shares has the age of that request', async () => {
  const { feed, clock, fake } = setupSlow(5 * SECOND)
  const { prices } = recordWatch(feed, [BOLT, CORE], MINUTE)
  await clock.advance(90 * SECOND)
  const { nextAt = 0 } = feed.explain().timetable[0] ?? {}
  await clock.advance(nextAt - clock.now() - 2 * SECOND)
  watch(feed.price(BOLT, { maxAgeMs: 0 }))
  const before = { prices: prices.length, requests: fake.journal().length }
  await clock.advance(10 * SECOND)
  expect(fake.journal()).toHaveLength(before.requests + 2)
  for (const { ageMs } of prices.slice(before.prices)) expect(ageMs).toBeGreaterThanOrEqual(5 * SECOND)
})

test('prices that are late because answers are slow are marked stale, once each, and an event reports it once', async () => {
  const { feed, clock, events } = setupSlow(40 * SECOND)
  const { prices } = recordWatch(feed, BOLT, MINUTE)
  await clock.advance(10 * MINUTE)
  const late = prices.filter(({ ageMs }) => ageMs > MINUTE)
  expect(late.length).toBeGreaterThan(5)
  expect(late.every(({ stale }) => stale)).toBe(true)
  for (const [index, { at, stale }] of prices.entries()) {
    if (stale) expect(prices[index - 1]).toMatchObject({ at, stale: false })
  }
  const slow = events.filter(({ type }) => type === 'feed.slow')
  expect(slow).toEqual([{ type: 'feed.slow', address: BOLT, everyMs: MINUTE, leadMs: expect.closeTo(42_000, -2) }])
  expect(slow).toMatchObject([{ leadMs: feed.status().leadMs }])
})

test.each([
  ['5 minutes', 14, 5 * MINUTE, 20_000],
  ['with fractions of a millisecond', 9, MINUTE * 60 ** (3 / 11), 5_000],
])(
  'prices that are older than an interval of %s because of the budget are marked stale, once each',
  async (_, count, everyMs, creditsPerDay) => {
    const { feed, clock, events } = setupFeed({ budget: { creditsPerDay } })
    await toMidnight(clock)
    const { prices } = recordWatch(feed, some(count), everyMs)
    const slow = recordWatch(feed, some(1), 60 * MINUTE)
    await clock.advance(60 * MINUTE)
    expect(types(events).filter((type) => type === 'feed.stretched').length).toBeGreaterThan(0)
    const ofOne = prices.filter(({ address }) => address === prices[0]?.address)
    expect(ofOne.slice(0, 4).map(({ stale }) => stale)).toEqual([false, true, false, true])
    expect(ofOne[1]).toMatchObject({ at: ofOne[0]?.at, ageMs: Math.ceil(everyMs) + 1 })
    expect(slow.prices.some(({ stale }) => stale)).toBe(false)
  },
)

test('4,000 addresses that are watched twice are bought once', async () => {
  const { feed, fake, clock } = setupFeed()
  const addresses = some(4_000)
  recordWatch(feed, addresses, 60 * MINUTE)
  recordWatch(feed, addresses, 60 * MINUTE)
  await clock.advance(MINUTE)
  expect(fake.charged()).toBe(80 * 600)
})

test('a refused key raises one event for a watch without onError', async () => {
  const { feed, clock, events } = setupFeed({}, {}, { apiKey: 'esk_test_unknown' })
  feed.watch([CORE, DYNO], { everyMs: MINUTE, onPrice: () => {} })
  await clock.advance(10 * MINUTE)
  const failed = events.filter(({ type }) => type === 'feed.watch_failed')
  expect(failed).toEqual([expect.objectContaining({ addresses: [CORE, DYNO], code: 'unauthorized' })])
})

test.each([900, 2_000, 3_000, 5_100])(
  'answers that take %d ms: no tick skips a price in flight, and look-ups make no price late or dearer',
  async (latencyMs) => {
    const play = async (lookUpEveryMs?: number) => {
      const { feed, fake, clock } = setupFeed({}, { latencyMs })
      const { prices } = recordWatch(feed, [...some(9), BOLT], 10 * SECOND)
      await clock.advance(2 * MINUTE)
      const before = { charged: fake.charged(), prices: prices.length }
      for (let passed = 0; passed < 5 * MINUTE; passed += lookUpEveryMs ?? MINUTE) {
        if (lookUpEveryMs) void feed.price(BOLT, { maxAgeMs: 0 }).catch(() => {})
        await clock.advance(lookUpEveryMs ?? MINUTE)
      }
      const planned = (feed.explain().cost.creditsPerDay * 5) / 1_440
      const seen = prices.slice(before.prices)
      return { charged: fake.charged() - before.charged, planned, late: seen.filter(({ stale }) => stale), seen }
    }
    const alone = await play()
    expect(alone.charged / alone.planned).toBeCloseTo(1, 1)
    const lookUpEveryMs = 12_500
    const withLookUps = await play(lookUpEveryMs)
    // An answer that takes more than half of the interval is late by what is beyond.
    const lateMs = Math.max(0, 2 * latencyMs - 10 * SECOND)
    for (const { late } of [alone, withLookUps]) if (lateMs === 0) expect(late).toEqual([])
    const lookUps = 5 * (MINUTE / lookUpEveryMs)
    expect(withLookUps.charged - alone.charged).toBeLessThanOrEqual((lookUps + 2) * 60)
    const newest = new Map<string, number>()
    for (const { address, at, ageMs, stale } of alone.seen) {
      if (stale) continue
      const shown = at + ageMs
      expect(shown - (newest.get(address) ?? at)).toBeLessThanOrEqual(10 * SECOND + lateMs)
      newest.set(address, at)
    }
  },
)

test('a price that a visitor reopens before it is too old is not bought again, whatever else is watched', async () => {
  for (const offset of [5, 20, 30, 45, 55]) {
    const { feed, fake, clock } = setupFeed({}, { latencyMs: 100 })
    recordWatch(feed, BOLT, MINUTE)
    await clock.advance(offset * SECOND)
    for (const pauseMs of [0, 31 * SECOND, 20 * SECOND]) {
      await clock.advance(pauseMs)
      const { stop } = recordWatch(feed, CORE, MINUTE)
      await clock.advance(500)
      stop()
    }
    const bought = fake.journal().filter(({ path }) => path.toLowerCase().includes(CORE.toLowerCase()))
    expect([offset, bought.length]).toEqual([offset, 1])
  }
})

test('a price that a visitor reopens at a tick, within its interval, is bought once, and in time for a visitor who stays', async () => {
  for (const [opensAt, ...others] of [
    [30, 59.6],
    [10, 45, 59.6],
    [50, 59.6, 80],
  ]) {
    const { feed, fake, clock } = setupFeed({}, { latencyMs: 100 })
    recordWatch(feed, BOLT, MINUTE)
    const start = clock.now()
    for (const [index, at] of [opensAt ?? 0, ...others].entries()) {
      await clock.advance(start + at * SECOND - clock.now())
      // Also beside others that are bought now.
      const { stop } = recordWatch(feed, [CORE, ...some(3 * index, 10 * index)], MINUTE)
      await clock.advance(SECOND)
      stop()
    }
    const times = () =>
      fake
        .journal()
        .filter(({ path, query }) => `${path}${query.addresses ?? ''}`.toLowerCase().includes(CORE.toLowerCase()))
        .map(({ at }) => at)
    expect([opensAt, times().length]).toEqual([opensAt, 1])
    const { prices } = recordWatch(feed, CORE, MINUTE)
    await clock.advance(5 * MINUTE)
    expect(prices.filter(({ stale }) => stale)).toEqual([])
    const [first = 0, second = 0] = times()
    expect(second - first).toBeGreaterThan(59 * SECOND)
  }
})
