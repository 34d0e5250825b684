import { type EtnMarketError, isEtnMarketError } from '../../errors/base.ts'
import type { BudgetExceededError } from '../../errors/budget.ts'
import { addJitter, exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedEvent } from '../events.ts'
import { codeOf, type Failure, isRefusal, isShortOfCredits, isUnreadable, mayBeChargedAgain } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'

// The same values as the client's `retry` option. The feed sends single attempts and retries by itself, because it has to know
// what each attempt may have cost.
const MIN_WAIT_MS = 500
const MAX_WAIT_MS = 8_000
/** How often the feed checks whether a refusal has ended. A refusal is free. */
const RECHECK_MS = 60_000

/** What holds requests up, and since which failure. */
interface Wait {
  readonly state: 'waiting' | 'stopped'
  readonly error: unknown
  readonly isTransient: boolean
  readonly leftMs: () => number
}

/** Whether requests may be sent, and if not, when. Of several waits the longest one holds, with its state and its reason. */
export class Backoff {
  readonly #clock: FeedClock
  readonly #emit: (event: FeedEvent) => void
  #wait: Wait | undefined
  #hasStopped = false
  /** Since the last success. */
  failures = 0

  constructor(clock: FeedClock, emit: (event: FeedEvent) => void) {
    this.#clock = clock
    this.#emit = emit
  }

  get state(): 'none' | Wait['state'] {
    return this.#wait?.state ?? 'none'
  }
  /** No request is sent before, by the clock of the feed; -Infinity without a failure. */
  get until(): number {
    return this.#clock.now() + this.leftMs
  }
  /** 0 or less when the wait is over. Whole milliseconds: the rest of a rounding would be lost beside the time of day, and so never wait. */
  get leftMs(): number {
    return this.#wait ? Math.ceil(this.#wait.leftMs()) : Number.NEGATIVE_INFINITY
  }
  /** Why requests wait now, or why they have waited and none has succeeded since. */
  get failure(): Failure | undefined {
    const { error, isTransient: transient } = this.#wait ?? {}
    return this.#wait && { error, waitMs: this.leftMs, transient: transient === true, maybeCharged: false }
  }
  /** Why no price request may wait until requests are sent again; undefined if it may. */
  get refusal(): Failure | undefined {
    const { failure } = this
    return failure && failure.waitMs > 0 && !canWaitFor(failure) ? failure : undefined
  }

  recordFailure(error: unknown, sentAt: number): Failure {
    const maybeCharged = mayBeChargedAgain(error, this.failures)
    const isFinal = isRefusal(error) || isShortOfCredits(error)
    const state = isFinal ? 'stopped' : 'waiting'
    const isTransient = !isFinal && !isUnreadable(error)
    const leftMs = isFinal ? this.#untilRenewal(error) : this.#untilRetry(error)
    // Requests that fail together count as one failure.
    if (!isFinal && (this.#wait === undefined || sentAt >= this.until)) this.failures++
    if (Math.ceil(leftMs()) >= this.leftMs) this.#wait = { state, error, isTransient, leftMs }
    const code = codeOf(error)
    if (!isFinal) this.#emit({ type: 'feed.waiting', code, waitMs: this.leftMs })
    else if (!this.#hasStopped) this.#emit({ type: 'feed.stopped', code, until: this.#clock.toUnix(this.until) })
    this.#hasStopped ||= isFinal
    return { error, waitMs: this.leftMs, transient: isTransient, maybeCharged }
  }

  /** Records that a request sent at `sentAt` succeeded. Returns whether that ends the backoff. */
  recordSuccess(sentAt: number): boolean {
    if (this.#wait === undefined || sentAt < this.until) return false
    this.end()
    return true
  }

  end(): void {
    this.#wait = undefined
    this.#hasStopped = false
    this.failures = 0
    this.#emit({ type: 'feed.resumed' })
  }

  /** Without a `Retry-After`: full jitter below a ceiling that doubles. */
  #untilRetry(error: unknown): Wait['leftMs'] {
    const { retryAfterMs = 0 } = isEtnMarketError(error) ? error : {}
    const random = this.#clock.random()
    const nextMs = exponentialBackoff(this.failures, MIN_WAIT_MS, MAX_WAIT_MS)
    const ms = retryAfterMs > 0 ? addJitter(retryAfterMs, random) : Math.max(MIN_WAIT_MS / 10, random * nextMs)
    return this.#after(ms)
  }

  /** Waits until the budget renews; where that is not known, until the next check. By another clock it may renew a little later. */
  #untilRenewal(error: EtnMarketError): Wait['leftMs'] {
    const { resetsAt = Number.NEGATIVE_INFINITY } = error as Partial<BudgetExceededError>
    const renewsAt = this.#clock.fromUnix(resetsAt)
    const leftMs = () => renewsAt - this.#clock.now()
    return leftMs() > 0 ? leftMs : this.#after(Math.min(RECHECK_MS, Math.max(MIN_WAIT_MS, -leftMs())))
  }

  /** In elapsed time: a retry wait is no shorter where the wall clock is set. */
  #after(ms: number): Wait['leftMs'] {
    const until = this.#clock.monotonic() + Math.ceil(ms)
    return () => until - this.#clock.monotonic()
  }
}

/** Whether a price request may be sent again after a failure. */
export function canWaitFor({ transient, waitMs }: Failure): boolean {
  return transient && waitMs <= RECHECK_MS
}
