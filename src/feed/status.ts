import type { FeedClock } from './feed-clock.ts'
import type { Lifetime } from './lifetime.ts'
import type { DailyBudget } from './prices/daily-budget.ts'
import type { Backoff } from './requests/backoff.ts'
import type { CostForecast } from './schedule/cost-forecast.ts'
import type { DueTimes } from './schedule/due-times.ts'
import type { FeedStreamStatus } from './stream/stream-state.ts'
import type { WatchRegistry } from './watch/registry.ts'

export interface StatusParts {
  readonly clock: FeedClock
  readonly dueTimes: DueTimes
  readonly forecast: CostForecast
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly watches: WatchRegistry
  readonly lifetime: Lifetime
  isPaused(): boolean
  /** The state of the streams; undefined for a feed that buys. */
  streamStatus(): FeedStreamStatus | undefined
}

export function createStatus(parts: StatusParts): () => FeedStatus {
  const { clock, dueTimes, forecast, dailyBudget, backoff, watches } = parts
  return () => {
    const state = stateOf(parts)
    const { spent, uncertain, limit } = dailyBudget.budget
    const creditsPerDay = forecast.creditsPerDay()
    return {
      state,
      until: state === 'waiting' || state === 'stopped' ? clock.toUnix(backoff.until) : undefined,
      stretch: dailyBudget.stretch,
      atLeastStretch: dailyBudget.atLeastStretch,
      creditsPerDay,
      spent: spent + uncertain,
      projected: Math.min(limit, dailyBudget.projected(creditsPerDay)),
      watches: watches.size,
      addresses: dueTimes.demand.addresses().length,
      stream: parts.streamStatus(),
    }
  }
}

function stateOf({ lifetime, backoff, watches, isPaused }: StatusParts): FeedStatus['state'] {
  if (lifetime.signal.aborted) return 'closed'
  if (isPaused()) return 'paused'
  if (backoff.state !== 'none') return backoff.state
  return watches.size > 0 ? 'running' : 'idle'
}

/** The state of a feed and its costs. */
export interface FeedStatus {
  /** `waiting`: backing off after a failure; `stopped`: no credits, or refused; `paused`: the page is hidden. */
  readonly state: 'idle' | 'running' | 'waiting' | 'stopped' | 'paused' | 'closed'
  /** When requests continue, unix milliseconds; undefined unless the state is `waiting` or `stopped`. */
  readonly until: number | undefined
  /** The factor by which every interval is longer than requested, up to `atLeastEveryMs`; 1 if none is. */
  readonly stretch: number
  /** The factor by which every `atLeastEveryMs` is exceeded; 1 if they are kept. */
  readonly atLeastStretch: number
  /** Credits that the watches cost a day with the current stretch. */
  readonly creditsPerDay: number
  /**
   * Credits charged, or perhaps charged, in this day of the budget. Credits that earlier processes spent are included from the
   * first request on, which reads the `store`.
   */
  readonly spent: number
  /** Credits spent at the end of this day of the budget, if nothing changes. */
  readonly projected: number
  /** Number of watches. */
  readonly watches: number
  /** Number of different addresses that are watched. */
  readonly addresses: number
  /** The state of the worst stream of a feed with `stream: true`; undefined for a feed that buys. */
  readonly stream: FeedStreamStatus | undefined
}
