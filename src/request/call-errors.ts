import { TimeoutError } from '../errors/api.ts'
import { type CallName, COPY_WITH, EtnMarketError } from '../errors/base.ts'
import { describeCall, StateUnavailableError } from '../errors/budget.ts'
import { copyData } from '../utils/json-data.ts'
import type { ChargeTotals } from './billing.ts'
import { DEADLINE_EXCEEDED, STATE_DEADLINE_EXCEEDED } from './call-lifetime.ts'

/** What every error of a call states. */
export interface CallDetails {
  readonly operation: CallName
  readonly params: unknown
  readonly requestIds: readonly string[]
  readonly deadlineMs: number
}

/**
 * The error of one caller: a copy with the credits of that caller's call. The reasons of signals are returned as they are.
 * @param isShared another caller pays for the request, and has its credits on the error
 */
export function toCallError(error: unknown, details: CallDetails, totals: ChargeTotals, isShared = false): unknown {
  const { operation, params, requestIds } = details
  const known = knownError(error, details, totals.attempts)
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
    // Each caller may change what it gets.
    ...(isShared && { body: copyData(known.body), issues: copyData(known.issues) }),
  })
}

/**
 * Appends the lines of the stack from here up to the caller's own, where they are missing. V8 finds the function that awaits a
 * promise when the promise has no other reader.
 */
export function appendCallerFrames<Failure extends Error>(error: Failure): Failure {
  const [, , ...frames] = (new Error().stack ?? '').split('\n')
  const { stack = '' } = error
  error.stack = [stack, ...frames.filter((frame) => !stack.includes(frame.trim()))].join('\n')
  return error
}

/** The error of a deadline that has passed; any other one as it is. */
function knownError(error: unknown, { operation, deadlineMs }: CallDetails, attempts: number): unknown {
  if (error === STATE_DEADLINE_EXCEEDED) {
    const { sent } = describeCall({ operation, attempts })
    const message = `${operation}: the store of the budget, or the Redis of the fleet, did not answer within the ${deadlineMs} ms of the call. ${sent} Check it.`
    return new StateUnavailableError(message, { operation })
  }
  if (error !== DEADLINE_EXCEEDED) return error
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const message = `${operation}: the call did not end within ${deadlineMs} ms, after ${count}. Try again, or allow a longer deadlineMs.`
  return new TimeoutError(message, { code: 'deadline_exceeded', operation })
}
