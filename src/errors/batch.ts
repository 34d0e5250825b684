import type { TokenPrice } from '../generated/types.ts'
import { type ErrorDetails, EtnMarketError } from './base.ts'

/** Some chunks of a large `prices.batch` failed. What was paid for is here; ask again for `missing` only. */
export class PartialBatchError extends EtnMarketError {
  override get name(): string {
    return 'PartialBatchError'
  }
  /** The prices that did arrive, in the caller's own spelling; null for a token without a price. */
  readonly prices: Readonly<Record<string, TokenPrice | null>>
  /** Addresses without an answer, in the caller's own spelling. */
  readonly missing: readonly string[]
  /** One error for each chunk that failed. */
  readonly errors: readonly EtnMarketError[]

  constructor(
    message: string,
    details: Omit<ErrorDetails, 'code'> & Pick<PartialBatchError, 'prices' | 'missing' | 'errors'>,
  ) {
    super(message, { ...details, code: 'partial_batch' })
    this.prices = details.prices
    this.missing = details.missing
    this.errors = details.errors
  }
}
