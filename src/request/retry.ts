import type { EtnMarketError } from '../errors/base.ts'
import { addJitter } from '../transport/retry-after.ts'
import { exponentialBackoff } from '../utils/time-units.ts'

/** The shortest wait after a refusal that asks for none, and the base of the exponential backoff. */
export const MIN_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 8_000

export interface RetryState {
  /** The attempt that failed, 1 for the first. */
  readonly attempt: number
  readonly remainingMs: number
  readonly maxRetryAfterMs: number
  readonly random: number
}

/**
 * The wait before the next attempt in milliseconds: `Retry-After` with a little added, else full-jitter exponential backoff.
 * Undefined when the wait is longer than the call allows: such a wait is not shortened.
 */
export function retryDelay({ retryAfterMs }: EtnMarketError, state: RetryState): number | undefined {
  const { attempt, remainingMs, maxRetryAfterMs, random } = state
  if (retryAfterMs === undefined) {
    const backoffMs = random * exponentialBackoff(attempt - 1, MIN_BACKOFF_MS, MAX_BACKOFF_MS)
    return backoffMs > remainingMs ? undefined : backoffMs
  }
  const floorMs = retryAfterMs || MIN_BACKOFF_MS
  if (floorMs > remainingMs || floorMs > maxRetryAfterMs) return undefined
  return Math.min(remainingMs, addJitter(floorMs, random))
}
