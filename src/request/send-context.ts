import type { AdmissionControl } from '../concurrency/admission-types.ts'
import type { CancellationSignal } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import type { Usage } from '../credits/usage.ts'
import type { RequestHeaders } from '../transport/request-headers.ts'
import type { Transport } from '../transport/transport.ts'
import type { Emit } from './request-events.ts'

/** The parts of a client that a request passes through. */
export interface SendContext {
  readonly clock: Clock
  readonly budget: SpendingLimit
  readonly usage: Usage
  readonly admission: AdmissionControl
  readonly transport: Transport
  readonly requestHeaders: RequestHeaders
  /** The longest cool-down, in milliseconds; after it one request asks again. */
  readonly maxCooldownMs: number
  /** The most bytes of an answer, decoded. */
  readonly maxResponseBytes: number
  readonly emit: Emit
  /** The key for a request; undefined to send none. */
  apiKey(signal: CancellationSignal): string | undefined | Promise<string | undefined>
  /** The name of a key, which shows nothing of it. */
  keyName(apiKey: string): string
  baseUrl(): string
  /** Records that a request of the client was answered and need not be repeated. */
  recordProgress(): void
  /** How long ago a call of the client was ended early, milliseconds. */
  msSinceEarlyEnd(): number
}
