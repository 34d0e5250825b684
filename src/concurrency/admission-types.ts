import type { EtnMarketError } from '../errors/base.ts'
import type { CancellationSignal } from './cancellation.ts'

/** Which calls a refusal affects: all heavy calls of the client, or all calls with the key. */
export type CooldownScope = 'heavy' | 'key'

export interface AdmissionRequest {
  readonly isHeavy: boolean
  readonly apiKey: string
  readonly signal: CancellationSignal
  /** Its number in the order of arrival, which it keeps when it is retried. */
  readonly arrival: number
  /** The error to reject with when a cool-down lasts longer than the call may wait. */
  rejectWait(scope: CooldownScope, waitMs: number): EtnMarketError | undefined
  /** Whether it waits for one of the client's own slots: its deadline then stands still as long as other requests make progress. */
  setQueued(isQueued: boolean): void
  recordProgress(): void
  /** Waits for a fleet. A deadline that passes meanwhile is a failure of the fleet, not of the service. */
  awaitState<T>(work: Promise<T>): Promise<T>
}

/** Permission to send one request. Only the first `end()` or `refuse()` counts; it gives back everything that is held. */
export interface Admission {
  readonly hasWaited: boolean
  /** False when a cool-down has started since: the request must not be sent. */
  isCurrent(): boolean
  end(result: PermitResult): void
  /** The service refused the request: starts a cool-down for the affected calls and returns its length in ms. */
  refuse(scope: CooldownScope, waitMs: number): number
}

/** Decides when a request may be sent: two heavy ones at a time, none while the service is busy or the key is refused. */
export interface AdmissionControl {
  nextArrival(): number
  /** A promise where the request has to wait. */
  admit(request: AdmissionRequest): Admission | Promise<Admission>
}

/** The admission control of one process, which can learn of refusals that others met. */
export interface LocalAdmissionControl extends AdmissionControl {
  /** Starts a cool-down, or makes one longer, without a refusal. */
  hold(scope: CooldownScope, apiKey: string, forMs: number): void
}

/** How a permitted request ended. `lost`: its answer did not arrive, so it may have been refused. `unused`: it was never sent. */
export type PermitResult = 'succeeded' | 'failed' | 'lost' | 'unused'
