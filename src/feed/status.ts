import { codeOf } from './failures.ts'
import type { FeedClock } from './feed-clock.ts'
import type { Lifetime } from './lifetime.ts'
import type { DailyBudget } from './prices/daily-budget.ts'
import type { Backoff } from './requests/backoff.ts'
import type { CostForecast } from './schedule/cost-forecast.ts'
import type { DueTimes } from './schedule/due-times.ts'
import type { FeedStreamStatus } from './stream/stream-state.ts'
import type { FeedStatus } from './types.ts'
import type { WatchRegistry } from './watch/registry.ts'

export interface StatusParts {
  readonly clock: FeedClock
  readonly dueTimes: DueTimes
  readonly forecast: CostForecast
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly watches: WatchRegistry
  readonly lifetime: Lifetime
  /** Whether the options say what the feed may spend. */
  readonly hasBudget: boolean
  isPaused(): boolean
  /** The state of the stream; undefined for a feed that buys. */
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
      reason: state === 'waiting' || state === 'stopped' ? codeOf(backoff.failure?.error) : undefined,
      stretch: dailyBudget.stretch,
      atLeastStretch: dailyBudget.atLeastStretch,
      creditsPerDay: Math.round(creditsPerDay),
      limit: parts.hasBudget ? limit : undefined,
      spent: spent + uncertain,
      projected: Math.min(limit, dailyBudget.projected(creditsPerDay)),
      watches: watches.size,
      addresses: dueTimes.demand.size,
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
