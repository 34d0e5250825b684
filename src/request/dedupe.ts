import { type CancellationSignal, LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { startTimer } from '../concurrency/clock.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { StarterFailure } from '../errors/budget.ts'
import type { Batch } from './batch.ts'
import { type ChargeTotals, createTotals, type PaidResult, strongest } from './billing.ts'
import type { CallLifetime, CallLifetimes } from './call-lifetime.ts'
import type { PlannedRequest } from './plan-requests.ts'
import type { RequestResult } from './read-answer.ts'
import type { CallSettings } from './settings.ts'

/** The reason of a call that took too long; replaced by a TimeoutError before it leaves the library. */
export const DEADLINE_EXCEEDED = Symbol('deadline exceeded')
/** The same for a call that waited for a store or a fleet; replaced by a StateUnavailableError. */
export const STATE_DEADLINE_EXCEEDED = Symbol('deadline exceeded during a wait for the state')

export interface Waiter {
  readonly lifetime: CallLifetime
  /** Aborts when nothing more may be sent for the caller, who then waits only for what is on its way. */
  readonly stop: CancellationSignal | undefined
  /** Whether an abort lets a request that is sent be read to its end. */
  readonly finishes: boolean
  /** What the caller's requests have to fit beside the client's budget. */
  readonly limit: SpendingLimit | undefined
  readonly batch: Batch | undefined
}

/** It is paid by the first caller to be answered, or the last to leave. */
export interface SharedResult extends PaidResult {
  readonly answer: RequestResult | undefined
  /** The request ended by the limit of another caller, or with that caller: this one has to ask anew. */
  readonly mustRestart: boolean
}

/** Equal for requests that get the same answer at the same price. */
export function dedupeKey({ operation, path, cost }: PlannedRequest, { fingerprint }: CallSettings): string {
  return `${operation} ${path} ${cost.max} ${fingerprint}`
}

/** Equal requests that are in flight at the same time are sent once: each is here under its `dedupeKey`. */
export class InFlightRequests extends Map<string, InFlightRequest> {
  /** Aborts what nobody waits for and is read to its end. Resolves when it has ended. */
  async close(reason: unknown): Promise<void> {
    await Promise.all([...this.values()].map((request) => request.stopAbandoned(reason)))
  }
}

/** A time limit that stands still while its request waits in a queue and other requests make progress. */
class Deadline {
  readonly #calls: CallLifetimes
  readonly #onExpire: () => void
  readonly #batch: Batch | undefined
  /** Later by as long as it stood still. */
  #endsAt: number
  #queuedAt: number | undefined
  #stopTimer: () => void

  /** @param onExpire called once when its time is over, or when the batch has had no answer for as long as a call may take */
  constructor({ calls, startedAt, deadlineMs }: CallLifetime, batch: Batch | undefined, onExpire: () => void) {
    this.#calls = calls
    this.#endsAt = startedAt + deadlineMs
    this.#onExpire = onExpire
    this.#batch = batch
    const leftMs = Math.max(0, this.#endsAt - calls.clock.monotonic())
    this.#stopTimer = startTimer(calls.clock, leftMs, () => this.look())
  }

  /** Ends it if its time is over, else starts its timer anew. The timer is late where the machine has slept, and early where the time stood still. */
  look(): void {
    this.#stopTimer()
    const leftMs = this.remaining()
    if (leftMs > 0) {
      this.#stopTimer = startTimer(this.#calls.clock, leftMs, () => this.look())
      return
    }
    this.#calls.recordEarlyEnd()
    this.#onExpire()
  }

  /** Milliseconds that are left. */
  remaining(): number {
    this.#noteProgress()
    const stallsInMs = this.#batch?.stallsInMs() ?? Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(this.#endsAt - this.#calls.clock.monotonic(), stallsInMs))
  }

  /** In the queue it stands still up to each moment at which progress is made; after the last one it runs. */
  setQueued(isQueued: boolean): void {
    this.#noteProgress()
    this.#queuedAt = isQueued ? this.#calls.clock.monotonic() : undefined
  }

  /** Ends it without a call of `onExpire`; no timer is left. */
  stop(): void {
    this.#stopTimer()
  }

  #noteProgress(): void {
    if (this.#queuedAt === undefined) return
    const stillMs = Math.max(0, this.#calls.progressAt - this.#queuedAt)
    this.#queuedAt += stillMs
    this.#endsAt += stillMs
  }
}

/** One caller's wait, until the answer comes or its own signal or time limit ends it. */
interface Wait {
  readonly waiter: Waiter
  readonly deadline: Deadline
  /** By the age clock; NaN where the request was not sent yet. */
  readonly joinedAt: number
  /** Leaves no timer or listener behind. */
  end(): void
  resolve(result: SharedResult): void
}

/**
 * One request that is under way, and the callers who wait for it. Its credits are reserved in the limit of the caller who started it, so it goes on
 * for as long as a caller with that limit waits. Where it ends by that limit, or these callers leave before it is sent, the others start anew.
 *
 * One caller pays, which is whose call reports the credits: the first of those who waited to the end, or the last to leave. Others get the answer
 * for nothing.
 */
export abstract class InFlightRequest {
  /** Aborts when no caller waits any more. */
  readonly signal = new LightAbortController()
  readonly totals = createTotals()
  /** Whether an attempt was handed to the network and has not ended. */
  isSending = false
  /** When it was last sent, by the age clock; undefined where a hook answered. */
  sentAt: number | undefined
  /** Where further callers find it. */
  readonly #inFlight: InFlightRequests
  readonly #key: string
  readonly #waits = new Set<Wait>()
  #starter: Wait | undefined
  /** Of the caller who stopped waiting last, and so aborted the request. */
  #last: Wait | undefined
  /** Whether one of those who left wants what is sent to be read to its end. */
  #isToFinish = false
  #ended: Promise<void> | undefined
  #isQueued = false
  #isAwaitingState = false
  /** Credits that are on some caller's account. */
  #claimed = 0

  constructor(inFlight: InFlightRequests, key: string) {
    this.#inFlight = inFlight
    this.#key = key
    inFlight.set(key, this)
  }

  /** Is called once, as soon as the first caller has joined. */
  protected abstract send(): Promise<RequestResult>

  /** Is called with what was charged when nobody was left to pay it. */
  protected abstract reportUnclaimed(charged: ChargeTotals): void

  /** Never rejects. A caller that stops waiting does not affect the others. */
  join(waiter: Waiter): Promise<SharedResult> {
    const { lifetime, stop, batch } = waiter
    const { signal } = lifetime
    return new Promise((resolve) => {
      const onAbort = () => this.#leave(wait, signal.reason)
      const onStop = () => {
        if (!this.isSending) this.#leave(wait, stop?.reason)
      }
      const onExpire = () => this.#leave(wait, this.#isAwaitingState ? STATE_DEADLINE_EXCEEDED : DEADLINE_EXCEEDED)
      const deadline = new Deadline(lifetime, batch, onExpire)
      const end = () => {
        deadline.stop()
        signal.removeEventListener('abort', onAbort)
        stop?.removeEventListener('abort', onStop)
      }
      // Not an object of a class: V8 keeps ended ones until the next full collection, with the answers that they lead to.
      const joinedAt = this.sentAt === undefined ? Number.NaN : lifetime.calls.ages.now()
      const wait: Wait = { waiter, deadline, joinedAt, end, resolve }
      signal.addEventListener('abort', onAbort)
      stop?.addEventListener('abort', onStop)
      if (this.#isQueued) deadline.setQueued(true)
      this.#starter ??= wait
      this.#waits.add(wait)
      this.#ended ??= this.#run()
    })
  }

  async #run(): Promise<void> {
    let answer: RequestResult | undefined
    let failure: unknown
    try {
      answer = await this.send()
    } catch (error) {
      failure = error
    }
    this.#close()
    if (!this.#answer(answer, failure)) this.reportUnclaimed(this.#claim())
  }

  /** The time that the callers have left: the longest of their deadlines. Milliseconds. */
  remaining(): number {
    let longest = 0
    for (const { deadline } of this.#waits) longest = Math.max(longest, deadline.remaining())
    return longest
  }

  /** Lets those callers go whose time is over. Call it after a wait, whose end may be known before the timers of the deadlines: a machine has slept. */
  expire(): void {
    for (const { deadline } of [...this.#waits]) deadline.look()
  }

  /** While a request waits for one of the client's own slots, the deadline stands still as long as other requests make progress. */
  setQueued(isQueued: boolean): void {
    if (this.#isQueued === isQueued) return
    this.#isQueued = isQueued
    for (const { deadline } of this.#waits) deadline.setQueued(isQueued)
  }

  /** Waits for a store or a fleet. A deadline that passes meanwhile is a failure of the store, not of the service. */
  async awaitState<T>(work: Promise<T>): Promise<T> {
    this.#isAwaitingState = true
    try {
      return await raceWithAbort(work, this.signal)
    } finally {
      this.#isAwaitingState = false
    }
  }

  /**
   * Lets those callers go for whom nothing more may be sent. Call it before the request is repeated.
   * @param failure of the last attempt
   * @throws the failure itself, where nobody is left in whose limit a further attempt would count
   */
  dropStopped(failure: unknown): void {
    for (const wait of [...this.#waits]) {
      const { stop } = wait.waiter
      if (stop?.aborted) this.#leave(wait, stop.reason)
    }
    this.signal.throwIfAborted()
    if (!this.#hasOwner()) throw this.#waits.size === 0 ? failure : new StarterFailure(failure)
  }

  /** Aborts it if nobody waits for it. Resolves when it has ended. */
  async stopAbandoned(reason: unknown): Promise<void> {
    if (this.#waits.size > 0) return
    this.#close()
    this.signal.abort(reason)
    await this.#ended
  }

  /** Whether somebody waits in whose limit its credits count: without one, the others start anew. */
  #hasOwner(): boolean {
    return [...this.#waits].some(({ waiter }) => waiter.limit === this.#starter?.waiter.limit)
  }

  /** What is on nobody's account yet. While an attempt is under way, its charge is unknown. */
  #claim(): ChargeTotals {
    const { totals, isSending } = this
    const credits = totals.credits - this.#claimed
    this.#claimed = totals.credits
    return { ...totals, credits, charge: isSending ? strongest(totals.charge, 'unknown') : totals.charge }
  }

  /** Answers those who wait. Returns whether one of them pays. */
  #answer(answer: RequestResult | undefined, failure: unknown): boolean {
    // Then nobody else waits.
    if (this.#last !== undefined) {
      this.#resolve(this.#last, true, undefined, this.signal.reason)
      return true
    }
    const concernsStarter = failure instanceof StarterFailure
    const error = concernsStarter ? failure.reason : failure
    let isPaid = false
    for (const wait of this.#waits) {
      wait.end()
      const mustRestart = concernsStarter && wait !== this.#starter
      const isPayer: boolean = !mustRestart && !isPaid
      isPaid ||= isPayer
      this.#resolve(wait, isPayer, answer, error, mustRestart)
    }
    return isPaid
  }

  #resolve(wait: Wait, isPayer: boolean, answer: RequestResult | undefined, error: unknown, mustRestart = false): void {
    const paid = isPayer ? this.#claim() : { ...createTotals(), attempts: this.totals.attempts }
    const sharedForMs = Math.max(0, wait.joinedAt - (this.sentAt ?? Number.NaN)) || 0
    wait.resolve({ answer, error, paid, isShared: !isPayer, sharedForMs, mustRestart })
  }

  /** Lets no further caller join. */
  #close(): void {
    if (this.#inFlight.get(this.#key) === this) this.#inFlight.delete(this.#key)
  }

  #leave(wait: Wait, reason: unknown): void {
    if (!this.#waits.delete(wait)) return
    wait.end()
    const { lifetime, finishes } = wait.waiter
    this.#isToFinish ||= finishes && lifetime.signal.aborted
    const isLast = this.#waits.size === 0
    if (isLast && !(this.isSending && this.#isToFinish)) {
      // This caller waits for the aborted request to settle, so that the charge is known when it returns.
      this.#last = wait
      this.#close()
      this.signal.abort(reason)
      return
    }
    const goesOn = this.isSending || this.#hasOwner()
    this.#resolve(wait, isLast || !goesOn, undefined, reason)
    if (goesOn) return
    this.#close()
    this.signal.abort(new StarterFailure(reason))
  }
}
