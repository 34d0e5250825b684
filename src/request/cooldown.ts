import { RateLimitError, ServerBusyError } from '../errors/api.ts'
import type { EtnMarketError } from '../errors/base.ts'
import { LEAST_BACKOFF_MS } from './settings.ts'
import type { CooldownScope, Journey } from './types.ts'

/** Who has to wait, and for how long at least. */
export interface Cooldown {
  readonly scope: CooldownScope
  readonly waitMs: number
}

/** Who else has to wait after this error, and for how long; undefined when nobody has. */
export function cooldownOf(error: unknown): Cooldown | undefined {
  if (error instanceof RateLimitError) return { scope: 'key', waitMs: error.retryAfterMs || LEAST_BACKOFF_MS }
  if (error instanceof ServerBusyError && error.retryAfterMs !== undefined) {
    return { scope: 'heavy', waitMs: error.retryAfterMs || LEAST_BACKOFF_MS }
  }
  return undefined
}

/** The error of a call that would have to wait for longer than it may while a refusal lasts, else undefined. */
export function refuseToWait(
  scope: CooldownScope,
  waitMs: number,
  journey: Journey,
  now: number,
): EtnMarketError | undefined {
  const { settings, tally, part } = journey
  if (waitMs <= settings.maxRetryAfterMs && waitMs <= journey.deadlineAt() - now) return undefined
  const Problem = scope === 'heavy' ? ServerBusyError : RateLimitError
  const message = `${part.operation}: the service refused calls like this one for another ${waitMs} ms, longer than it may wait. Nothing was sent; try again then.`
  return new Problem(message, {
    code: scope === 'heavy' ? 'server_busy' : 'rate_limited',
    status: scope === 'heavy' ? 503 : 429,
    retryAfterMs: waitMs,
    operation: part.operation,
    ...tally,
  })
}
