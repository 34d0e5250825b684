import { abortReason, createAbortListeners, LightAbortController, throwIfAborted } from '../concurrency/cancellation.ts'
import { AgeClock, type Clock } from '../concurrency/clock.ts'
import { EtnMarketError } from '../errors/base.ts'

/** The calls of a client that have not ended, and what each needs to know of the others. */
export class CallLifetimes {
  readonly clock: Clock
  readonly ages: AgeClock<Clock>
  /** Aborts when the client is closed. */
  readonly closed = new LightAbortController()
  readonly listenForAbort = createAbortListeners()
  readonly #live = new Set<CallLifetime>()
  readonly #onLastEnd: (() => void)[] = []
  /** What goes on after its call has ended. */
  readonly #left = new Set<Promise<void>>()
  #calls = 0
  #earlyEndAt = Number.NEGATIVE_INFINITY
  progressAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.clock = clock
    this.ages = new AgeClock(clock)
  }

  /** @throws the signal's reason when it has aborted already, or an error when the client is closed */
  open(deadlineMs: number, callerSignal: AbortSignal | undefined): CallLifetime {
    if (this.closed.aborted) throw closedError()
    throwIfAborted(callerSignal)
    const lifetime = new CallLifetime(String(++this.#calls), deadlineMs, this, callerSignal)
    this.#live.add(lifetime)
    return lifetime
  }

  /** Records that a request of the client was answered and need not be repeated: deadlines of calls that wait for a slot stand still until then. */
  recordProgress(at: number): void {
    this.progressAt = at
  }

  recordEnd(lifetime: CallLifetime): void {
    this.#live.delete(lifetime)
    if (this.#live.size === 0) for (const callback of this.#onLastEnd.splice(0)) callback()
  }

  /** Records that a call is ended by its signal or its deadline. */
  recordEarlyEnd(): void {
    this.#earlyEndAt = this.clock.monotonic()
  }

  /** How long ago that was; Infinity before the first. Milliseconds. */
  msSinceEarlyEnd(): number {
    return this.clock.monotonic() - this.#earlyEndAt
  }

  /** Lets `close` wait for what a call leaves behind. @param work never rejects */
  track(work: Promise<void>): void {
    this.#left.add(work)
    void work.then(() => this.#left.delete(work))
  }

  /** Aborts every call that is under way and rejects new ones. Resolves when all have ended, and what they left behind. */
  async close(): Promise<void> {
    this.closed.abort(closedError())
    for (const { signal } of [...this.#live]) signal.abort(closedError())
    if (this.#live.size > 0) await new Promise<void>((resolve) => this.#onLastEnd.push(resolve))
    await Promise.all(this.#left)
  }
}

/** One call, from its start until it has settled: ended early by the caller's signal or with the client. */
export class CallLifetime {
  readonly callId: string
  readonly deadlineMs: number
  readonly calls: CallLifetimes
  readonly startedAt: number
  readonly signal = new LightAbortController()
  readonly #stopListening: (() => void) | undefined

  constructor(callId: string, deadlineMs: number, calls: CallLifetimes, callerSignal: AbortSignal | undefined) {
    this.callId = callId
    this.deadlineMs = deadlineMs
    this.calls = calls
    this.startedAt = calls.clock.monotonic()
    this.#stopListening =
      callerSignal && calls.listenForAbort(callerSignal, () => this.endEarly(abortReason(callerSignal)))
  }

  elapsed(): number {
    return Math.max(0, this.calls.clock.monotonic() - this.startedAt)
  }

  endEarly(reason: unknown): void {
    this.calls.recordEarlyEnd()
    this.signal.abort(reason)
  }

  /** Leaves no listener behind. */
  end(): void {
    this.#stopListening?.()
    this.calls.recordEnd(this)
  }
}

function closedError(): EtnMarketError {
  return new EtnMarketError('The client is closed. Create a new one with createClient.', { code: 'client_closed' })
}
