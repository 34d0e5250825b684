import type { TokenPrice } from '../generated/types.ts'
import { type ErrorDetails, EtnMarketError } from './base.ts'

/** Some chunks of a large `prices.batch` failed. `prices` holds what was paid for; call again with `missing` only. */
export class PartialBatchError extends EtnMarketError {
  override get name(): string {
    return 'PartialBatchError'
  }
  /** The prices that arrived, keyed by address as the caller wrote it; null for a token without a price. */
  readonly prices: Readonly<Record<string, TokenPrice | null>>
  /** Addresses without an answer, as the caller wrote them. */
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

  override get retryable(): boolean {
    return this.errors.some(({ retryable }) => retryable)
  }
}
