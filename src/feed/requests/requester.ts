import { type CancellationSignal, raceWithAbort } from '../../concurrency/cancellation.ts'
import { LOOK_MS, sleep } from '../../concurrency/clock.ts'
import { type EtnMarketError, isEtnMarketError } from '../../errors/base.ts'
import { addJitter, ExponentialBackoff } from '../../utils/time-units.ts'
import type { FeedBoughtEvent } from '../events.ts'
import { isOverBudget, isRefusal, isServiceWide, isShortOfCredits, mayBeChargedAgain } from '../failures.ts'
import type { RequestingFeed } from '../feed-internals.ts'
import type { PlannedRequests } from '../types.ts'
import { type Spent, unusable } from './send.ts'

export interface RequestSpec<T = unknown> {
  readonly operation: Exclude<FeedBoughtEvent['operation'], 'prices.batch'>
  /** In EIP-55 form. */
  readonly addresses: readonly string[]
  readonly worstCase: number
  readonly params: object
  /** Whether an answer can be used. With `validate: 'warn'` it may have any shape. */
  isUsable(data: T): boolean
  /** Withdraws the request where it has not left, which is no failure. */
  readonly stop?: CancellationSignal
}

export interface Answer<T> extends Spent<T> {
  readonly sentAt: number
}

/** How often it is checked whether the page is shown again, or what is in flight has ended without a charge. */
const CHECK_MS = 1_000

/** Makes the requests of one consumer, each within the share of the budget that the watches leave. */
export class Requester {
  readonly #feed: RequestingFeed
  readonly #signal: CancellationSignal
  readonly #everyMs: () => number
  readonly #onReason: (error: EtnMarketError) => void
  #reportedCode: string | undefined
  /** Failures of this consumer alone do not hold up others. */
  readonly #retries = new ExponentialBackoff()
  /** In elapsed time. */
  #notBefore = Number.NEGATIVE_INFINITY

  /**
   * @param everyMs the wait after a failure that may have been charged, in milliseconds
   * @param onReason called with what holds requests up: once, and again when the code changes
   */
  constructor(
    feed: RequestingFeed,
    signal: CancellationSignal,
    everyMs: () => number,
    onReason: (error: EtnMarketError) => void,
  ) {
    this.#feed = feed
    this.#signal = signal
    this.#everyMs = everyMs
    this.#onReason = onReason
  }

  /** How long a request has to wait now, in milliseconds. It may have to wait again after that. */
  #waitMs({ operation, worstCase }: RequestSpec): number {
    const { clock, dailyBudget, backoff, isPaused } = this.#feed
    const leftMs = Math.max(backoff.leftMs, this.#notBefore - clock.monotonic())
    if (isPaused()) return CHECK_MS
    if (leftMs > 0) {
      this.#report(backoff.failure?.error)
      return leftMs
    }
    const { availableForRequests, budget } = dailyBudget
    // No day of the budget has room for what is larger than all of it: that is sent, and refused.
    if (availableForRequests >= worstCase || worstCase > budget.limit) return 0
    // What is in flight may end without a charge, or was left by a reader who made room.
    if (availableForRequests + dailyBudget.reserved >= worstCase) return CHECK_MS
    this.#report(dailyBudget.exceeded(operation, worstCase, availableForRequests))
    return LOOK_MS
  }

  mayRetry(error: unknown, { worstCase }: RequestSpec): boolean {
    return !isRefusal(error) && !(isOverBudget(error) && worstCase > this.#feed.dailyBudget.budget.limit)
  }

  /** Makes one attempt when nothing holds it up. @param specify what to request, which may depend on how long it has waited */
  async attempt<T>(specify: () => RequestSpec<T>): Promise<Answer<T>> {
    const { clock, send, dailyBudget, backoff, emit } = this.#feed
    const signal = this.#signal
    signal.throwIfAborted()
    const loading = dailyBudget.load()
    if (loading !== undefined) await raceWithAbort(loading, signal)
    let spec = specify()
    for (let ms = this.#waitMs(spec); ms > 0; ms = this.#waitMs(spec)) {
      await sleep(clock, Math.min(ms, LOOK_MS), signal)
      spec = specify()
    }
    const sentAt = clock.now()
    const { operation, addresses, params, stop } = spec
    try {
      const answer = await send<T>(operation, params, { signal, stop })
      const { data, credits } = answer
      dailyBudget.recordUnplanned(credits)
      backoff.recordSuccess(sentAt)
      emit({ type: 'feed.bought', operation, addresses, credits })
      if (!spec.isUsable(data)) throw unusable(operation, answer)
      this.#retries.failures = 0
      this.#reportedCode = undefined
      return { ...answer, sentAt: sentAt - answer.sharedForMs }
    } catch (error) {
      signal.throwIfAborted()
      if (stop?.aborted && error === stop.reason) throw error
      const isCharged = mayBeChargedAgain(error, this.#retries.failures)
      const everyMs = isCharged ? this.#everyMs() - (clock.now() - sentAt) : 0
      this.#notBefore = clock.monotonic() + Math.max(this.#waitAfter(error), everyMs)
      if (isServiceWide(error)) backoff.recordFailure(error, sentAt)
      if (!isRefusal(error)) this.#report(error)
      throw error
    }
  }

  /** Repeats attempts until one succeeds. Rejects when no later attempt could. */
  async request<T>(specify: () => RequestSpec<T>): Promise<Answer<T>> {
    for (;;) {
      try {
        return await this.attempt(specify)
      } catch (error) {
        if (this.#signal.aborted || !this.mayRetry(error, specify())) throw error
      }
    }
  }

  #report(error: unknown): void {
    if (!isEtnMarketError(error) || error.code === this.#reportedCode) return
    this.#reportedCode = error.code
    this.#onReason(error)
  }

  #waitAfter(error: unknown): number {
    const { retryAfterMs = 0 } = error as Partial<EtnMarketError>
    const nextMs = this.#retries.fail()
    const ms = isShortOfCredits(error) ? this.#retries.maxMs : nextMs
    return addJitter(Math.max(ms, retryAfterMs), this.#feed.clock.random())
  }
}

/**
 * Resolves with what `work` buys, or with what another reader has bought while it waited for the budget.
 * @param work calls the function that it gets before each of its requests
 */
export async function buyUnlessKnown<T>(
  readKnown: () => T | undefined,
  work: (check: () => void) => Promise<T>,
): Promise<T> {
  const isKnown = new Error('Another reader has bought it meanwhile.')
  let known: T | undefined
  try {
    return await work(() => {
      known = readKnown()
      if (known !== undefined) throw isKnown
    })
  } catch (error) {
    if (error === isKnown && known !== undefined) return known
    throw error
  }
}

export interface RecurringRequest extends Pick<PlannedRequests, 'operation' | 'address'> {
  /** Requests with the same key are shared by their consumers, at the shortest interval. */
  readonly key: string
  readonly everyMs: number
  /** The cost of one of these requests after an interval, as far as it is known. */
  credits(intervalMs: number): number
}
