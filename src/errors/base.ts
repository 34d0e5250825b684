import type { OperationId } from '../generated/operations.ts'
import { limitDepth } from '../utils/json-data.ts'
import { isError } from '../utils/runtime.ts'

/**
 * What is known of a charge. `none`: nothing was charged. `charged`: the service charged `credits`. `unknown`: the request may have been charged, and
 * its answer was lost.
 */
export type ChargeState = 'none' | 'charged' | 'unknown'

/** The name of what was called: an operation of the contract, or `request` for `client.request()`. */
export type CallName = OperationId | 'request'

/** One place where a body, or a value that was passed in, does not match the contract. */
export interface Issue {
  /** The path to the value, such as `data.3.symbol`. */
  path: string
  /** What was expected there. */
  message: string
}

const BRAND = Symbol.for('etn-market.error')

/**
 * Creates a copy of an error with other details: each caller who shares a failure gets an error of its own.
 * @internal A member keyed by it in the declarations would make the classes of the ES modules and of CommonJS differ.
 */
export const COPY_WITH: unique symbol = Symbol('copyWith')

const OPTIONAL = ['params', 'shared', 'requestIds', 'status', 'retryAfterMs', 'cachedForMs', 'issues', 'body'] as const

type ErrorFields = Pick<
  EtnMarketError,
  (typeof OPTIONAL)[number] | 'operation' | 'attempts' | 'charge' | 'credits' | 'cause'
>

/** The fields that every error of this library is created with. All but the code may be left out. */
export type ErrorDetails = Pick<EtnMarketError, 'code'> & {
  readonly [Name in keyof ErrorFields]?: ErrorFields[Name] | undefined
}

/** The base class of every error that this library throws. */
export class EtnMarketError extends Error {
  /** The name of the class. */
  override get name(): string {
    return 'EtnMarketError'
  }
  /** What went wrong, in lower case: the service's own code, or one of this library. */
  readonly code: string
  /** What was called, such as `token.price`; undefined when the error concerns no call. */
  readonly operation: CallName | undefined
  /** The parameters of the call, as they were passed in. */
  readonly params?: unknown
  /** HTTP requests that were sent, all retries and chunks together. */
  readonly attempts: number
  /** `unknown` as soon as one attempt may have been charged without an answer. */
  readonly charge: ChargeState
  /** Credits that the call was charged, over all attempts and chunks. */
  readonly credits: number
  /** True when another call shares this failure and pays for it: `credits` is then 0 here. */
  readonly shared?: boolean
  /** The requests of the call, as events name them in `requestId`. */
  readonly requestIds?: readonly string[]
  /** HTTP status of the last answer, where there was one. */
  readonly status?: number
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** How long a cache on the way had kept the answer, by its header `Age`, in milliseconds; undefined without one. */
  readonly cachedForMs?: number
  /** Where a body or an input does not match the contract. */
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
    for (const name of OPTIONAL) Object.assign(this, { [name]: details[name] })
  }

  /** Whether the same call may succeed later without any change: the connection, the time limit or the service failed. */
  get retryable(): boolean {
    return false
  }

  /** @internal */
  get [BRAND](): true {
    return true
  }

  /** The name, the message and every public field, for a log. Errors in `cause` are reduced to name and message. */
  toJSON(): Record<string, unknown> {
    const { name, message, retryable, cause } = this
    const fields = limitDepth({ ...this }) as Record<string, unknown>
    return { ...fields, name, message, retryable, ...(cause !== undefined && { cause: limitDepth(summarize(cause)) }) }
  }

  /** @internal */
  [COPY_WITH](details: Partial<ErrorDetails>): this {
    const Same = this.constructor as new (message: string, details: ErrorDetails) => this
    const copy = new Same(this.message, { ...this, cause: this.cause, ...details })
    if (this.stack !== undefined) copy.stack = this.stack
    return copy
  }
}

function summarize(cause: unknown): unknown {
  return isError(cause) ? { name: cause.name, message: cause.message } : cause
}

/**
 * Whether a caught value is an error of this library, also one from another copy of the package.
 * @example try { await client.etn.price() } catch (error) { if (isEtnMarketError(error)) console.error(error.code, error.credits) }
 */
export function isEtnMarketError(value: unknown): value is EtnMarketError {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true
}
