import { type CallName, COPY_WITH, EtnMarketError } from '../errors/base.ts'
import { TimeoutError } from '../errors/network.ts'
import { DEADLINE_EXCEEDED } from './deadline-exceeded.ts'
import type { ChargeTotals } from './types.ts'

/** Where a call was made: the part of its stack below the client. */
export interface CallSite {
  stack?: string
}

/** What every error of a call states. */
export interface CallDetails {
  readonly operation: CallName
  readonly params: unknown
  readonly requestIds: readonly string[]
  readonly deadlineMs: number
}

/** Notes the caller's stack. V8 formats it only when an error needs it. */
export function captureCallSite(below: (...args: never[]) => unknown): CallSite {
  const site: CallSite = {}
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, below: unknown) => void }
  captureStackTrace?.(site, below)
  return site
}

/**
 * The error of one caller: a copy with the credits of that caller's call. The reasons of signals are returned as they are.
 * @param isShared another caller pays for the request, and has its credits on the error
 */
export function toCallError(error: unknown, details: CallDetails, totals: ChargeTotals, isShared = false): unknown {
  const { operation, params, requestIds, deadlineMs } = details
  const known = error === DEADLINE_EXCEEDED ? deadlineError(operation, deadlineMs, totals.attempts) : error
  if (!(known instanceof EtnMarketError)) return known
  const { attempts } = totals
  const paid = isShared
    ? { charge: 'none', credits: 0, shared: true }
    : { charge: totals.charge, credits: totals.credits }
  return known[COPY_WITH]({
    operation,
    params,
    requestIds,
    attempts,
    ...(paid as Pick<EtnMarketError, 'charge' | 'credits'>),
  })
}

/** Appends the caller's own lines to the stack of an error, where they are missing. */
export function appendCallSite(error: unknown, site: CallSite): void {
  if (!(error instanceof EtnMarketError) || typeof error.stack !== 'string') return
  const [, ...lines] = (site.stack ?? '').split('\n')
  const [first] = lines
  if (first === undefined || error.stack.includes(first.trim().replace(/^at /, ''))) return
  error.stack = [error.stack, ...lines].join('\n')
}

function deadlineError(operation: CallName, deadlineMs: number, attempts: number): TimeoutError {
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const message = `${operation}: the call did not end within ${deadlineMs} ms, after ${count}. Try again, or allow a longer deadlineMs.`
  return new TimeoutError(message, { code: 'deadline_exceeded', operation })
}
