import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lifeOf, planTimetable } from '../../src/feed/timetable.ts'
import { creditsFor } from '../economics/simulate.ts'
import { testProperty } from '../support/property.ts'
import { DAY, MINUTE, recordWatch, SECOND, setupFeed, some } from './setup.ts'

const demand = fc
  .array(
    fc.record({
      everyMs: fc.oneof(
        fc.constantFrom(30 * SECOND, MINUTE, 5 * MINUTE),
        fc.integer({ min: SECOND, max: 60 * MINUTE }),
      ),
      addresses: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 200 })),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((all) => [...new Map(all.map((one) => [one.everyMs, one])).values()])
const latencies = fc.constantFrom(0, 100, 1_250, 8_000).map((ms) => ({ leadMs: 1.05 * ms, medianMs: ms }))

testProperty(
  'a timetable never costs more than one timer for all, one for each interval, or one for each address, and buys every price in time',
  () =>
    fc.property(demand, latencies, (wanted, latency) => {
      const perDay = (credits: number, everyMs: number) => (credits * DAY) / lifeOf(everyMs, latency)
      const sum = (of: (one: (typeof wanted)[number]) => number) => wanted.reduce((total, one) => total + of(one), 0)
      const shortest = Math.min(...wanted.map(({ everyMs }) => everyMs))
      const strategies = [
        perDay(creditsFor(sum(({ addresses }) => addresses)), shortest),
        sum(({ everyMs, addresses }) => perDay(creditsFor(addresses), everyMs)),
        sum(({ everyMs, addresses }) => perDay(50 * addresses, everyMs)),
      ]
      const { creditsPerDay, groups } = planTimetable(wanted, latency)
      expect(creditsPerDay).toBeLessThanOrEqual((1 + 1e-9) * Math.min(...strategies))
      for (const { periodMs, classes } of groups)
        for (const { everyMs, multiple } of classes)
          expect(multiple * periodMs).toBeLessThanOrEqual(lifeOf(everyMs, latency))
      expect(groups.flatMap(({ classes }) => classes).reduce((total, one) => total + one.addresses, 0)).toBe(
        sum(({ addresses }) => addresses),
      )
    }),
  { cases: 60 },
)

test('a timetable of many intervals is planned from a few', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ everyMs: 10_000 + 37 * index, addresses: 1 }))
  const latency = { leadMs: 105, medianMs: 100 }
  const { groups, creditsPerDay } = planTimetable(many, latency)
  expect(groups.flatMap(({ classes }) => classes).length).toBeLessThanOrEqual(24)
  const inFullRequests = many.reduce((sum, { everyMs }) => sum + (12 * DAY) / lifeOf(everyMs, latency), 0)
  expect(creditsPerDay).toBeLessThan(1.15 * inFullRequests)
})

describe('the ledger of the service agrees with the timetable to the credit and the request', () => {
  test.each<[string, [number, number][]]>([
    ['one interval', [[14, 5 * MINUTE]]],
    ['more than a request', [[60, 10 * MINUTE]]],
    [
      'multiples',
      [
        [9, 5 * MINUTE],
        [20, 15 * MINUTE],
        [4, 60 * MINUTE],
      ],
    ],
    [
      'requests that are filled',
      [
        [14, 10 * MINUTE],
        [102, 20 * MINUTE],
      ],
    ],
    [
      'separate groups',
      [
        [50, 10 * MINUTE],
        [50, 17 * MINUTE],
      ],
    ],
  ])('%s', async (_, watched) => {
    const { feed, fake, clock } = setupFeed()
    for (const [index, [count, everyMs]] of watched.entries()) recordWatch(feed, some(count, 200 * index), everyMs)
    await clock.advance(60 * MINUTE)
    const { timetable, cost } = feed.explain()
    expect(cost.creditsPerDay).toBeCloseTo(
      timetable.reduce((sum, group) => sum + group.creditsPerDay, 0),
      6,
    )
    const before = { credits: fake.charged(), requests: fake.journal().length }
    // Every group has whole cycles in this time.
    const spanMs = watched.some(([, everyMs]) => everyMs === 17 * MINUTE) ? 170 * MINUTE : DAY / 12
    await clock.advance(spanMs)
    expect(fake.charged() - before.credits).toBeCloseTo((cost.creditsPerDay * spanMs) / DAY, 6)
    expect(fake.journal().length - before.requests).toBeCloseTo((cost.requestsPerDay * spanMs) / DAY, 6)
  })
})
