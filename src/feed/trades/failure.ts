import { type EtnMarketError, isEtnMarketError } from '../../errors/base.ts'
import type { FeedTradesFailedEvent } from '../events.ts'
import type { Failure } from '../prices/tracked-price.ts'

/** Credits that a failed request was charged; undefined if that is unknown. */
export function chargedBy(error: unknown): number | undefined {
  if (!isEtnMarketError(error) || error.charge === 'unknown') return undefined
  return error.charge === 'charged' ? error.credits : 0
}

/** Whether an answer was paid for and cannot be read. The next one may be readable. */
export function isUnreadable(error: unknown): error is EtnMarketError {
  return isEtnMarketError(error) && error.charge === 'charged'
}

/** Whether the same request may succeed later without any change. */
export function canRetry(error: unknown, { transient }: Failure): boolean {
  const isShortOfCredits = isEtnMarketError(error) && /^(BudgetExceeded|InsufficientCredits)Error$/.test(error.name)
  return transient || isShortOfCredits
}

export function toFailedEvent(
  { code, message, credits }: EtnMarketError,
  token: string | undefined,
  retryAt: number,
): FeedTradesFailedEvent {
  return { type: 'feed.trades_failed', token, code, message, credits, retryAt }
}
