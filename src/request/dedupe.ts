import { type CancellationSignal, LightAbortController } from '../concurrency/cancellation.ts'
import type { Deadline } from '../concurrency/deadline.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { StarterFailure } from '../errors/budget.ts'
import { DEADLINE_EXCEEDED, STATE_DEADLINE_EXCEEDED } from './call-lifetime.ts'
import { createTotals } from './call-meta.ts'
import type { CallSettings } from './settings.ts'
import type { ChargeTotals, PlannedRequest, RequestProgress, SharedDeadline, Waiters } from './types.ts'

/** How a caller's wait for a request ended. */
export interface SharedResult<T> {
  readonly value: T | undefined
  /** Why there is no value: the request failed, or the reason for which the caller stopped waiting. */
  readonly error: unknown
  /** Whether this caller pays: the first to be answered of those with the limit of the request, or the last to stop waiting. */
  readonly isPayer: boolean
  /** The request ended by the limit of another caller, or with that caller: this one has to ask anew. */
  readonly mustRestart: boolean
}

/** One caller who waits for a request. */
export interface Waiter {
  readonly signal: CancellationSignal
  /** Aborts when nothing more may be sent for the caller, who then waits only for what is on its way. */
  readonly stop: CancellationSignal | undefined
  /** Whether an abort lets a request that is sent be read to its end. */
  readonly finishes: boolean
  /** What the caller's requests have to fit beside the client's budget. */
  readonly limit: SpendingLimit | undefined
  /** Starts the caller's time limit. */
  startDeadline(onExpire: () => void): Deadline
}

/** One request that is under way, and the callers who wait for it. As a deadline it is the longest of theirs. */
export interface InFlightRequest<T> extends SharedDeadline, Waiters {
  /** Aborts when no caller waits any more. */
  readonly signal: CancellationSignal
  readonly totals: ChargeTotals
  readonly progress: RequestProgress
  /** Waits for the result. A caller that stops waiting does not affect the others. Never rejects. */
  join(waiter: Waiter): Promise<SharedResult<T>>
  /** Aborts it if nobody waits for it. Resolves when it has ended. */
  stopAbandoned(reason: unknown): Promise<unknown>
}

/** Equal requests that are in flight at the same time are sent once. */
export interface InFlightRequests<T> {
  get(key: string): InFlightRequest<T> | undefined
  /** Starts a request: `run` is called when the first caller joins. */
  start(key: string, run: (request: InFlightRequest<T>) => Promise<T>): InFlightRequest<T>
  /** Aborts what nobody waits for and is read to its end. Resolves when it has ended. */
  close(reason: unknown): Promise<void>
}

/** Equal for requests that get the same answer at the same price. */
export function dedupeKey({ operation, path, cost }: PlannedRequest, { fingerprint }: CallSettings): string {
  return `${operation} ${path} ${cost.max} ${fingerprint}`
}

export function createInFlightRequests<T>(): InFlightRequests<T> {
  const inFlight = new Map<string, InFlightRequest<T>>()
  return {
    get: (key) => inFlight.get(key),
    start(key, run) {
      const request = new SharedRequest(run, () => {
        if (inFlight.get(key) === request) inFlight.delete(key)
      })
      inFlight.set(key, request)
      return request
    },
    async close(reason) {
      await Promise.all([...inFlight.values()].map((request) => request.stopAbandoned(reason)))
    },
  }
}

/** One caller's wait, until the answer comes or its own signal or time limit ends it. */
interface Wait<T> {
  readonly waiter: Waiter
  readonly deadline: Deadline
  /** Leaves no timer or listener behind. */
  end(): void
  resolve(result: SharedResult<T>): void
}

/**
 * A request belongs to the callers with the limit of the one who started it, because its credits count in that limit. Others get its
 * answer for nothing; where it ends by that limit, or its own callers leave before it is sent, the others start anew.
 */
class SharedRequest<T> implements InFlightRequest<T> {
  readonly signal = new LightAbortController()
  readonly totals = createTotals()
  readonly progress: RequestProgress = { isSending: false, isAwaitingState: false }
  readonly #run: (request: InFlightRequest<T>) => Promise<T>
  /** Lets no further caller join. */
  readonly #close: () => void
  readonly #waits = new Set<Wait<T>>()
  #starter: Wait<T> | undefined
  /** Of the caller who stopped waiting last, and so aborted the request. */
  #last: Wait<T> | undefined
  /** Whether one of those who left wants what is sent to be read to its end. */
  #isToFinish = false
  #ended: Promise<void> | undefined
  #isQueued = false
  #isPaid = false

  constructor(run: (request: InFlightRequest<T>) => Promise<T>, close: () => void) {
    this.#run = run
    this.#close = close
  }

  remaining(): number {
    let longest = 0
    for (const { deadline } of this.#waits) longest = Math.max(longest, deadline.remaining())
    return longest
  }

  enterQueue(): void {
    this.#isQueued = true
    for (const { deadline } of this.#waits) deadline.enterQueue()
  }

  leaveQueue(): void {
    this.#isQueued = false
    for (const { deadline } of this.#waits) deadline.leaveQueue()
  }

  join(waiter: Waiter): Promise<SharedResult<T>> {
    const { signal, stop } = waiter
    return new Promise((resolve) => {
      const onAbort = () => this.#leave(wait, signal.reason)
      const onStop = () => {
        if (!this.progress.isSending) this.#leave(wait, stop?.reason)
      }
      const onExpire = () =>
        this.#leave(wait, this.progress.isAwaitingState ? STATE_DEADLINE_EXCEEDED : DEADLINE_EXCEEDED)
      const deadline = waiter.startDeadline(onExpire)
      const end = () => {
        deadline.stop()
        signal.removeEventListener('abort', onAbort)
        stop?.removeEventListener('abort', onStop)
      }
      // Not an object of a class: V8 keeps ended ones until the next full collection, with the answers that they lead to.
      const wait: Wait<T> = { waiter, deadline, end, resolve }
      signal.addEventListener('abort', onAbort)
      stop?.addEventListener('abort', onStop)
      if (this.#isQueued) deadline.enterQueue()
      this.#starter ??= wait
      this.#waits.add(wait)
      this.#ended ??= this.#run(this).then(
        (value) => this.#end(value, undefined),
        (error: unknown) => this.#end(undefined, error),
      )
    })
  }

  requireRetry(failure: unknown): void {
    for (const wait of [...this.#waits]) {
      const { stop } = wait.waiter
      if (stop?.aborted) this.#leave(wait, stop.reason)
    }
    this.signal.throwIfAborted()
    if (!this.#hasOwner()) throw this.#waits.size === 0 ? failure : new StarterFailure(failure)
  }

  async stopAbandoned(reason: unknown): Promise<void> {
    if (this.#waits.size > 0) return
    this.#close()
    this.signal.abort(reason)
    await this.#ended
  }

  /** Whether somebody waits in whose limit its credits count. */
  #hasOwner(): boolean {
    for (const wait of this.#waits) if (this.#isOwner(wait)) return true
    return false
  }

  #isOwner({ waiter }: Wait<T>): boolean {
    return waiter.limit === this.#starter?.waiter.limit
  }

  #end(value: T | undefined, error: unknown): void {
    this.#close()
    const concernsStarter = error instanceof StarterFailure
    const reason = concernsStarter ? error.reason : error
    if (this.#last !== undefined) this.#answer(this.#last, undefined, this.signal.reason, false)
    for (const wait of this.#waits) this.#answer(wait, value, reason, concernsStarter && wait !== this.#starter)
  }

  #answer(wait: Wait<T>, value: T | undefined, error: unknown, mustRestart: boolean): void {
    wait.end()
    const isPayer = !mustRestart && !this.#isPaid && this.#isOwner(wait)
    wait.resolve({ value, error, isPayer, mustRestart })
    this.#isPaid ||= isPayer
  }

  /** Ends the wait of one caller, for this reason. */
  #leave(wait: Wait<T>, reason: unknown): void {
    if (!this.#waits.delete(wait)) return
    wait.end()
    const { signal, finishes } = wait.waiter
    this.#isToFinish ||= finishes && signal.aborted
    const { isSending } = this.progress
    if (this.#waits.size === 0 && !(isSending && this.#isToFinish)) {
      // This caller waits for the aborted request to settle, so that the charge is known when it returns.
      this.#last = wait
      this.#close()
      this.signal.abort(reason)
      return
    }
    wait.resolve({ value: undefined, error: reason, isPayer: false, mustRestart: false })
    if (isSending || this.#hasOwner()) return
    this.#close()
    this.signal.abort(new StarterFailure(reason))
  }
}
