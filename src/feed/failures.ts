import { isFromElsewhere } from '../errors/api.ts'
import { type EtnMarketError, isEtnMarketError } from '../errors/base.ts'
import type { FeedWatchFailedEvent } from './events.ts'

// What the failure of a request means. Each question has one answer here, which every part of the feed asks for. Errors are told by
// their names, so that those of another copy of the package count.

/** Why no price came. */
export interface Failure {
  readonly error: unknown
  /** Milliseconds until the next attempt. */
  readonly waitMs: number
  readonly transient: boolean
  /** Whether another attempt may be charged and return nothing. Watches then wait for their interval. */
  readonly maybeCharged: boolean
}

/** Consecutive failures, each of them perhaps charged, that are retried as fast as the client retries. */
const MAX_FAST_RETRIES = 2
/** Statuses that the service or a gateway sends for every request alike. */
const SERVICE_WIDE = new Set([408, 429, 502, 503, 504])

/** Refusals of a request whose key and operation are right: its addresses are wrong, unknown or too many. */
const ABOUT_ADDRESSES = new Set([400, 404, 413, 414, 422])
/** Also from a front: the request is too long. */
const TOO_LONG = new Set([413, 414])

const isNamed = (error: unknown, names: RegExp): error is EtnMarketError =>
  isEtnMarketError(error) && names.test(error.name)

/** Whether no request with the same key or client succeeds. */
export function isKeyRefused(error: unknown): error is EtnMarketError {
  const isOfKey = isNamed(error, /^(Authentication|Permission)Error$/) && !isFromElsewhere(error)
  return isOfKey || codeOf(error) === 'client_closed'
}

/** Whether the same request fails again until somebody changes it, the key, the client or a forward proxy. */
export function isRefusal(error: unknown): error is EtnMarketError {
  const names = /^(Authentication|Permission|InvalidRequest|InvalidLimit|NotFound|Api)Error$/
  return isKeyRefused(error) || isNamed(error, names) || (isEtnMarketError(error) && isRefusedByProxy(error))
}

/** Whether a forward proxy wants credentials, or forbids the host. */
const isRefusedByProxy = ({ code, retryable }: EtnMarketError) => code === 'proxy_refused' && !retryable

/** Whether the budget or the account has no credits for the request. */
export function isShortOfCredits(error: unknown): error is EtnMarketError {
  return isNamed(error, /^(BudgetExceeded|InsufficientCredits)Error$/)
}

/** Whether a budget of this process refused the request. */
export function isOverBudget(error: unknown): boolean {
  return isNamed(error, /^BudgetExceededError$/)
}

/** Whether the request was refused because of what it asks for, and not because of who asks. Such an answer is free. */
export function isAboutAddresses(error: unknown): error is EtnMarketError {
  if (!isEtnMarketError(error)) return false
  return (isFromElsewhere(error) ? TOO_LONG : ABOUT_ADDRESSES).has(error.status ?? 0)
}

/** Whether requests for other addresses may succeed. */
export function mayBeCausedByAnAddress(error: unknown): error is EtnMarketError {
  if (!isEtnMarketError(error)) return false
  const { name, code, status = 0 } = error
  if (isAboutAddresses(error)) return true
  if (isFromElsewhere(error)) return false
  if (name === 'ResponseError') return code !== 'invalid_fetch'
  return name === 'ServiceError' && !SERVICE_WIDE.has(status)
}

/** Whether requests of every operation fail for the same reason. */
export function isServiceWide(error: unknown): boolean {
  if (mayBeCausedByAnAddress(error)) return false
  return isNamed(error, /^(Authentication|Permission|RateLimit|ServerBusy|Service|Connection)Error$/)
}

/**
 * A token that the service does not know has no price, and that answer is free. A 404 page that is not from the service
 * (a wrong `baseUrl`, a proxy) says nothing about the token.
 */
export function isUnknownToken(error: unknown): error is EtnMarketError {
  return isNamed(error, /^NotFoundError$/) && !isFromElsewhere(error)
}

export function isUnreadable(error: unknown): error is EtnMarketError {
  return isEtnMarketError(error) && error.charge === 'charged'
}

/** Credits that a failed request was charged; undefined if that is unknown. */
export function creditsChargedBy(error: unknown): number | undefined {
  if (!isEtnMarketError(error) || error.charge === 'unknown') return undefined
  return error.charge === 'charged' ? error.credits : 0
}

/** Whether an attempt soon after this failure, and `failures` before it, may be charged and return nothing. */
export function mayBeChargedAgain(error: unknown, failures: number): boolean {
  const { charge, code } = isEtnMarketError(error) ? error : { charge: 'unknown', code: undefined }
  if (code === 'attempt_timeout' || charge === 'unknown') return failures >= MAX_FAST_RETRIES
  return charge === 'charged'
}

export function codeOf(error: unknown): string {
  return isEtnMarketError(error) ? error.code : 'unknown'
}

export function toWatchFailed(address: string, { code, message }: EtnMarketError): FeedWatchFailedEvent {
  return { type: 'feed.watch_failed', addresses: [address], code, message }
}
