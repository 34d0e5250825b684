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
  #listeners: Set<() => void> | undefined

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = this.#listeners ?? []
    this.#listeners = undefined
    for (const listener of listeners) listener()
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
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
