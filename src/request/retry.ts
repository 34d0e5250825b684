import { type Clock, sleep } from '../clock.ts'
import { RateLimitError, ServerBusyError, ServiceError } from '../errors/api.ts'
import type { EtnMarketError } from '../errors/base.ts'
import { ConnectionError, TimeoutError } from '../errors/network.ts'
import type { Emit } from '../events.ts'
import { LEAST_BACKOFF_MS } from './settings.ts'
import type { Journey } from './types.ts'

const FACTOR = 2
const CEILING_MS = 8_000
const LONGEST_JITTER_MS = 1_000

/** Whether another attempt may end better: the connection, the time, or the service failed, not the request. */
export function isRetryable(error: unknown): error is EtnMarketError {
  return (
    error instanceof ConnectionError ||
    (error instanceof TimeoutError && error.code === 'attempt_timeout') ||
    error instanceof RateLimitError ||
    error instanceof ServerBusyError ||
    error instanceof ServiceError
  )
}

/**
 * Waits before the next attempt: what the service asked for with a little more, else full-jitter exponential backoff.
 * @throws the error itself when the wait is longer than the call allows: it is neither shortened nor begun.
 */
export async function pauseBeforeRetry(
  error: EtnMarketError,
  failedAttempt: number,
  journey: Journey,
  clock: Clock,
  emit: Emit,
): Promise<void> {
  const { settings, signal, part } = journey
  const { retryAfterMs, code } = error
  // A 0, or a moment in the past, is the minimum backoff, so that nothing hammers.
  const asked = retryAfterMs === 0 ? LEAST_BACKOFF_MS : retryAfterMs
  const spread =
    asked === undefined
      ? Math.min(CEILING_MS, LEAST_BACKOFF_MS * FACTOR ** (failedAttempt - 1))
      : Math.min(asked / 10, LONGEST_JITTER_MS)
  const waitMs = (asked ?? 0) + clock.random() * spread
  const least = asked ?? waitMs
  const left = journey.deadlineAt() - clock.now()
  if (least > left || (asked !== undefined && asked > settings.maxRetryAfterMs)) throw error
  emit({ type: 'retry.scheduled', operation: part.operation, attempt: failedAttempt, code, waitMs })
  await sleep(clock, Math.min(waitMs, left), signal)
}
