import type { CooldownScope } from '../concurrency/admission-types.ts'
import { RateLimitError, ServerBusyError } from '../errors/api.ts'
import { EtnMarketError } from '../errors/base.ts'
import { MIN_BACKOFF_MS, type RetryState } from './retry.ts'

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
