import type { CancellationSignal } from './cancellation.ts'

/** Gives a slot back. A second call does nothing. */
export type Release = () => void

/** At most `size` holders at a time, first come first served. */
export class Semaphore {
  readonly #size: number
  readonly #queue = new WaitQueue(() => this.#admit())
  #held = 0
  #arrivals = 0

  constructor(size: number) {
    this.#size = size
  }

  /** Whether a slot is free and nobody waits for it. */
  get isAvailable(): boolean {
    return this.#held < this.#size && this.#queue.isEmpty
  }

  tryAcquire(): Release | undefined {
    return this.isAvailable ? this.#hold() : undefined
  }

  /** @throws the signal's reason when it aborts first */
  acquire(signal: CancellationSignal): Promise<Release> {
    return this.acquireWith(signal, ++this.#arrivals, () => true) as Promise<Release>
  }

  /**
   * As `acquire`, for a caller that needs more than the slot. When it is its turn, `claim` takes the rest; if it returns false,
   * the turn goes to the next, and the promise resolves with undefined.
   * @param arrival the number of the caller in the order of arrival
   */
  acquireWith(signal: CancellationSignal, arrival: number, claim: () => boolean): Promise<Release | undefined> {
    const waiting = this.#queue.wait({ signal, arrival }, () => (claim() ? this.#hold() : undefined))
    this.#admit()
    return waiting
  }

  #hold(): Release {
    this.#held++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#held--
      this.#admit()
    }
  }

  #admit(): void {
    while (this.#held < this.#size && this.#queue.enterNext()) {}
  }
}

/** What a request that waits says of itself. */
export interface QueuedRequest {
  readonly signal: CancellationSignal
  /** Its number in the order of arrival, which it keeps when it comes back. */
  readonly arrival: number
}

interface Waiter<Request> {
  readonly request: Request
  enter(): void
  reject(reason: unknown): void
}

/** Those who wait, in the order of arrival. */
export class WaitQueue<Request extends QueuedRequest> {
  #waiters: Waiter<Request>[] = []
  readonly #onAbort: () => void

  /** @param onAbort called after a request has left because its signal aborted */
  constructor(onAbort: () => void) {
    this.#onAbort = onAbort
  }

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** Resolves with what `enter` returns when it is the turn of the request. @throws the signal's reason when it aborts first */
  wait<T>(request: Request, enter: () => T): Promise<T> {
    const { signal } = request
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const leave = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        signal.removeEventListener('abort', onAbort)
      }
      const waiter: Waiter<Request> = {
        request,
        enter() {
          leave()
          resolve(enter())
        },
        reject(reason) {
          leave()
          reject(reason)
        },
      }
      const onAbort = () => {
        waiter.reject(signal.reason)
        this.#onAbort()
      }
      signal.addEventListener('abort', onAbort)
      const before = this.#waiters.findLastIndex((other) => other.request.arrival <= request.arrival)
      this.#waiters.splice(before + 1, 0, waiter)
    })
  }

  /** Lets the first enter. False where nobody waits. */
  enterNext(): boolean {
    const [next] = this.#waiters
    next?.enter()
    return next !== undefined
  }

  /** Rejects those for whom there is an error. */
  rejectWith(errorOf: (request: Request) => Error | undefined): void {
    for (const { request, reject } of [...this.#waiters]) {
      const error = errorOf(request)
      if (error !== undefined) reject(error)
    }
  }
}
