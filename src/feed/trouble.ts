import type { Clock } from '../clock.ts'
import { type EtnMarketError, isEtnMarketError } from '../errors/base.ts'
import type { BudgetExceededError } from '../errors/budget.ts'
import type { Failure } from './book.ts'
import type { FeedEvent } from './events.ts'

/** Whether requests may go out, and if not, from when on. */
export interface Trouble {
  readonly state: 'none' | 'waiting' | 'stopped'
  /** No request goes out before; -Infinity when all is well. */
  readonly until: number
  /** What holds requests up, if anything. */
  readonly failure: Failure | undefined
  /** Notes why a request failed that went out, or was to, at `sentAt`. */
  note(error: unknown, sentAt: number): Failure
  /** A request succeeded that went out at `sentAt`; whether that ends the trouble. */
  clear(sentAt: number): boolean
}

// The client's own figures, see `retry` of its options: the feed sends single attempts and repeats them itself, so that it
// knows what each of them may have cost.
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000
const MOST_JITTER_MS = 1_000
/** How often it is tried whether credits have come, or a refusal has ended. A refusal costs nothing. */
const RECHECK_MS = 60_000
/** Failures in a row, each of them perhaps paid for, that are repeated as fast as the client repeats them. */
const QUICK_REPEATS = 2

export function createTrouble(clock: Clock, emit: (event: FeedEvent) => void): Trouble {
  let state: Trouble['state'] = 'none'
  let until = Number.NEGATIVE_INFINITY
  let failures = 0
  let failure: Failure | undefined

  /** Retry-After is a floor, to which jitter only adds; without it, full jitter below a ceiling that doubles. */
  function backOff({ retryAfterMs = 0 }: Partial<EtnMarketError>): number {
    const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10))
    const wait =
      retryAfterMs > 0
        ? retryAfterMs + clock.random() * Math.min(retryAfterMs / 10, MOST_JITTER_MS)
        : Math.max(FIRST_WAIT_MS / 10, clock.random() * ceiling)
    return Math.ceil(wait)
  }

  function stopUntil(error: EtnMarketError): number {
    const now = clock.now()
    const { resetsAt = 0 } = error as Partial<BudgetExceededError>
    return resetsAt > now ? resetsAt : now + RECHECK_MS
  }

  return {
    get state() {
      return state
    },
    get until() {
      return until
    },
    get failure() {
      return state === 'none' ? undefined : failure
    },
    note(error, sentAt) {
      // Of several requests that fail together only the first counts, but the longest wait holds.
      const now = clock.now()
      const dear = isDear(error, failures)
      if (isFinal(error)) {
        const wasStopped = state === 'stopped'
        until = Math.max(until, stopUntil(error))
        state = 'stopped'
        if (!wasStopped) emit({ type: 'feed.stopped', code: error.code, until })
      } else {
        const waitMs = backOff(isEtnMarketError(error) ? error : {})
        if (state === 'none' || sentAt >= until) failures++
        until = Math.max(until, now + waitMs)
        if (state === 'none') state = 'waiting'
        emit({ type: 'feed.waiting', code: isEtnMarketError(error) ? error.code : 'unknown', waitMs: until - now })
      }
      const paid = isEtnMarketError(error) && error.charge === 'charged'
      failure = { error, waitMs: until - now, passing: !isFinal(error) && !paid, dear }
      return failure
    },
    clear(sentAt) {
      if (state === 'none' || sentAt < until) return false
      state = 'none'
      until = Number.NEGATIVE_INFINITY
      failures = 0
      emit({ type: 'feed.resumed' })
      return true
    },
  }
}

/** Whether trying again soon may well be paid for in vain. */
function isDear(error: unknown, failures: number): boolean {
  const { charge, code } = isEtnMarketError(error) ? error : { charge: 'unknown', code: undefined }
  if (code === 'attempt_timeout' || charge === 'unknown') return failures >= QUICK_REPEATS
  return charge === 'charged'
}

const FINAL =
  /^(Authentication|Permission|InsufficientCredits|BudgetExceeded|InvalidRequest|InvalidLimit|NotFound|Api)Error$/

/**
 * Whether the same request would fail again until somebody does something about it.
 * Told by name, so that a client from another copy of the package is understood as well.
 */
function isFinal(error: unknown): error is EtnMarketError {
  return isEtnMarketError(error) && (FINAL.test(error.name) || error.code === 'client_closed')
}
