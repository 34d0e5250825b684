/** The part of `AbortSignal` that the library uses; a real one fits. */
export interface CancellationSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** An `AbortController` for internal use: each call needs two, and a real one costs several microseconds. */
export class LightAbortController implements CancellationSignal {
  aborted = false
  reason: unknown = undefined
  /** Most have one: a set for each takes 200 bytes. */
  #first: (() => void) | undefined
  #others: Set<() => void> | undefined

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    // A copy, because listeners may be removed while they are called.
    for (const listener of [this.#first, ...(this.#others ?? [])]) listener?.()
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#first || this.#others) this.#others = (this.#others ?? new Set()).add(listener)
    else this.#first = listener
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#first === listener) this.#first = undefined
    this.#others?.delete(listener)
  }
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
    work.then(
      (value) => {
        stopListening()
        resolve(value)
      },
      (error) => {
        stopListening()
        reject(error)
      },
    )
  })
}
