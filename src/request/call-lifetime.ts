import { type CancellationSignal, createAbortListeners, LightAbortController } from '../concurrency/cancellation.ts'
import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import { type Deadline, type DeadlineCourse, startDeadline } from '../concurrency/deadline.ts'
import { EtnMarketError } from '../errors/base.ts'

/** One call, from its start until it has settled: ended early by the caller's signal or with the client. */
export interface CallLifetime {
  readonly callId: string
  readonly signal: CancellationSignal
  /** How long the call has taken, milliseconds. */
  elapsed(): number
  /** Starts the time limit of one of its requests, less what the call has used already. */
  startDeadline(onExpire: () => void): Deadline
  /** Ends the call for this reason. */
  endEarly(reason: unknown): void
  /** Leaves no timer or listener behind. */
  end(): void
}

/** The calls of one client. */
export interface CallLifetimes {
  /** @throws the signal's reason when it has aborted already, or an error when the client is closed */
  open(deadlineMs: number, callerSignal: AbortSignal | undefined): CallLifetime
  /** Records that a request of the client was answered and need not be repeated: deadlines of calls that wait for a slot stand still. */
  recordProgress(): void
  /** How long ago a call was ended early, by its signal or its deadline; Infinity before the first. Milliseconds. */
  msSinceEarlyEnd(): number
  /** Aborts every call that is under way and rejects new ones. Resolves when all have ended. */
  close(): Promise<void>
}

export function createCallLifetimes(clock: Clock): CallLifetimes {
  const listenForAbort = createAbortListeners()
  const live = new Set<Lifetime>()
  let calls = 0
  const onLastEnd: (() => void)[] = []
  let isClosed = false
  let earlyEndAt = Number.NEGATIVE_INFINITY
  let progressAt = Number.NEGATIVE_INFINITY
  const course: DeadlineCourse = {
    lastProgress: () => progressAt,
    recordEarlyEnd() {
      earlyEndAt = monotonicNow(clock)
    },
  }

  /** A class, because each call makes one. */
  class Lifetime implements CallLifetime {
    readonly callId = String(++calls)
    readonly signal = new LightAbortController()
    readonly #startedAt = monotonicNow(clock)
    readonly #deadlineMs: number
    readonly #stopListening: () => void

    constructor(deadlineMs: number, callerSignal: AbortSignal | undefined) {
      this.#deadlineMs = deadlineMs
      this.#stopListening = listenForAbort(callerSignal, () => this.endEarly(callerSignal?.reason))
      live.add(this)
    }

    elapsed(): number {
      return Math.max(0, monotonicNow(clock) - this.#startedAt)
    }

    startDeadline(onExpire: () => void): Deadline {
      return startDeadline(clock, this.#deadlineMs - this.elapsed(), onExpire, course)
    }

    readonly endEarly = (reason: unknown): void => {
      course.recordEarlyEnd()
      this.signal.abort(reason)
    }

    end(): void {
      this.#stopListening()
      live.delete(this)
      if (live.size === 0) for (const callback of onLastEnd.splice(0)) callback()
    }
  }

  return {
    open(deadlineMs, callerSignal) {
      if (isClosed) throw closedError()
      callerSignal?.throwIfAborted()
      return new Lifetime(deadlineMs, callerSignal)
    },
    recordProgress() {
      progressAt = monotonicNow(clock)
    },
    msSinceEarlyEnd: () => monotonicNow(clock) - earlyEndAt,
    async close() {
      isClosed = true
      for (const { signal } of [...live]) signal.abort(closedError())
      if (live.size > 0) await new Promise<void>((resolve) => onLastEnd.push(resolve))
    },
  }
}

function closedError(): EtnMarketError {
  return new EtnMarketError('The client is closed. Create a new one with createClient.', { code: 'client_closed' })
}

/** The reason of a call that took too long; replaced by a TimeoutError before it leaves the library. */
export const DEADLINE_EXCEEDED = Symbol('deadline exceeded')
/** The same for a call that waited for a store or a fleet; replaced by a StateUnavailableError. */
export const STATE_DEADLINE_EXCEEDED = Symbol('deadline exceeded during a wait for the state')
