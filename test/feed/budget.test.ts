import { BudgetExceededError } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { rejection, watch } from '../support/setup.ts'
import { asksFor, DAY, MINUTE, recordWatch, SECOND, setupFeed, some, toMidnight, types } from './setup.ts'

test('watches that do not fit the budget are all stretched by one factor, which an event reports', async () => {
  const { feed, fake, clock, events } = setupFeed({ budget: { creditsPerDay: 20_000 } })
  await toMidnight(clock)
  // 14 addresses every 5 minutes and 6 every 10 would cost about 77,000 a day.
  recordWatch(feed, some(14), 5 * MINUTE)
  recordWatch(feed, some(6, 14), 10 * MINUTE)
  await clock.advance(MINUTE)
  const { stretch, creditsPerDay, projected, spent, addresses, state } = feed.status()
  expect(stretch).toBeGreaterThan(3.5)
  expect(stretch).toBeLessThan(4.2)
  expect({ addresses, state, spent }).toEqual({ addresses: 20, state: 'running', spent: 300 })
  expect(creditsPerDay).toBeLessThanOrEqual(20_500)
  expect(projected).toBeLessThanOrEqual(20_000)
  expect(events.find(({ type }) => type === 'feed.stretched')).toMatchObject({ stretch: expect.closeTo(stretch, 1) })
  await clock.advance(DAY - 2 * MINUTE)
  expect(fake.charged()).toBeLessThanOrEqual(20_000)
  expect(fake.charged()).toBeGreaterThan(17_000)
  expect(types(events)).not.toContain('feed.stopped')
  const [longest] = fake
    .journal()
    .map(({ at }, index, all) => at - (all[index - 1]?.at ?? at))
    .sort((a, b) => b - a)
  expect(longest).toBeLessThan(30 * MINUTE)
})

test('the stretch ends when the watches fit the budget again, which an event reports', async () => {
  const { feed, clock, events } = setupFeed({ budget: { creditsPerDay: 20_000 } })
  await toMidnight(clock)
  recordWatch(feed, some(4), 20 * MINUTE)
  const expensive = recordWatch(feed, some(30, 4), MINUTE)
  await clock.advance(30 * MINUTE)
  expect(feed.status().stretch).toBeGreaterThan(5)
  expensive.stop()
  await clock.advance(60 * MINUTE)
  expect(clock.pending).toBe(1)
  expect(feed.status().stretch).toBe(1)
  expect(events.filter(({ type }) => type === 'feed.stretched').at(-1)).toMatchObject({ stretch: 1 })
})

test('a used-up budget stops the feed once, and the feed resumes the next day', async () => {
  const { feed, fake, clock, events } = setupFeed({ budget: { creditsPerDay: 650 } })
  await toMidnight(clock)
  const start = clock.now()
  await Promise.all([feed.prices(some(50)), clock.advance(10)])
  const error = rejection(feed.prices(some(3, 60)), BudgetExceededError)
  await clock.advance(10)
  await error
  const { prices, errors } = recordWatch(feed, some(3), MINUTE)
  const again = rejection(feed.price(some(1, 70)[0] ?? ''), BudgetExceededError)
  await clock.advance(DAY / 2)
  await again
  expect(fake.charged()).toBeLessThanOrEqual(650)
  expect(types(events).filter((type) => type === 'feed.stopped')).toHaveLength(1)
  expect(feed.status()).toMatchObject({ state: 'stopped', until: start + DAY })
  // Known prices are still returned, marked stale, to those who accept them.
  expect((await feed.price(some(1)[0] ?? '', { stale: 'allow' })).stale).toBe(true)
  await clock.advance(DAY / 2 + MINUTE)
  expect(types(events)).toContain('feed.resumed')
  expect(prices.some(({ at, stale }) => at >= start + DAY && !stale)).toBe(true)
  expect(errors.length).toBeLessThanOrEqual(1)
})

test('the rest of a budget buys what fits of a watch, in the order of due times, before the feed stops', async () => {
  const { BOLT, CORE, DYNO, PDY } = fakeTokens
  const { feed, fake, clock, events } = setupFeed({ budget: { creditsPerDay: 240 } })
  await Promise.all([feed.prices([BOLT, CORE, DYNO]), clock.advance(10)])
  recordWatch(feed, [PDY, ...some(3)], MINUTE)
  await clock.advance(10)
  // 110 are left: not enough for a batch of four (140) or three (130), but for two single requests; the second is not listed.
  fake.expectCredits(130 + 50)
  expect(types(events)).toContain('feed.stopped')
  expect(await feed.price(PDY)).toMatchObject({ address: PDY, stale: false })
})

describe('what one caller asks for', () => {
  test('is refused whole where it does not fit, and stops nothing', async () => {
    const { feed, fake, clock, events } = setupFeed({ budget: { creditsPerDay: 1_000 } })
    const all = rejection(feed.prices(some(100)), BudgetExceededError)
    const few = watch(feed.prices(some(10, 95)))
    await clock.advance(SECOND)
    expect(await all).toMatchObject({ needed: 1_200, available: 1_000, credits: 0, charge: 'none', attempts: 0 })
    // Another caller in the same window has what both wanted.
    expect(few.state).toBe('resolved')
    fake.expectCredits(200)
    expect(types(events)).not.toContain('feed.stopped')
    expect(feed.status()).toMatchObject({ state: 'idle', spent: 200 })
    const later = watch(feed.prices(some(50)))
    await clock.advance(SECOND)
    expect(later.state).toBe('resolved')
  })

  test('is refused whole by the budget of the client, too', async () => {
    const { feed, fake, clock } = setupFeed({}, {}, { budget: { credits: 1_000 } })
    const all = rejection(feed.prices(some(100)), BudgetExceededError)
    await clock.advance(SECOND)
    expect(await all).toMatchObject({ needed: 1_200, credits: 0, charge: 'none' })
    fake.expectCredits(0)
  })

  test('is reserved whole before it waits for others, whatever a watch buys meanwhile', async () => {
    const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay: 7_800 } }, { latencyMs: SECOND })
    // Thirteen requests, of which ten are in flight at a time.
    const all = watch(feed.prices(some(650)))
    await clock.advance(10)
    recordWatch(feed, some(3, 900), MINUTE)
    await clock.advance(10 * SECOND)
    expect(all.state).toBe('resolved')
    fake.expectCredits(7_800)
  })
})

test.each([0, 5, 20, 60, 104, 110, 140, 200])(
  'a price request does not wait for midnight when the budget is used up %d ms after it, while it is retried',
  async (afterMs) => {
    const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay: 650 } }, { latencyMs: 100 })
    const [first = ''] = some(1)
    fake.fault({ status: 500, when: asksFor(first), times: 1 })
    const failing = watch(feed.price(first))
    await clock.advance(afterMs)
    recordWatch(feed, some(55, 100), MINUTE)
    await clock.advance(MINUTE)
    expect(failing.state).not.toBe('pending')
    expect(feed.status()).toMatchObject({ state: 'stopped', reason: 'budget_exceeded' })
  },
)

test('the reason of a status belongs to the wait that holds, and watches that join are told it', async () => {
  const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay: 650 } }, { latencyMs: 500 })
  await toMidnight(clock)
  const start = clock.now()
  fake.fault({ status: 503, code: 'server_busy', when: asksFor(some(1, 200)[0] ?? ''), times: 1, retryAfter: '5' })
  recordWatch(feed, some(1, 200), MINUTE)
  await clock.advance(100)
  recordWatch(feed, some(55), MINUTE)
  await clock.advance(10 * SECOND)
  expect(feed.status()).toMatchObject({ state: 'stopped', reason: 'budget_exceeded', until: start + DAY })
  const late = recordWatch(feed, some(1, 300), MINUTE)
  await clock.advance(SECOND)
  expect(late.errors).toEqual([expect.objectContaining({ code: 'budget_exceeded' })])
})

test('less left than one purchase stops the feed, and nothing is put off beyond the renewal or planned for the past', async () => {
  const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay: 1_300 } })
  await toMidnight(clock)
  const start = clock.now()
  await Promise.all([feed.prices(some(50, 100)), clock.advance(10)])
  await Promise.all([feed.prices(some(30, 200)), clock.advance(10)])
  await Promise.all([feed.prices(some(9, 300)), clock.advance(10)])
  const { prices, errors, stop } = recordWatch(feed, some(9, 300), MINUTE)
  await clock.advance(MINUTE + SECOND)
  expect(feed.status()).toMatchObject({ state: 'stopped', reason: 'budget_exceeded', until: start + DAY, spent: 1_190 })
  expect(feed.status().projected).toBe(1_190)
  expect(feed.status().stretch * MINUTE).toBeLessThanOrEqual(DAY)
  expect(errors).toEqual([expect.objectContaining({ code: 'budget_exceeded' })])
  // Told as old as soon as they are, and not after the wait.
  expect(prices.slice(9).map(({ stale, ageMs }) => [stale, ageMs])).toEqual(Array(9).fill([true, MINUTE + 1]))
  const { calls, timetable } = feed.explain({ calls: 3 })
  for (const { at } of calls) expect(at).toBeGreaterThanOrEqual(start + DAY)
  for (const { nextAt } of timetable) expect(nextAt).toBeGreaterThanOrEqual(start + DAY)
  fake.expectCredits(1_190)
  // A cheaper demand can be met.
  stop()
  recordWatch(feed, fakeTokens.BOLT, MINUTE)
  await clock.advance(SECOND)
  expect(fake.charged()).toBe(1_240)
  expect(feed.status().state).toBe('running')
})

test('without a limit, what is projected is the whole day', async () => {
  const { feed, clock } = setupFeed()
  await toMidnight(clock)
  recordWatch(feed, fakeTokens.BOLT, MINUTE)
  await clock.advance(DAY / 12)
  expect(feed.status().projected / (1_440 * 50)).toBeCloseTo(1, 2)
})

test('price requests beyond the budget get older prices, and the feed does not stop', async () => {
  const { feed, fake, clock, events } = setupFeed({ budget: { creditsPerDay: 10_000 } })
  await toMidnight(clock)
  for (let minute = 0; minute < 1_430; minute += 5) {
    void feed.prices(some(10), { maxAgeMs: MINUTE, stale: 'allow' }).catch(() => {})
    await clock.advance(5 * MINUTE)
  }
  expect(fake.charged()).toBeLessThanOrEqual(10_000)
  expect(fake.charged()).toBeGreaterThan(6_000)
  expect(types(events)).not.toContain('feed.stopped')
})

test('a key without credits stops the feed, and new credits resume it', async () => {
  const { feed, fake, clock, events } = setupFeed({}, { keys: { esk_test_poor: 130 } })
  const { prices, errors } = recordWatch(feed, some(3), MINUTE)
  await clock.advance(10 * MINUTE)
  expect(types(events).filter((type) => type === 'feed.stopped')).toHaveLength(1)
  expect(errors).toEqual([expect.objectContaining({ name: 'InsufficientCreditsError' })])
  expect(prices.slice(3).map(({ stale }) => stale)).toEqual([true, true, true])
  fake.setCredits('esk_test_poor', 1_000)
  await clock.advance(MINUTE)
  expect(types(events).at(-2)).toBe('feed.resumed')
  expect(prices.at(-1)?.stale).toBe(false)
})

test("the client's own budget limits the feed too", async () => {
  const { feed, fake, clock } = setupFeed({}, {}, { budget: { credits: 200, windowMs: 10 * MINUTE } })
  const { prices } = recordWatch(feed, some(3), MINUTE)
  await clock.advance(10 * MINUTE - 1)
  expect(fake.charged()).toBe(130)
  await clock.advance(MINUTE)
  expect(fake.charged()).toBe(260)
  expect(prices.at(-1)?.stale).toBe(false)
})

test('price requests leave the watches their share of the budget, and are refused beyond the rest', async () => {
  const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay: 25_000 } })
  await toMidnight(clock)
  // 17,280 credits a day.
  const { prices } = recordWatch(feed, some(14), 20 * MINUTE)
  const refused: unknown[] = []
  for (let minute = 0; minute < 1_430; minute += 8) {
    void feed.prices(some(3, 100 + 3 * minute), { maxAgeMs: 0 }).catch((error) => void refused.push(error))
    await clock.advance(8 * MINUTE)
  }
  expect(fake.charged()).toBeLessThanOrEqual(25_000)
  expect(fake.charged()).toBeGreaterThan(21_250)
  const delivered = prices.filter(({ stale }) => !stale)
  expect(delivered.length / 14).toBeGreaterThan(67)
  expect(delivered.at(-1)?.at).toBeGreaterThan(clock.now() - 40 * MINUTE)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]).toMatchObject({
    name: 'BudgetExceededError',
    message: expect.stringContaining('share of the watches'),
  })
})
