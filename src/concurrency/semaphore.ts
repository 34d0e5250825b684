import type { CancellationSignal } from './cancellation.ts'
import { createWaitQueue } from './wait-queue.ts'

/** Gives a slot back. A second call does nothing. */
export type Release = () => void

/** At most `size` holders at a time, first come first served. */
export interface Semaphore {
  /** A slot, if one is free and nobody waits for it. */
  tryAcquire(): Release | undefined
  /**
   * Waits for a slot. A caller that gave its slot back unused passes `isReturning` and goes before those that had none yet.
   * @throws the signal's reason when it aborts first
   */
  acquire(signal: CancellationSignal, isReturning?: boolean): Promise<Release>
}

export function createSemaphore(size: number): Semaphore {
  const queue = createWaitQueue<() => void>()
  let held = 0

  function hold(): Release {
    held++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      held--
      queue.first()?.()
    }
  }

  const tryAcquire = () => (held < size && queue.size === 0 ? hold() : undefined)

  return {
    tryAcquire,
    acquire(signal, isReturning = false) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const release = tryAcquire()
        if (release !== undefined) return resolve(release)
        const leave = () => {
          queue.remove(enter)
          signal.removeEventListener('abort', onAbort)
        }
        const enter = () => {
          leave()
          resolve(hold())
        }
        const onAbort = () => {
          leave()
          reject(signal.reason)
        }
        queue.enqueue(enter, isReturning)
        signal.addEventListener('abort', onAbort)
      })
    },
  }
}
