import type { CooldownScope } from '../concurrency/admission-types.ts'
import { RateLimitError, ServerBusyError } from '../errors/api.ts'
import { EtnMarketError } from '../errors/base.ts'
import { addJitter, exponentialBackoff } from '../utils/time-units.ts'

/** The shortest wait after a refusal that asks for none, and the base of the exponential backoff. */
const MIN_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 8_000

interface RetryState {
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
  // What is added leaves half of the remaining time to the attempt.
  return Math.min(addJitter(floorMs, random), (floorMs + remainingMs) / 2)
}

/** Which calls are held back after this error, and for how long: all of a key after a 429, heavy ones after a 503 that says how long. */
export function cooldownOf(
  error: unknown,
  maxRetryAfterMs: number,
): { scope: CooldownScope; waitMs: number } | undefined {
  const wait = (ms: number | undefined) => Math.min(ms || MIN_BACKOFF_MS, Math.max(MIN_BACKOFF_MS, maxRetryAfterMs))
  // Also of an answer that is too large. The status of a forward proxy is none of the service's.
  if (error instanceof EtnMarketError && error.status === 429 && error.code !== 'proxy_refused')
    return { scope: 'key', waitMs: wait(error.retryAfterMs) }
  if (error instanceof ServerBusyError && error.retryAfterMs !== undefined)
    return { scope: 'heavy', waitMs: wait(error.retryAfterMs) }
  return undefined
}

/** The error of a call that may not wait as long as a cool-down lasts, else undefined. */
export function cooldownError(
  scope: CooldownScope,
  waitMs: number,
  { remainingMs, maxRetryAfterMs }: Pick<RetryState, 'remainingMs' | 'maxRetryAfterMs'>,
  operation: EtnMarketError['operation'],
): EtnMarketError | undefined {
  if (waitMs <= maxRetryAfterMs && waitMs < remainingMs) return undefined
  const Problem = scope === 'heavy' ? ServerBusyError : RateLimitError
  return new Problem(
    `${operation}: the service refuses such calls for another ${Math.ceil(waitMs)} ms, longer than this call may wait. No request was sent; try again then.`,
    {
      operation,
      code: scope === 'heavy' ? 'server_busy' : 'rate_limited',
      status: scope === 'heavy' ? 503 : 429,
      retryAfterMs: waitMs,
    },
  )
}
