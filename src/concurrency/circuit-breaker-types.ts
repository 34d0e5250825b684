import type { Permit, PermitRequest } from './permit.ts'

/**
 * Closed, it permits every request. Open, it permits none until the time is over; then it is half open: one request goes
 * first as a probe, and each success permits one more at a time. It closes when nobody waits and no refusal is recent.
 */
export interface CircuitBreaker {
  /** Whether a request is permitted now and nobody waits. */
  readonly isAvailable: boolean
  tryAcquire(): Permit | undefined
  /** @throws the signal's reason, or the error of `rejectWait` */
  acquire(request: PermitRequest): Promise<Permit>
  /**
   * As `acquire`, for a request that needs more than the permit. When it is its turn, `claim` takes the rest; if it returns
   * false, the turn goes to the next, and the promise resolves with undefined.
   */
  acquireWith(request: PermitRequest, claim: () => boolean): Promise<Permit | undefined>
  /** Opens it for this long, or longer where it is open already, without a refusal of its own. */
  hold(forMs: number): void
  /** The error of `rejectWait` for the time that is left until a request may be permitted, if there is one. */
  waitError(request: Pick<PermitRequest, 'rejectWait'>): Error | undefined
  /** Calls back each time when it opens; returns a function that stops that. */
  onOpen(callback: () => void): () => void
  /** Closed, with no request in flight: nothing is lost when it is forgotten. */
  readonly isIdle: boolean
}
