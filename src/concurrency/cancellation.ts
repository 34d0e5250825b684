import { namedError } from '../utils/runtime.ts'

/** The part of `AbortSignal` that the library uses; a real one fits. */
export interface CancellationSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** An `AbortController` that is its own signal, for internal use: each call needs two. */
export class LightAbortController implements CancellationSignal {
  aborted = false
  reason: unknown = undefined
  /** Replaced, never changed: most have one, and a Set for it would be 4 % of what a call allocates. */
  #listeners: readonly (() => void)[] = []

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    for (const listener of this.#listeners) listener()
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = [...this.#listeners, listener]
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener)
  }
}

type CallerSignal = Pick<AbortSignal, 'aborted'> & Partial<Pick<AbortSignal, 'reason'>>

/** Why a signal of a caller has aborted: polyfills and older runtimes give no reason. */
export function abortReason(signal: CallerSignal | undefined): unknown {
  const reason: unknown = signal?.reason
  return reason === undefined ? namedError('AbortError', 'The operation was aborted.') : reason
}

/** @throws the reason of a signal of a caller that has aborted; polyfills and older runtimes have no such method */
export function throwIfAborted(signal: CallerSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal)
}

/** Settles as `work` does, or rejects with the reason as soon as the signal aborts; the result of `work` is then ignored. */
export function raceWithAbort<T>(work: Promise<T>, signal: CancellationSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = () => signal.removeEventListener('abort', onAbort)
    const onAbort = () => {
      stopListening()
      reject(signal.reason)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
    work.then(resolve, reject).finally(stopListening)
  })
}

/**
 * Adds one listener to each signal, however many callbacks it has: programs share one signal between many calls, and Node
 * prints a warning from the eleventh listener on.
 */
export function createAbortListeners() {
  const shared = new WeakMap<AbortSignal, ReturnType<typeof createCallbacks>>()
  /** Returns a function that stops listening. */
  return (signal: AbortSignal, callback: () => void): (() => void) => {
    const own = shared.get(signal) ?? createCallbacks()
    shared.set(signal, own)
    const { callbacks, onAbort } = own
    if (callbacks.size === 0) signal.addEventListener('abort', onAbort)
    callbacks.add(callback)
    return () => {
      callbacks.delete(callback)
      if (callbacks.size === 0) signal.removeEventListener('abort', onAbort)
    }
  }
}

function createCallbacks() {
  const callbacks = new Set<() => void>()
  const onAbort = () => {
    // A copy, because callbacks may stop listening while they are called.
    for (const callback of [...callbacks]) callback()
  }
  return { callbacks, onAbort }
}
