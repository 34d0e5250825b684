import { type CancellationSignal, LightAbortController } from '../concurrency/cancellation.ts'
import type { Deadline } from '../concurrency/deadline.ts'
import { SmallSet } from '../utils/small-set.ts'
import { createTotals } from './charge-totals.ts'
import { DEADLINE_EXCEEDED, STATE_DEADLINE_EXCEEDED } from './deadline-exceeded.ts'
import type { CallSettings } from './settings.ts'
import type { ChargeTotals, PlannedRequest, RequestProgress, SharedDeadline } from './types.ts'

/** How a caller's wait for a request ended. */
export interface SharedResult<T> {
  readonly value: T | undefined
  /** Why there is no value: the request failed, or the reason for which the caller stopped waiting. */
  readonly error: unknown
  /** Whether this caller pays: the first to be answered, or the last to stop waiting. */
  readonly isPayer: boolean
}

/** One caller who waits for a request. */
export interface Waiter {
  readonly signal: CancellationSignal
  /** Whether an abort by the last one lets a request that is sent be read to its end. */
  readonly finishes: boolean
  /** Starts the caller's time limit. */
  startDeadline(onExpire: () => void): Deadline
}

/** One request that is under way, and the callers who wait for it. As a deadline it is the longest of theirs. */
export interface InFlightRequest<T> extends SharedDeadline {
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
  stop(): void
  resolve(result: SharedResult<T>): void
}

/** A class, because each call makes one. */
class SharedRequest<T> implements InFlightRequest<T> {
  readonly signal = new LightAbortController()
  readonly totals = createTotals()
  readonly progress: RequestProgress = { isSending: false, isAwaitingState: false, isAbandoned: false }
  readonly #run: (request: InFlightRequest<T>) => Promise<T>
  /** Lets no further caller join. */
  readonly #close: () => void
  readonly #waits = new SmallSet<Wait<T>>()
  /** Of the caller who stopped waiting last, and so aborted the request. */
  #last: Wait<T> | undefined
  #ended: Promise<void> | undefined
  #isQueued = false
  #isPaid = false

  constructor(run: (request: InFlightRequest<T>) => Promise<T>, close: () => void) {
    this.#run = run
    this.#close = close
  }

  remaining(): number {
    let longest = 0
    for (const { deadline } of this.#waits.items()) longest = Math.max(longest, deadline.remaining())
    return longest
  }

  enterQueue(): void {
    this.#isQueued = true
    for (const { deadline } of this.#waits.items()) deadline.enterQueue()
  }

  leaveQueue(): void {
    this.#isQueued = false
    for (const { deadline } of this.#waits.items()) deadline.leaveQueue()
  }

  join(waiter: Waiter): Promise<SharedResult<T>> {
    this.progress.isAbandoned = false
    const { signal } = waiter
    return new Promise((resolve) => {
      const onAbort = () => this.#leave(wait, signal.reason)
      const onExpire = () =>
        this.#leave(wait, this.progress.isAwaitingState ? STATE_DEADLINE_EXCEEDED : DEADLINE_EXCEEDED)
      const deadline = waiter.startDeadline(onExpire)
      const stop = () => {
        deadline.stop()
        signal.removeEventListener('abort', onAbort)
      }
      // Not an object of a class: V8 keeps ended ones until the next full collection, with the answers that they lead to.
      const wait: Wait<T> = { waiter, deadline, stop, resolve }
      signal.addEventListener('abort', onAbort)
      if (this.#isQueued) deadline.enterQueue()
      this.#waits.add(wait)
      this.#ended ??= this.#run(this).then(
        (value) => this.#end(value, undefined),
        (error: unknown) => this.#end(undefined, error),
      )
    })
  }

  async stopAbandoned(reason: unknown): Promise<void> {
    if (!this.progress.isAbandoned) return
    this.#close()
    this.signal.abort(reason)
    await this.#ended
  }

  #end(value: T | undefined, error: unknown): void {
    this.#close()
    if (this.#last !== undefined) this.#answer(this.#last, undefined, this.signal.reason)
    for (const wait of this.#waits.items()) this.#answer(wait, value, error)
  }

  #answer(wait: Wait<T>, value: T | undefined, error: unknown): void {
    wait.stop()
    wait.resolve({ value, error, isPayer: !this.#isPaid })
    this.#isPaid = true
  }

  /** Ends the wait of one caller, for this reason. */
  #leave(wait: Wait<T>, reason: unknown): void {
    if (!this.#waits.delete(wait)) return
    wait.stop()
    const { signal, finishes } = wait.waiter
    const isLast = this.#waits.size === 0
    this.progress.isAbandoned = isLast && finishes && signal.aborted && this.progress.isSending
    if (isLast && !this.progress.isAbandoned) {
      // This caller waits for the aborted request to settle, so that the charge is known when it returns.
      this.#last = wait
      this.#close()
      this.signal.abort(reason)
    } else wait.resolve({ value: undefined, error: reason, isPayer: false })
  }
}
