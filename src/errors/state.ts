import { type ErrorDetails, EtnMarketError } from './base.ts'

/**
 * A store or a fleet whose state must be read or written before a request is sent failed: it threw, did not answer in time, holds
 * something else, or was never initialized. Nothing more is sent; `charge` says what was, and `cause` what happened.
 */
export class StateUnavailableError extends EtnMarketError {
  override get name(): string {
    return 'StateUnavailableError'
  }

  constructor(message: string, details: Omit<ErrorDetails, 'code'>) {
    super(message, { ...details, code: 'state_unavailable' })
  }
}
