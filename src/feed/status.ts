import { codeOf } from './failures.ts'
import type { FeedClock } from './feed-clock.ts'
import type { Lifetime } from './lifetime.ts'
import type { DailyBudget } from './prices/daily-budget.ts'
import type { Backoff } from './requests/backoff.ts'
import type { Schedule } from './schedule/schedule.ts'
import type { FeedStreamStatus } from './stream/stream-state.ts'
import type { FeedStatus } from './types.ts'
import type { WatchRegistry } from './watch/registry.ts'

export interface StatusParts {
  readonly clock: FeedClock
  readonly schedule: Schedule
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
  const { clock, schedule, dailyBudget, backoff, watches } = parts
  return () => {
    const state = stateOf(parts)
    const isWaiting = state === 'waiting' || state === 'stopped'
    schedule.settle()
    return {
      state,
      until: isWaiting ? clock.toUnix(backoff.until) : undefined,
      reason: isWaiting ? codeOf(backoff.failure?.error) : undefined,
      stretch: dailyBudget.stretch,
      atLeastStretch: dailyBudget.atLeastStretch,
      creditsPerDay: Math.round(schedule.timetable.creditsPerDay),
      limit: parts.hasBudget ? dailyBudget.budget.limit : undefined,
      spent: dailyBudget.spent,
      projected: dailyBudget.projected,
      watches: watches.size,
      addresses: schedule.watched.size,
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
