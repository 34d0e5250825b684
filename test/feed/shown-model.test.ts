import { fakeTokens } from 'etn-market/fake'
import type { FeedPrice } from 'etn-market/feed'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { watch } from '../support/setup.ts'
import { DAY, MINUTE, recordWatch, SECOND, setupFeed, some } from './setup.ts'

const { BOLT, CORE, DYNO, PDY } = fakeTokens
const ADDRESSES = [BOLT, CORE, DYNO, PDY, ...some(60)]

/** Timers of a real event loop are late by fractions of a millisecond. */
function createLateClock() {
  const clock = createVirtualClock(Date.UTC(2026, 10, 20))
  const { sleep } = clock
  let turn = 0
  return Object.assign(clock, {
    randomValue: 0.5,
    sleep: (ms: number, signal?: AbortSignal) => sleep.call(clock, ms + ((turn++ * 0.37) % 1), signal),
  })
}

const addresses = fc.record({ first: fc.nat(8), count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(52)) })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 3 * MINUTE }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('watch' as const),
      of: addresses,
      everyMs: fc.constantFrom(10 * SECOND, 25_000.5, MINUTE),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      of: addresses,
      maxAgeMs: fc.constantFrom(0, 5 * SECOND, MINUTE),
      stale: fc.constantFrom('allow' as const, undefined),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      as: fc.constantFrom({ status: 500 }, { status: 503, retryAfter: '20' }, { reset: 'after' as const }),
      chance: fc.constantFrom(0, 0.5, 1),
    }),
  },
)

/** Longer than three attempts with their waits and a minute for the longest wait of one. */
const SETTLED_MS = 5 * MINUTE
/** Times are rounded, and timers late by less than one. */
const ROUNDED_MS = 2

testProperty(
  'fresh prices are fresh, old ones are marked as stale, and a caller who waits gets the reason',
  () =>
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 25 }),
      fc.constantFrom(undefined, 650, 3_000, 40_000),
      fc.constantFrom(0, 100, 2_000),
      async (steps, creditsPerDay, latencyMs) => {
        const clock = createLateClock()
        const { feed, fake } = setupFeed(creditsPerDay ? { budget: { creditsPerDay } } : {}, { latencyMs }, {}, clock)
        const watches: { everyMs: number; shown: ReturnType<typeof recordWatch>; since: number }[] = []
        const asked: { at: number; maxAgeMs: number; isLenient: boolean; answer: ReturnType<typeof watch> }[] = []
        const pick = ({ first, count }: { first: number; count: number }) => ADDRESSES.slice(first, first + count)

        const check = () => {
          const now = clock.now()
          for (const { everyMs, shown } of watches) {
            const last = new Map(shown.prices.map((price) => [price.address, price]))
            for (const { address, at, stale } of last.values()) {
              const isOld = now - at > everyMs
              if (Math.abs(now - at - everyMs) > ROUNDED_MS)
                expect([address, now - at, stale]).toEqual([address, now - at, isOld])
            }
          }
          for (const address of ADDRESSES.slice(0, 12)) {
            const known = feed.peek(address)
            if (known === undefined) continue
            for (const { everyMs } of watches.filter(({ shown }) =>
              shown.prices.some((one) => one.address === address),
            ))
              if (now - known.at > everyMs + ROUNDED_MS) expect([address, known.stale]).toEqual([address, true])
          }
          for (const { at, maxAgeMs, isLenient, answer } of asked) {
            if (now - at > SETTLED_MS) expect(answer.state).not.toBe('pending')
            if (answer.state !== 'resolved') continue
            for (const price of Object.values(answer.value as Record<string, FeedPrice>))
              if (!isLenient) expect([price.at >= at - maxAgeMs - ROUNDED_MS, price.stale]).toEqual([true, false])
          }
          const { state, reason, until = 0, stretch, spent, projected } = feed.status()
          expect([state, reason]).not.toEqual(['stopped', 'server_busy'])
          if (state === 'stopped') expect([reason, until]).toEqual(['budget_exceeded', Date.UTC(2026, 10, 21)])
          expect(stretch * 10 * SECOND).toBeLessThanOrEqual(Math.max(10 * SECOND, DAY))
          if (creditsPerDay) expect(Math.max(spent, projected, fake.charged())).toBeLessThanOrEqual(creditsPerDay)
          for (const { at } of feed.explain({ calls: 3 }).calls) expect(at).toBeGreaterThanOrEqual(now - ROUNDED_MS)
        }

        let fault: { remove(): void } | undefined
        for (const one of steps) {
          if (one.do === 'pass') await clock.advance(one.ms)
          else if (one.do === 'watch') {
            const shown = recordWatch(feed, pick(one.of), one.everyMs)
            watches.push({ everyMs: one.everyMs, shown, since: clock.now() })
          } else if (one.do === 'leave') {
            const [left] = watches.splice(one.which, 1)
            left?.shown.stop()
          } else if (one.do === 'ask') {
            const { maxAgeMs, stale } = one
            const answer = watch(feed.prices(pick(one.of), { maxAgeMs, stale }))
            asked.push({ at: clock.now(), maxAgeMs, isLenient: stale === 'allow', answer })
          } else {
            fault?.remove()
            fault = fake.fault({ ...one.as, probability: one.chance, times: Number.POSITIVE_INFINITY })
          }
          // Callbacks come in a turn of their own.
          await clock.advance(1)
          check()
        }
        await clock.advance(SETTLED_MS + MINUTE)
        check()
        // Who watches what cannot be bought has been told why.
        if (feed.status().state === 'stopped')
          for (const { shown } of watches) expect(shown.errors.length).toBeGreaterThan(0)
        await feed.close()
        expect(clock.pending).toBe(0)
      },
    ),
  { cases: 12 },
)
