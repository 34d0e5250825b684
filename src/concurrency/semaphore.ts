import type { CancellationSignal } from './cancellation.ts'

/** Gives a slot back. A second call does nothing. */
export type Release = () => void

/** At most `size` holders at a time, first come first served. */
export interface Semaphore {
  /** Whether a slot is free and nobody waits for it. */
  readonly isAvailable: boolean
  tryAcquire(): Release | undefined
  /** @throws the signal's reason when it aborts first */
  acquire(signal: CancellationSignal): Promise<Release>
  /**
   * As `acquire`, for a caller that needs more than the slot. When it is its turn, `claim` takes the rest; if it returns false,
   * the turn goes to the next, and the promise resolves with undefined.
   * @param arrival the number of the caller in the order of arrival
   */
  acquireWith(signal: CancellationSignal, arrival: number, claim: () => boolean): Promise<Release | undefined>
}

export function createSemaphore(size: number): Semaphore {
  const queue = createWaitQueue<() => void>()
  let held = 0
  let arrivals = 0

  function hold(): Release {
    held++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      held--
      admit()
    }
  }

  function admit(): void {
    for (let enter = queue.first(); enter !== undefined && held < size; enter = queue.first()) enter()
  }

  const isAvailable = () => held < size && queue.size === 0
  const tryAcquire = () => (isAvailable() ? hold() : undefined)

  const acquireWith: Semaphore['acquireWith'] = (signal, arrival, claim) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        queue.remove(enter)
        signal.removeEventListener('abort', onAbort)
      }
      const enter = () => {
        leave()
        resolve(claim() ? hold() : undefined)
      }
      const onAbort = () => {
        leave()
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort)
      queue.enqueue(enter, arrival)
      admit()
    })

  return {
    get isAvailable() {
      return isAvailable()
    },
    tryAcquire,
    acquireWith,
    acquire: (signal) => acquireWith(signal, ++arrivals, () => true) as Promise<Release>,
  }
}

/** A queue in the order of arrival. Items that come back keep their place. */
export interface WaitQueue<T> {
  readonly size: number
  /** @param arrival the number of the item in the order of arrival */
  enqueue(item: T, arrival: number): void
  remove(item: T): void
  first(): T | undefined
  all(): T[]
}

export function createWaitQueue<T>(): WaitQueue<T> {
  let arrivals = new Map<T, number>()
  let latest = Number.NEGATIVE_INFINITY
  let isSorted = true

  function sorted(): Map<T, number> {
    if (!isSorted) arrivals = new Map([...arrivals].sort(([, one], [, other]) => one - other))
    isSorted = true
    return arrivals
  }

  return {
    get size() {
      return arrivals.size
    },
    enqueue(item, arrival) {
      if (arrivals.size === 0) latest = arrival
      if (arrival < latest) isSorted = false
      else latest = arrival
      arrivals.set(item, arrival)
    },
    remove(item) {
      arrivals.delete(item)
    },
    first() {
      const [first] = sorted().keys()
      return first
    },
    all: () => [...sorted().keys()],
  }
}
