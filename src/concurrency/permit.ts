import type { CancellationSignal } from './cancellation.ts'

/** How a permitted request ended. `lost`: its answer did not arrive, so it may have been refused. `unused`: it was never sent. */
export type PermitResult = 'succeeded' | 'failed' | 'lost' | 'unused'

/** Permission to send one request. Only the first call of `end()` or `refuse()` counts. */
export interface Permit {
  /** False when the breaker has opened since: the request must not be sent. */
  isCurrent(): boolean
  end(result: PermitResult): void
  /** The service refused the request: opens the breaker for this long, or longer after several refusals, and returns for how long. */
  refuse(forMs: number): number
}

export interface PermitRequest {
  readonly signal: CancellationSignal
  /** Its number in the order of arrival. */
  readonly arrival: number
  /** The error to reject with when the wait is longer than the request allows. */
  rejectWait(waitMs: number): Error | undefined
}
