import { type EtnMarketError, isEtnMarketError } from '../../errors/base.ts'
import type { BudgetExceededError } from '../../errors/budget.ts'
import { addJitter } from '../../transport/retry-after.ts'
import { exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedEvent } from '../events.ts'
import { codeOf, type Failure, isRefusal, isShortOfCredits, isUnreadable, mayBeChargedAgain } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'

// The same values as the client's `retry` option. The feed sends single attempts and retries by itself, because it has to know
// what each attempt may have cost.
const MIN_WAIT_MS = 500
const MAX_WAIT_MS = 8_000
/** How often the feed checks whether a refusal has ended. A refusal is free. */
const RECHECK_MS = 60_000

/** Whether requests may be sent, and if not, when. */
export class Backoff {
  readonly #clock: FeedClock
  readonly #emit: (event: FeedEvent) => void
  #state: 'none' | 'waiting' | 'stopped' = 'none'
  /** In elapsed time: a retry wait is no shorter where the wall clock is set. */
  #waitsUntil = Number.NEGATIVE_INFINITY
  /** By the clock of the feed: when a day of the budget begins. */
  #renewsAt = Number.NEGATIVE_INFINITY
  #failures = 0
  #failure: Failure | undefined

  constructor(clock: FeedClock, emit: (event: FeedEvent) => void) {
    this.#clock = clock
    this.#emit = emit
  }

  get state(): 'none' | 'waiting' | 'stopped' {
    return this.#state
  }
  /** No request is sent before, by the clock of the feed; -Infinity without a failure. */
  get until(): number {
    return this.#clock.now() + this.leftMs
  }
  /** 0 or less when the wait is over. Milliseconds. */
  get leftMs(): number {
    return Math.max(this.#waitsUntil - this.#clock.monotonic(), this.#renewsAt - this.#clock.now())
  }
  get failures(): number {
    return this.#failures
  }
  get failure(): Failure | undefined {
    return this.#state === 'none' ? undefined : this.#failure
  }

  recordFailure(error: unknown, sentAt: number): Failure {
    // Requests that fail together count as one failure, and the longest wait applies.
    const maybeCharged = mayBeChargedAgain(error, this.#failures)
    const isFinal = isRefusal(error) || isShortOfCredits(error)
    if (isFinal) {
      const wasStopped = this.#state === 'stopped'
      this.#awaitRenewal(error)
      this.#state = 'stopped'
      if (!wasStopped) this.#emit({ type: 'feed.stopped', code: error.code, until: this.#clock.toUnix(this.until) })
    } else {
      const waitMs = this.#waitAfter(isEtnMarketError(error) ? error : {})
      if (this.#state === 'none' || sentAt >= this.until) this.#failures++
      this.#wait(waitMs)
      if (this.#state === 'none') this.#state = 'waiting'
      this.#emit({ type: 'feed.waiting', code: codeOf(error), waitMs: this.leftMs })
    }
    const transient = !isFinal && !isUnreadable(error)
    this.#failure = { error, waitMs: this.leftMs, transient, maybeCharged }
    return this.#failure
  }

  /** Records that a request sent at `sentAt` succeeded. Returns whether that ends the backoff. */
  recordSuccess(sentAt: number): boolean {
    if (this.#state === 'none' || sentAt < this.until) return false
    this.#state = 'none'
    this.#waitsUntil = Number.NEGATIVE_INFINITY
    this.#renewsAt = Number.NEGATIVE_INFINITY
    this.#failures = 0
    this.#emit({ type: 'feed.resumed' })
    return true
  }

  /** Without a `Retry-After`: full jitter below a ceiling that doubles. */
  #waitAfter({ retryAfterMs = 0 }: Partial<EtnMarketError>): number {
    const random = this.#clock.random()
    if (retryAfterMs > 0) return Math.ceil(addJitter(retryAfterMs, random))
    const ceiling = exponentialBackoff(this.#failures, MIN_WAIT_MS, MAX_WAIT_MS)
    return Math.ceil(Math.max(MIN_WAIT_MS / 10, random * ceiling))
  }

  #wait(ms: number): void {
    this.#waitsUntil = Math.max(this.#waitsUntil, this.#clock.monotonic() + ms)
  }

  /** Waits until the budget renews; where that is not known, until the next check. By another clock it may renew a little later. */
  #awaitRenewal(error: EtnMarketError): void {
    const { resetsAt } = error as Partial<BudgetExceededError>
    const renewsAt = resetsAt === undefined ? Number.NEGATIVE_INFINITY : this.#clock.fromUnix(resetsAt)
    const now = this.#clock.now()
    if (renewsAt > now) this.#renewsAt = Math.max(this.#renewsAt, renewsAt)
    else this.#wait(Math.min(RECHECK_MS, Math.max(MIN_WAIT_MS, now - renewsAt)))
  }
}
