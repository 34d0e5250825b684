import fc from 'fast-check'
import { expect } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MIDNIGHT = Date.UTC(2026, 10, 20)
const LIMIT = 1_000

const length = fc.oneof(fc.integer({ min: 0, max: 3 * HOUR }), fc.integer({ min: 2_000, max: 3 * DAY }))
const happening = fc.record({
  does: fc.constantFrom('pass', 'pass', 'sleep', 'sleep certainly', 'forward', 'back'),
  ms: length,
  /** Spent afterwards, as much of it as fits. */
  credits: fc.integer({ min: 0, max: 1_500 }),
})
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

/** A window in which no more than the limit may be spent until an elapsed time. */
interface Promised {
  spent: number
  readonly until: number
}

async function play(happenings: readonly Happening[], windowMs: number) {
  const clock = createVirtualClock(MIDNIGHT + 5 * HOUR)
  const budget = createBudget({ credits: LIMIT, windowMs, store: new Map() }, clock)
  await budget.load()
  /** True time, elapsed time with what is certain, and the wall clock that is never set back. */
  let [truth, elapsed, named] = [clock.now(), 0, clock.now()]
  const spentIn = new Map<number, number>()
  const promised: Promised[] = []
  let lastWindow = Number.NaN
  for (const { does, ms, credits } of happenings) {
    if (does === 'pass') clock.jump(ms)
    else if (does === 'forward') clock.stepWallClock(ms)
    else if (does === 'back') clock.stepWallClock(-ms)
    else clock.suspend(ms, does === 'sleep certainly')
    if (does !== 'forward' && does !== 'back') truth += ms
    if (does === 'pass' || does === 'sleep certainly') elapsed += ms
    if (does !== 'back') named += ms
    const window = Math.floor(named / windowMs)
    if (window !== lastWindow) promised.push({ spent: 0, until: elapsed + (window + 1) * windowMs - named })
    lastWindow = window
    const spent = Math.min(credits, budget.available)
    const reservation = await budget.reserve(spent)
    await reservation.confirm()
    reservation.settle(spent)
    const trueWindow = Math.floor(truth / windowMs)
    spentIn.set(trueWindow, (spentIn.get(trueWindow) ?? 0) + spent)
    for (const one of promised) if (elapsed < one.until) one.spent += spent
    expect(budget.resetsAt).toBeGreaterThanOrEqual(clock.now())
    // A wall clock that was set back names a moment that much earlier.
    expect((budget.resetsAt ?? 0) - clock.now()).toBeLessThanOrEqual(windowMs + 1)
  }
  return { spentIn, promised }
}

const windowMs = fc.constantFrom(HOUR, DAY)

testProperty(
  'no window is overspent: what was counted before a jump of the clock counts for as long as it had left',
  fc.asyncProperty(fc.array(happening, { maxLength: 25 }), windowMs, async (happenings, length) => {
    // Less than a second is no jump.
    const { promised } = await play(
      happenings.filter(({ does, ms }) => does === 'pass' || ms > 1_000),
      length,
    )
    for (const { spent } of promised) expect(spent).toBeLessThanOrEqual(LIMIT)
  }),
  { cases: 300 },
)

testProperty(
  'no true window is overspent where the machine sleeps, and nobody sets its clock',
  fc.asyncProperty(fc.array(happening, { maxLength: 25 }), windowMs, async (happenings, length) => {
    const { spentIn } = await play(
      happenings.filter(({ does }) => does !== 'forward' && does !== 'back'),
      length,
    )
    for (const spent of spentIn.values()) expect(spent).toBeLessThanOrEqual(LIMIT)
  }),
  { cases: 300 },
)
