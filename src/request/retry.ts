import pRetry from 'p-retry'
import type { Cancel } from '../abort.ts'
import { type Clock, sleep } from '../clock.ts'
import { RateLimitError, ServerBusyError, ServiceError } from '../errors/api.ts'
import { EtnMarketError } from '../errors/base.ts'
import { ConnectionError, TimeoutError } from '../errors/network.ts'
import type { Emit } from '../events.ts'
import { LEAST_BACKOFF_MS } from './settings.ts'
import type { Journey } from './types.ts'

const FACTOR = 2
const CEILING_MS = 8_000
const LONGEST_JITTER_MS = 1_000

export interface RetryPolicy {
  /** Retries after the first attempt. */
  readonly limit: number
  readonly signal: Cancel
  /** Waits before the next attempt, or throws when the wait is not allowed. */
  pause(error: Error, failedAttempt: number): Promise<void>
}

/** Whether another attempt may end better: the connection, the time, or the service failed, not the request. */
function isRetryable(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    (error instanceof TimeoutError && error.code === 'attempt_timeout') ||
    error instanceof RateLimitError ||
    error instanceof ServerBusyError ||
    error instanceof ServiceError
  )
}

/** The wait before the next attempt: what the service asked for with a little more, else full-jitter exponential backoff. */
function waitBeforeRetry(failedAttempt: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs === undefined) return random * Math.min(CEILING_MS, LEAST_BACKOFF_MS * FACTOR ** (failedAttempt - 1))
  const floor = retryAfterFloor(retryAfterMs)
  return floor + random * Math.min(floor / 10, LONGEST_JITTER_MS)
}

/** A `Retry-After` of 0 or in the past is the minimum backoff, so that nothing hammers. */
function retryAfterFloor(retryAfterMs: number): number {
  return retryAfterMs <= 0 ? LEAST_BACKOFF_MS : retryAfterMs
}

/**
 * Waits before the next attempt.
 * @throws the error itself when the wait is longer than the call allows: it is neither shortened nor begun.
 */
export async function pauseBeforeRetry(
  error: Error,
  failedAttempt: number,
  journey: Journey,
  clock: Clock,
  emit: Emit,
): Promise<void> {
  const { settings, signal, part } = journey
  const { retryAfterMs, code } = error instanceof EtnMarketError ? error : { retryAfterMs: undefined, code: '' }
  const waitMs = waitBeforeRetry(failedAttempt, retryAfterMs, clock.random())
  const least = retryAfterMs === undefined ? waitMs : retryAfterFloor(retryAfterMs)
  const left = journey.deadlineAt() - clock.now()
  if (least > left || (retryAfterMs !== undefined && least > settings.maxRetryAfterMs)) throw error
  emit({ type: 'retry.scheduled', operation: part.operation, attempt: failedAttempt, code, waitMs })
  await sleep(clock, Math.min(waitMs, left), signal)
}

/** Attempts until one succeeds, one fails for good, or the limit is reached. Nothing is built for a first attempt that succeeds. */
export async function withRetries<T>(attempt: (number: number) => Promise<T>, policy: RetryPolicy): Promise<T> {
  let first: Error
  try {
    return await attempt(1)
  } catch (error) {
    if (policy.limit === 0 || !(error instanceof Error) || !isRetryable(error)) throw error
    first = error
  }
  await policy.pause(first, 1)
  try {
    return await pRetry((number) => attempt(number + 1), {
      retries: policy.limit - 1,
      // The waits are ours: p-retry adds its own delay to what onFailedAttempt waits.
      minTimeout: 0,
      shouldRetry: ({ error }) => isRetryable(error),
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
        if (retriesLeft > 0 && isRetryable(error)) await policy.pause(error, attemptNumber + 1)
      },
    })
  } catch (error) {
    // p-retry replaces a thrown value that is not an Error, and a signal's reason may be anything.
    if (policy.signal.aborted) throw policy.signal.reason
    throw error
  }
}
