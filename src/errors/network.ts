import { EtnMarketError } from './base.ts'

/** No connection, or it broke before the whole answer arrived. Retried; `charge` is `unknown` when the request may have arrived. */
export class ConnectionError extends EtnMarketError {
  override get name(): string {
    return 'ConnectionError'
  }
  override get retryable(): boolean {
    return true
  }
}

/** One attempt took longer than `timeoutMs` (code `attempt_timeout`, retried), or the call longer than `deadlineMs` (code `deadline_exceeded`). */
export class TimeoutError extends EtnMarketError {
  override get name(): string {
    return 'TimeoutError'
  }
  override get retryable(): boolean {
    return true
  }
}
