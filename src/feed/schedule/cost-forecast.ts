import type { Clock } from '../../concurrency/clock.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import { RULES } from './choose-rule.ts'
import type { DueTimes } from './due-times.ts'
import { rateOf, simulateSchedule } from './simulate-schedule.ts'
import type { TokenBucket } from './token-bucket.ts'

export interface CostForecastParts {
  readonly clock: Clock
  readonly dueTimes: DueTimes
  readonly bucket: TokenBucket
}

/** What the watches cost a day, as the schedule runs. */
export interface CostForecast {
  /** Credits a day with the current stretch. */
  creditsPerDay(): number
  /** The cost of the schedule as it runs, over that of the best one. */
  readonly factor: number
}

/** A forecast is computed again after this time, or when the demand has changed by more than `TOLERANCE`. */
const MAX_AGE_MS = 1_800_000
const TOLERANCE = 0.1
const MAX_CALLS = 150

/** Simulates the schedule, because the best possible schedule is cheaper than any that buys each price in time. */
export function createCostForecast({ clock, dueTimes, bucket }: CostForecastParts): CostForecast {
  const { demand } = dueTimes
  let last = { at: Number.NEGATIVE_INFINITY, ideal: 0, factor: 1 }

  /** Of the cheapest rule, and not of the one that is followed now: that may change with the next round. */
  function cheapestRate(now: number): number {
    const simulation = { dueTimes, bucket, now, until: now + DAY_MS, maxCalls: MAX_CALLS }
    return Math.min(...RULES.map((rule) => rateOf(simulateSchedule({ ...simulation, rule }).calls).creditsPerDay))
  }

  return {
    get factor() {
      return last.factor
    },
    creditsPerDay() {
      const now = clock.now()
      const ideal = demand.creditsPerDay()
      if (ideal === 0) return 0
      const isNear = Math.abs(ideal / last.ideal - 1) <= TOLERANCE
      if (!isNear || now - last.at > MAX_AGE_MS) {
        last = { at: now, ideal, factor: Math.max(1, cheapestRate(now) / ideal) }
      }
      return ideal * last.factor
    },
  }
}
