import { InvalidRequestError } from '../errors/input.ts'
import { DAY_MS } from '../utils/time-units.ts'
import type { FeedEvent } from './events.ts'
import type { FeedClock } from './feed-clock.ts'
import type { FeedInternals, Payer } from './internals.ts'
import type { DailyBudget } from './prices/daily-budget.ts'
import { ownInterval } from './prices/tracked-price.ts'
import type { Backoff } from './requests/backoff.ts'
import type { CostForecast } from './schedule/cost-forecast.ts'
import type { DueTimes } from './schedule/due-times.ts'
import { costOfRates } from './schedule/solve-stretch.ts'

export interface VisitorAccessParts {
  readonly clock: FeedClock
  readonly dueTimes: DueTimes
  readonly dailyBudget: DailyBudget
  readonly forecast: CostForecast
  readonly backoff: Backoff
  readonly watchForVisitors: FeedInternals['watchForVisitors']
}

/** What a proxy may know and decide of a feed. */
export interface VisitorAccess {
  readonly internals: FeedInternals
  /** Undefined without a proxy. */
  readonly payer: Payer | undefined
  /** Hands an event to the proxy. */
  emit(event: FeedEvent): void
}

export function createVisitorAccess(parts: () => VisitorAccessParts): VisitorAccess {
  const listeners = new Set<(event: FeedEvent) => void>()
  let payer: Payer | undefined

  return {
    get payer() {
      return payer
    },
    emit(event) {
      for (const listener of [...listeners]) listener(event)
    },
    internals: {
      watchForVisitors: (addresses, options) => parts().watchForVisitors(addresses, options),
      setPayer(added) {
        if (payer) throw new InvalidRequestError('The feed serves another proxy already.', { code: 'invalid_option' })
        payer = added
        return () => {
          if (payer === added) payer = undefined
        }
      },
      ownIntervals() {
        const intervals = new Map<string, number>()
        for (const tracked of parts().dueTimes.demand.addresses()) {
          const everyMs = ownInterval(tracked)
          if (everyMs < Number.POSITIVE_INFINITY) intervals.set(tracked.address, everyMs)
        }
        return intervals
      },
      costPerDay(intervals) {
        const rates = Array.from(intervals, (everyMs) => 1 / everyMs)
        return parts().forecast.factor * costOfRates(rates)
      },
      affordablePerDay() {
        const { isLimited, allowance } = parts().dailyBudget
        return isLimited ? (allowance.credits * DAY_MS) / (allowance.until - allowance.now) : Number.POSITIVE_INFINITY
      },
      stretch: () => parts().dailyBudget.stretch,
      holdUp() {
        const { clock, backoff } = parts()
        const { failure, state, until } = backoff
        return failure && { error: failure.error, isFinal: state === 'stopped', waitMs: until - clock.now() }
      },
      onEvent(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
  }
}
