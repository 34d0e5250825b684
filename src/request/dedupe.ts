import { type CancellationSignal, LightAbortController } from '../concurrency/cancellation.ts'
import type { Deadline } from '../concurrency/deadline.ts'
import { createTotals } from './charge-totals.ts'
import type { CallSettings } from './settings.ts'
import type { ChargeTotals, PlannedRequest, RequestProgress, SharedDeadline } from './types.ts'

/** How a request ended. */
interface Settled<T> {
  readonly value: T | undefined
  /** Why there is no value. */
  readonly error: unknown
}

/** How a caller's wait for a request ended; `error` may be the reason for which the caller stopped waiting. */
export interface SharedResult<T> extends Settled<T> {
  /** Whether this caller pays: the first to be answered, or the last to stop waiting. */
  readonly isPayer: boolean
}

/** One caller who waits for a request. */
export interface Waiter {
  readonly signal: CancellationSignal
  /** Whether an abort by the last one lets a request that is sent be read to its end. */
  readonly finishes: boolean
  /** Starts the caller's time limit; `onExpire` gets the reason to stop waiting with. */
  startDeadline(onExpire: (reason: unknown) => void): Deadline
}

/** One request that is under way, and the callers who wait for it. */
export interface InFlightRequest<T> {
  /** Aborts when no caller waits any more. */
  readonly signal: CancellationSignal
  readonly totals: ChargeTotals
  readonly deadline: SharedDeadline
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
      const request = createInFlightRequest(run, () => {
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

/** @param close lets no further caller join */
function createInFlightRequest<T>(
  run: (request: InFlightRequest<T>) => Promise<T>,
  close: () => void,
): InFlightRequest<T> {
  const controller = new LightAbortController()
  const deadlines = new Set<Deadline>()
  let result: Promise<Settled<T>> | undefined
  let isQueued = false
  let isPaid = false

  const request: InFlightRequest<T> = {
    signal: controller,
    totals: createTotals(),
    progress: { isSending: false, isAwaitingState: false, isAbandoned: false },
    deadline: {
      remaining: () => Math.max(0, ...[...deadlines].map((deadline) => deadline.remaining())),
      enterQueue() {
        isQueued = true
        for (const deadline of deadlines) deadline.enterQueue()
      },
      leaveQueue() {
        isQueued = false
        for (const deadline of deadlines) deadline.leaveQueue()
      },
    },
    join({ signal, finishes, startDeadline }) {
      request.progress.isAbandoned = false
      return new Promise((resolve) => {
        const leave = () => {
          deadline.stop()
          deadlines.delete(deadline)
          signal.removeEventListener('abort', onAbort)
        }
        const settle = (settled: Settled<T>) => {
          if (!deadlines.has(deadline) && !isLast) return
          leave()
          const { value, error } = isLast ? { value: undefined, error: reason } : settled
          resolve({ value, error, isPayer: !isPaid })
          isPaid = true
        }
        let isLast = false
        let reason: unknown
        const stopWaiting = (why: unknown) => {
          if (isLast || !deadlines.has(deadline)) return
          leave()
          if (deadlines.size > 0) return resolve({ value: undefined, error: why, isPayer: false })
          if (finishes && signal.aborted && request.progress.isSending) {
            request.progress.isAbandoned = true
            return resolve({ value: undefined, error: why, isPayer: false })
          }
          // The last caller waits for the aborted request to settle, so that the charge is known when it returns.
          isLast = true
          reason = why
          close()
          controller.abort(why)
        }
        const onAbort = () => stopWaiting(signal.reason)
        const deadline = startDeadline(stopWaiting)
        if (isQueued) deadline.enterQueue()
        deadlines.add(deadline)
        signal.addEventListener('abort', onAbort)
        result ??= run(request).then(
          (value) => {
            close()
            return { value, error: undefined }
          },
          (error: unknown) => {
            close()
            return { value: undefined, error }
          },
        )
        result.then(settle)
      })
    },
    async stopAbandoned(reason) {
      if (!request.progress.isAbandoned) return
      close()
      controller.abort(reason)
      await result
    },
  }
  return request
}
