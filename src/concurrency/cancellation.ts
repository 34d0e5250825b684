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
  /** Most have one listener, which needs no set: 200 bytes each. */
  #first: (() => void) | undefined
  #more: Set<() => void> | undefined

  /** It is its own signal. */
  get signal(): CancellationSignal {
    return this
  }

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const first = this.#first
    const more = this.#more
    this.#first = undefined
    this.#more = undefined
    first?.()
    if (more !== undefined) for (const listener of more) listener()
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#first === undefined && this.#more === undefined) this.#first = listener
    else if (this.#first !== listener) {
      this.#more ??= new Set()
      this.#more.add(listener)
    }
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#first === listener) this.#first = undefined
    else this.#more?.delete(listener)
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
