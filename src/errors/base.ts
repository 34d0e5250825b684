import type { OperationId } from '../generated/operations.ts'

/** What is known of the charge of a call: nothing was charged, something was, or the answer that would tell got lost. */
export type ChargeState = 'none' | 'charged' | 'unknown'

/** One place where a body, or a value handed in, is not what the contract says. */
export interface Issue {
  /** Where, such as `data.3.symbol`. */
  path: string
  /** What was expected there. */
  message: string
}

/** What every error of this library is made from. */
export interface ErrorDetails {
  code: string
  operation?: OperationId | undefined
  attempts?: number
  charge?: ChargeState
  credits?: number
  status?: number | undefined
  retryAfterMs?: number | undefined
  issues?: readonly Issue[] | undefined
  body?: unknown
  cause?: unknown
}

const BRAND = Symbol.for('etn-market.error')

/** The base of every error that this library makes. */
export class EtnMarketError extends Error {
  override get name(): string {
    return 'EtnMarketError'
  }
  /** What went wrong, in lower case: the service's own code, or one of this library's. */
  readonly code: string
  /** The operation that failed, such as `token.price`; undefined when there was none yet. */
  readonly operation: OperationId | undefined
  /** Requests that were sent, all retries and chunks together. */
  readonly attempts: number
  /** `unknown` as soon as any attempt may have been charged without telling. */
  readonly charge: ChargeState
  /** Credits that the call is known to have been charged, over all attempts and chunks. */
  readonly credits: number
  /** HTTP status of the last answer, where there was one. */
  readonly status?: number
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** Where a body or an input is not what the contract says. */
  readonly issues?: readonly Issue[]
  /** The body of the answer: parsed when it was JSON, else its text. */
  readonly body?: unknown

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.operation = details.operation
    this.attempts = details.attempts ?? 0
    this.charge = details.charge ?? 'none'
    this.credits = details.credits ?? 0
    if (details.status !== undefined) this.status = details.status
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs
    if (details.issues !== undefined) this.issues = details.issues
    if (details.body !== undefined) this.body = details.body
  }

  get [BRAND](): true {
    return true
  }
}

/**
 * Whether a caught value is an error of this library, also one from another copy of the package.
 * @example try { await client.etn.price() } catch (error) { if (isEtnMarketError(error)) console.error(error.code, error.credits) }
 */
export function isEtnMarketError(value: unknown): value is EtnMarketError {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true
}
