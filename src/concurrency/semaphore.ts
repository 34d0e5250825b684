import type { CancellationSignal } from './cancellation.ts'

/** Gives a slot back. A second call does nothing. */
export type Release = () => void

/** At most `size` holders at a time, first come first served. */
export class Semaphore {
  readonly size: number
  /** Those who wait, in the order of arrival. Nobody does while a slot is free. */
  readonly #waiting = new Set<() => void>()
  #held = 0

  constructor(size: number) {
    this.size = size
  }

  /** Undefined when no slot is free. */
  tryAcquire(): Release | undefined {
    return this.#held < this.size ? this.#hold() : undefined
  }

  /** @throws the signal's reason when it aborts first */
  async acquire(signal: CancellationSignal): Promise<Release> {
    signal.throwIfAborted()
    return this.tryAcquire() ?? this.#wait(signal)
  }

  #wait(signal: CancellationSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(enter)
        signal.removeEventListener('abort', onAbort)
      }
      const enter = () => {
        leave()
        resolve(this.#hold())
      }
      const onAbort = () => {
        leave()
        reject(signal.reason)
      }
      this.#waiting.add(enter)
      signal.addEventListener('abort', onAbort)
    })
  }

  #hold(): Release {
    this.#held++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#held--
      const [next] = this.#waiting
      next?.()
    }
  }
}
