import { EtnMarketError } from './base.ts'

/**
 * A success that is not what the contract says: not JSON, without `data`, or, with `validate: 'strict'`, of another shape.
 * It was paid for, so it is never retried, and `body` holds what came.
 */
export class ResponseError extends EtnMarketError {
  override get name(): string {
    return 'ResponseError'
  }
}
