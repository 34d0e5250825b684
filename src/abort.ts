/** What the library needs of an AbortSignal; a real one will do. */
export interface Cancel {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * An AbortController for use inside: every call needs two, and real ones are among the dearest things that a call makes.
 * A class, because closures would be made anew for each.
 */
export class Canceller implements Cancel {
  aborted = false
  reason: unknown = undefined
  /** Most have no more than one, and a set for it would be larger than all the rest. */
  #listener: (() => void) | undefined
  #others: Set<() => void> | undefined

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const [first, others] = [this.#listener, this.#others]
    this.#listener = undefined
    this.#others = undefined
    first?.()
    for (const listener of others ?? []) listener()
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === undefined) this.#listener = listener
    else {
      this.#others ??= new Set()
      this.#others.add(listener)
    }
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined
    else this.#others?.delete(listener)
  }
}

/** The work's own end, or the reason as soon as it is cancelled; what the work does later is nobody's business. */
export function orAborted<T>(work: Promise<T>, cancel: Cancel): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel.removeEventListener('abort', onAbort)
      reject(cancel.reason)
    }
    if (cancel.aborted) onAbort()
    else cancel.addEventListener('abort', onAbort)
    work.then(
      (value) => {
        cancel.removeEventListener('abort', onAbort)
        resolve(value)
      },
      (error) => {
        cancel.removeEventListener('abort', onAbort)
        reject(error)
      },
    )
  })
}
