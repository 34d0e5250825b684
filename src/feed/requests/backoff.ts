import { type EtnMarketError, isEtnMarketError } from '../../errors/base.ts'
import type { BudgetExceededError } from '../../errors/budget.ts'
import { exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedEvent } from '../events.ts'
import { codeOf, type Failure, isRefusal, isShortOfCredits, isUnreadable, mayBeChargedAgain } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'

/** Whether requests may be sent, and if not, when. */
export interface Backoff {
  readonly state: 'none' | 'waiting' | 'stopped'
  /** No request is sent before, by the clock of the feed; -Infinity without a failure. */
  readonly until: number
  /** Consecutive failures. */
  readonly failures: number
  /** The failure that holds requests up, if there is one. */
  readonly failure: Failure | undefined
  /** Records why a request sent at `sentAt` failed. */
  recordFailure(error: unknown, sentAt: number): Failure
  /** Records that a request sent at `sentAt` succeeded. Returns whether that ends the backoff. */
  recordSuccess(sentAt: number): boolean
}

// The same values as the client's `retry` option. The feed sends single attempts and retries by itself, because it has to know
// what each attempt may have cost.
const MIN_WAIT_MS = 500
const MAX_WAIT_MS = 8_000
const MAX_JITTER_MS = 1_000
/** How often the feed checks whether a refusal has ended. A refusal is free. */
const RECHECK_MS = 60_000

export function createBackoff(clock: FeedClock, emit: (event: FeedEvent) => void): Backoff {
  let state: Backoff['state'] = 'none'
  let until = Number.NEGATIVE_INFINITY
  let failures = 0
  let failure: Failure | undefined

  /** Retry-After is a floor, and jitter only adds to it. Without it: full jitter below a ceiling that doubles. */
  function waitAfter({ retryAfterMs = 0 }: Partial<EtnMarketError>): number {
    const ceiling = exponentialBackoff(failures, MIN_WAIT_MS, MAX_WAIT_MS)
    const wait =
      retryAfterMs > 0
        ? retryAfterMs + clock.random() * Math.min(retryAfterMs / 10, MAX_JITTER_MS)
        : Math.max(MIN_WAIT_MS / 10, clock.random() * ceiling)
    return Math.ceil(wait)
  }

  function stopUntil(error: EtnMarketError): number {
    const now = clock.now()
    const { resetsAt } = error as Partial<BudgetExceededError>
    const renewedAt = resetsAt === undefined ? now : clock.fromUnix(resetsAt)
    return renewedAt > now ? renewedAt : now + RECHECK_MS
  }

  return {
    get state() {
      return state
    },
    get until() {
      return until
    },
    get failures() {
      return failures
    },
    get failure() {
      return state === 'none' ? undefined : failure
    },
    recordFailure(error, sentAt) {
      // Requests that fail together count as one failure, and the longest wait applies.
      const now = clock.now()
      const maybeCharged = mayBeChargedAgain(error, failures)
      const isFinal = isRefusal(error) || isShortOfCredits(error)
      if (isFinal) {
        const wasStopped = state === 'stopped'
        until = Math.max(until, stopUntil(error))
        state = 'stopped'
        if (!wasStopped) emit({ type: 'feed.stopped', code: error.code, until: clock.toUnix(until) })
      } else {
        const waitMs = waitAfter(isEtnMarketError(error) ? error : {})
        if (state === 'none' || sentAt >= until) failures++
        until = Math.max(until, now + waitMs)
        if (state === 'none') state = 'waiting'
        emit({ type: 'feed.waiting', code: codeOf(error), waitMs: until - now })
      }
      failure = { error, waitMs: until - now, transient: !isFinal && !isUnreadable(error), maybeCharged }
      return failure
    },
    recordSuccess(sentAt) {
      if (state === 'none' || sentAt < until) return false
      state = 'none'
      until = Number.NEGATIVE_INFINITY
      failures = 0
      emit({ type: 'feed.resumed' })
      return true
    },
  }
}
