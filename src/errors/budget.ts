import { RateLimitError } from './api.ts'
import { type ErrorDetails, EtnMarketError } from './base.ts'

/** The worst case of a call, or of its next attempt, does not fit what is left of the budget. Nothing more is sent; `charge` says what was. */
export class BudgetExceededError extends EtnMarketError {
  override get name(): string {
    return 'BudgetExceededError'
  }
  /** Worst case that had to fit, in credits. */
  readonly needed: number
  /** Credits that were free. */
  readonly available: number
  /** When the budget's window ends, unix milliseconds; undefined for a budget without a window. */
  readonly resetsAt: number | undefined

  constructor(
    message: string,
    details: Omit<ErrorDetails, 'code'> & { needed: number; available: number; resetsAt: number | undefined },
  ) {
    super(message, { ...details, code: 'budget_exceeded' })
    this.needed = details.needed
    this.available = details.available
    this.resetsAt = details.resetsAt
  }
}

/** What a budget, a fleet or a sweep knows when credits do not fit. */
export interface Shortage {
  /** Such as `budget`. */
  readonly of: string
  readonly limit: number
  readonly needed: number
  readonly available: number
  readonly resetsAt?: number | undefined
  /** What makes it fit. @default more credits, or the next window */
  readonly advice?: string
}

export function budgetExceeded(
  { of, limit, needed, available, resetsAt, advice = adviceUntil(resetsAt) }: Shortage,
  details: Omit<ErrorDetails, 'code'> | undefined,
): BudgetExceededError {
  const { subject, sent } = describeCall(details)
  return new BudgetExceededError(
    `${subject} ${of} has ${available} of ${limit} credits left, but up to ${needed} are needed. ${sent} ${advice}`,
    { ...details, needed, available, resetsAt },
  )
}

const adviceUntil = (resetsAt: number | undefined) =>
  resetsAt === undefined ? 'Allow more credits.' : 'Wait for the next window or allow more credits.'

/** How the message about a call begins, and what it says was sent. */
export function describeCall(details: Pick<ErrorDetails, 'operation' | 'attempts'> | undefined): {
  subject: string
  sent: string
} {
  return {
    subject: details?.operation ? `${details.operation}: the` : 'The',
    sent: details?.attempts ? 'No further request was sent.' : 'Nothing was sent.',
  }
}

/**
 * The state of a store or a fleet could not be read or written before a request was sent. The store or the fleet threw, did not answer in time, holds
 * something else, was never initialized, or has lost a part of its state (the code `state_lost`). Nothing more is sent; `charge` says what was, and
 * `cause` what happened.
 */
export class StateUnavailableError extends EtnMarketError {
  override get name(): string {
    return 'StateUnavailableError'
  }

  constructor(message: string, details: Omit<ErrorDetails, 'code'> & { code?: string | undefined }) {
    super(message, { ...details, code: details.code ?? 'state_unavailable' })
  }
}

/**
 * Carries a failure that concerns the caller who started a shared request, and nobody who has joined it: its own limit, or another
 * request of its batch. Never leaves the library.
 */
export class StarterFailure extends Error {
  /** What the caller who started the request is told. */
  readonly reason: unknown

  constructor(reason: unknown) {
    super('The request ended by the limit of the caller who started it.')
    this.reason = reason
  }
}

/** Whether a code is one of `etn-market/proxy` for a call that does not fit: a cheaper one may, and cached answers always do. */
export const isBudgetCode = (code = ''): boolean => /^(visitor_)?budget_exceeded$/.test(code)

/** Whether a proxy refused a call for its cost: that says nothing about the calls that the service takes. */
export const isBudgetRefusal = (error: unknown): boolean => error instanceof RateLimitError && isBudgetCode(error.code)
