import { abortReason, createAbortListeners, LightAbortController, throwIfAborted } from '../concurrency/cancellation.ts'
import { type Clock, startTimer } from '../concurrency/clock.ts'
import { EtnMarketError } from '../errors/base.ts'
import type { Batch } from './batch.ts'

export class CallLifetimes {
  readonly clock: Clock
  /** Aborts when the client is closed. */
  readonly closed = new LightAbortController()
  readonly #listenForAbort = createAbortListeners()
  readonly #live = new Set<CallLifetime>()
  readonly #onLastEnd: (() => void)[] = []
  #calls = 0
  #earlyEndAt = Number.NEGATIVE_INFINITY
  #progressAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** @throws the signal's reason when it has aborted already, or an error when the client is closed */
  open(deadlineMs: number, callerSignal: AbortSignal | undefined): CallLifetime {
    if (this.closed.aborted) throw closedError()
    throwIfAborted(callerSignal)
    const lifetime: CallLifetime = new CallLifetime(String(++this.#calls), deadlineMs, this, () => {
      stopListening()
      this.#live.delete(lifetime)
      if (this.#live.size === 0) for (const callback of this.#onLastEnd.splice(0)) callback()
    })
    const stopListening = this.#listenForAbort(callerSignal, () => lifetime.endEarly(abortReason(callerSignal)))
    this.#live.add(lifetime)
    return lifetime
  }

  /** Records that a request of the client was answered and need not be repeated: deadlines of calls that wait for a slot stand still. */
  recordProgress(at = this.clock.monotonic()): void {
    this.#progressAt = at
  }

  get progressAt(): number {
    return this.#progressAt
  }

  /** Records that a call is ended by its signal or its deadline. */
  recordEarlyEnd(): void {
    this.#earlyEndAt = this.clock.monotonic()
  }

  /** How long ago that was; Infinity before the first. Milliseconds. */
  msSinceEarlyEnd(): number {
    return this.clock.monotonic() - this.#earlyEndAt
  }

  /** Aborts every call that is under way and rejects new ones. Resolves when all have ended. */
  async close(): Promise<void> {
    this.closed.abort(closedError())
    for (const { signal } of [...this.#live]) signal.abort(closedError())
    if (this.#live.size > 0) await new Promise<void>((resolve) => this.#onLastEnd.push(resolve))
  }
}

/** One call, from its start until it has settled: ended early by the caller's signal or with the client. */
export class CallLifetime {
  readonly callId: string
  readonly signal = new LightAbortController()
  readonly deadlineMs: number
  /** Leaves no timer or listener behind. */
  readonly end: () => void
  readonly #calls: CallLifetimes
  readonly #startedAt: number

  constructor(callId: string, deadlineMs: number, calls: CallLifetimes, end: () => void) {
    this.callId = callId
    this.deadlineMs = deadlineMs
    this.end = end
    this.#calls = calls
    this.#startedAt = calls.clock.monotonic()
  }

  elapsed(): number {
    return Math.max(0, this.#calls.clock.monotonic() - this.#startedAt)
  }

  /** Starts the time limit of one of its requests, less what the call has used already. */
  startDeadline(onExpire: () => void, batch: Batch | undefined): Deadline {
    return new Deadline(this.#calls, this.#startedAt + this.deadlineMs, onExpire, batch)
  }

  endEarly(reason: unknown): void {
    this.#calls.recordEarlyEnd()
    this.signal.abort(reason)
  }
}

/** A time limit that stands still while its request waits in a queue and other requests make progress. */
export class Deadline {
  readonly #calls: CallLifetimes
  readonly #onExpire: () => void
  readonly #batch: Batch | undefined
  /** Later by as long as it stood still. */
  #endsAt: number
  #queuedAt: number | undefined
  #stopTimer: () => void

  /** @param onExpire called once when its time is over, or when the batch has had no answer for as long as a call may take */
  constructor(calls: CallLifetimes, endsAt: number, onExpire: () => void, batch: Batch | undefined) {
    this.#calls = calls
    this.#endsAt = endsAt
    this.#onExpire = onExpire
    this.#batch = batch
    const leftMs = Math.max(0, endsAt - calls.clock.monotonic())
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

function closedError(): EtnMarketError {
  return new EtnMarketError('The client is closed. Create a new one with createClient.', { code: 'client_closed' })
}

/** The reason of a call that took too long; replaced by a TimeoutError before it leaves the library. */
export const DEADLINE_EXCEEDED = Symbol('deadline exceeded')
/** The same for a call that waited for a store or a fleet; replaced by a StateUnavailableError. */
export const STATE_DEADLINE_EXCEEDED = Symbol('deadline exceeded during a wait for the state')
