import type { TokenPrice } from '../generated/types.ts'
import { type ErrorDetails, EtnMarketError } from './base.ts'

/** The service answered with an error status. */
export class ApiError extends EtnMarketError {
  override get name(): string {
    return 'ApiError'
  }
}

/** 401: the key is missing or unknown. Not retried. */
export class AuthenticationError extends ApiError {
  override get name(): string {
    return 'AuthenticationError'
  }
}

/** 403: the key has no permission. Not retried. */
export class PermissionError extends ApiError {
  override get name(): string {
    return 'PermissionError'
  }
}

/** The key has too few credits; nothing was executed and nothing charged. Not retried. */
export class InsufficientCreditsError extends ApiError {
  override get name(): string {
    return 'InsufficientCreditsError'
  }
}

/** 404: no such token, collection or pool; with code `front_error`, something in front of the service answered. Not retried. */
export class NotFoundError extends ApiError {
  override get name(): string {
    return 'NotFoundError'
  }
}

/**
 * 429: too many calls with this key. Retried after `Retry-After`; until then every call with the key waits. In a page without a key, the codes
 * `visitor_budget_exceeded` and `budget_exceeded` of `etn-market/proxy` hold up no other call, because another call may be cheaper, or cached.
 */
export class RateLimitError extends ApiError {
  override get name(): string {
    return 'RateLimitError'
  }
  override get retryable(): boolean {
    return true
  }
}

/** 503 `server_busy`: the heavy routes are at their limit. Retried after `Retry-After`; until then every heavy call waits. */
export class ServerBusyError extends ApiError {
  override get name(): string {
    return 'ServerBusyError'
  }
  override get retryable(): boolean {
    return true
  }
}

/** 408 or any other 5xx, from the service or from a gateway in front of it. Retried. */
export class ServiceError extends ApiError {
  override get name(): string {
    return 'ServiceError'
  }
  override get retryable(): boolean {
    return true
  }
}

/**
 * No connection, or it broke before the whole answer arrived. Retried; `charge` is `unknown` if the request may have arrived. The code
 * `proxy_refused` means that a forward proxy opened no tunnel: `status` is the proxy's, nothing was sent, and 403 and 407 are not retried.
 */
export class ConnectionError extends EtnMarketError {
  override get name(): string {
    return 'ConnectionError'
  }
  override get retryable(): boolean {
    return this.code !== 'proxy_refused' || (this.status !== 403 && this.status !== 407)
  }
}

/** One attempt took longer than `timeoutMs` (code `attempt_timeout`, retried), or the call longer than `deadlineMs` (code `deadline_exceeded`). */
export class TimeoutError extends EtnMarketError {
  override get name(): string {
    return 'TimeoutError'
  }
  override get retryable(): boolean {
    return true
  }
}

/**
 * A success that is not what the contract says: not JSON, without `data`, larger than `maxResponseBytes`, a web page (`not_the_service`), or, with
 * `validate: 'strict'`, of another shape. It was paid for, or may have been: `charge` says which. It is never retried, and `body` holds what came.
 */
export class ResponseError extends EtnMarketError {
  override get name(): string {
    return 'ResponseError'
  }
}

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

/** Whether a page host, a forward proxy or something else before the service answered: that says nothing about the key or an address. */
export const isFromElsewhere = ({ code }: Pick<EtnMarketError, 'code'>): boolean =>
  code === 'front_error' || code === 'not_the_service' || code === 'proxy_refused'

/** Whether every further call with the same key fails in the same way: the key is missing, is refused, or has no credits left. */
export const isFinalForKey = (error: Pick<EtnMarketError, 'name' | 'code' | 'status'>): boolean =>
  !isFromElsewhere(error) &&
  (error.name === 'InsufficientCreditsError' ||
    error.code === 'api_key_missing' ||
    error.status === 401 ||
    error.status === 402 ||
    error.status === 403)
