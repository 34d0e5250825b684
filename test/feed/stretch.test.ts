import type { FeedOptions } from 'etn-market/feed'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { omitStacks } from '../support/short-stacks.ts'
import { MINUTE, recordWatch, SECOND, setupFeed, some } from './setup.ts'

omitStacks()

const HOUR = 60 * MINUTE

interface Start {
  /** The number of addresses and the interval of each watch. */
  readonly watches: readonly (readonly [count: number, everyMs: number])[]
  /** Since the day of the budget began. */
  readonly hour: number
  readonly latencyMs: number
  readonly creditsPerDay: number
  readonly hasStore: boolean
}

/** Starts a feed, and runs it for half an hour of the same day. */
async function start({ watches, hour, latencyMs, creditsPerDay, hasStore }: Start) {
  const options: FeedOptions = { budget: { creditsPerDay }, ...(hasStore && { store: new Map<string, string>() }) }
  const begin = createVirtualClock(Date.UTC(2026, 10, 20) + hour * HOUR)
  const { feed, clock, events } = setupFeed(options, { latencyMs }, {}, begin)
  let from = 0
  for (const [count, everyMs] of watches) {
    recordWatch(feed, some(count, from), everyMs)
    from += count
  }
  await clock.advance(30 * MINUTE)
  const { stretch } = feed.status()
  const stretches = events.flatMap((event) => (event.type === 'feed.stretched' ? [event.stretch] : []))
  return { stretch, stretches }
}

const starts = fc.record({
  watches: fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 10 * SECOND, max: HOUR })), {
    minLength: 1,
    maxLength: 4,
  }),
  hour: fc.integer({ min: 0, max: 23 }),
  latencyMs: fc.constantFrom(0, 30, 400),
  creditsPerDay: fc.integer({ min: 10_000, max: 60_000 }),
  hasStore: fc.boolean(),
})

testProperty(
  'the stretch depends on the demand and on what is left of the budget, and not on how often it is computed',
  () =>
    fc.asyncProperty(starts, async (one) => {
      const { stretch, stretches } = await start(one)
      for (const reported of stretches) {
        expect(reported).toBeLessThan(1.5 * stretch)
        expect(reported).toBeGreaterThan(stretch / 1.5)
      }
    }),
  {
    cases: 5,
    examples: [
      // Unstretched, one interval for all is the cheapest rule; stretched, it costs twice as much as others.
      [
        {
          watches: [
            [44, 2_895_759],
            [47, 2_854_130],
            [36, 835_235],
            [16, 627_147],
          ],
          hour: 9,
          latencyMs: 0,
          creditsPerDay: 32_248,
          hasStore: false,
        },
      ],
    ],
  },
)
