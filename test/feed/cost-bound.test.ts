import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addresses, cheapestPlain, creditsFor, runFeed, type Workload } from '../economics/simulate.ts'
import { testProperty } from '../support/property.ts'
import { omitStacks } from '../support/short-stacks.ts'

omitStacks()

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const LATENCIES = [0, 80, SECOND]
const TIMERS = ['a timer for each token', 'one timer for all', 'a timer for each interval']

/** The cheapest of three plain strategies that are in time, too, with a quarter more than an answer takes. */
const cheapest = (workload: Workload, latencyMs: number) => cheapestPlain(workload, Math.ceil(1.25 * latencyMs), TIMERS)

const watch = fc.record({
  first: fc.nat(60),
  count: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 70 })),
  everyMs: fc.oneof(
    fc.constantFrom(30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE),
    fc.integer({ min: 5 * SECOND, max: 6 * MINUTE }),
  ),
  from: fc.nat(5 * MINUTE),
  lasts: fc.oneof(fc.constant(2 * HOUR), fc.integer({ min: MINUTE, max: 30 * MINUTE })),
})
const span = 40 * MINUTE
const workload = fc.array(watch, { minLength: 1, maxLength: 5 }).map((all): Workload => {
  const watches = all.map(({ first, count, everyMs, from, lasts }) => ({
    addresses: addresses.slice(first, first + count),
    everyMs,
    from,
    to: Math.min(span, from + lasts),
  }))
  return { watches, looks: [], span }
})

/** A purchase of what changed, for each change; and what is bought at the end is for the time after it. */
function allowance({ watches }: Workload): number {
  const changes = watches.map(({ addresses, to }) => creditsFor(addresses.length) * (to < span ? 2 : 1))
  const all = new Set(watches.flatMap(({ addresses }) => addresses))
  return changes.reduce((sum, credits) => sum + credits, creditsFor(all.size))
}

describe.each(LATENCIES)('with answers after %d ms', (latencyMs) => {
  testProperty(
    'the feed is never dearer than one timer for all, one for each interval, one for each token, plus a purchase of what changed',
    () =>
      fc.asyncProperty(workload, async (run) => {
        expect(await runFeed(run, latencyMs)).toBeLessThanOrEqual(cheapest(run, latencyMs) + allowance(run))
      }),
    { cases: 5 },
  )

  test('56 tokens at 600 s, of which 3 at 570 s, cost no more than one timer for all', async () => {
    const shared = { from: 0, to: 6 * HOUR }
    const run = {
      watches: [
        { ...shared, addresses: addresses.slice(0, 53), everyMs: 600 * SECOND },
        { ...shared, addresses: addresses.slice(53, 56), everyMs: 570 * SECOND },
      ],
      looks: [],
      span: 6 * HOUR,
    }
    expect(await runFeed(run, latencyMs)).toBeLessThanOrEqual(cheapest(run, latencyMs) + creditsFor(56))
  })

  test('two watches that share addresses stay below separate batches for ever', async () => {
    const run = (minutes: number): Workload => ({
      watches: [
        { from: 0, to: minutes * MINUTE, addresses: addresses.slice(0, 50), everyMs: 5 * SECOND },
        { from: 1_300, to: minutes * MINUTE, addresses: addresses.slice(48, 52), everyMs: 8 * SECOND },
      ],
      looks: [],
      span: minutes * MINUTE,
    })
    const periods = [5 * SECOND, 8 * SECOND].map((ms) => ms - Math.ceil(1.25 * latencyMs)) as [number, number]
    const separate = (minutes: number) =>
      creditsFor(50) * Math.ceil((minutes * MINUTE) / periods[0]) +
      creditsFor(4) * Math.ceil((minutes * MINUTE) / periods[1])
    for (const minutes of [5, 20])
      expect(await runFeed(run(minutes), latencyMs)).toBeLessThanOrEqual(separate(minutes) + 2 * creditsFor(52))
  })
})
