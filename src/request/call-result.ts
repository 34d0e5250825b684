import type { CallMeta } from '../api-promise.ts'
import { sumCosts } from '../credits/cost.ts'
import { TimeoutError } from '../errors/api.ts'
import { type CallName, type ChargeState, COPY_WITH, EtnMarketError } from '../errors/base.ts'
import { StateUnavailableError } from '../errors/budget.ts'
import type { CallEndedEvent } from '../events.ts'
import type { ResponseHeaders } from '../transport/transport.ts'
import { copyData } from '../utils/json-data.ts'
import { DEADLINE_EXCEEDED, STATE_DEADLINE_EXCEEDED } from './call-lifetime.ts'
import type { PlannedRequest } from './plan-requests.ts'
import type { Envelope } from './read-answer.ts'

/** What one request was charged so far, all its attempts together. */
export interface ChargeTotals {
  attempts: number
  credits: number
  /** `unknown` as soon as one attempt may have been charged without an answer. */
  charge: ChargeState
  /** Whether a part of the credits was computed, because no header stated it. */
  isComputed: boolean
}

/** How one request of a call was answered. */
export interface Answer {
  readonly envelope: Envelope
  readonly status?: number | undefined
  readonly headers?: ResponseHeaders | undefined
  readonly isCached: boolean
}

/** How one request of a call ended, and what this call was charged for it. */
export interface PaidResult {
  readonly answer?: Answer | undefined
  /** Why there is no answer. */
  readonly error?: unknown
  readonly paid: ChargeTotals
  /** Whether another call pays for it. */
  readonly isShared: boolean
}

/** The cost and the course of a call. A request that several calls share is paid by one of them, so that sums are right. */
export function callMeta(
  requests: readonly PlannedRequest[],
  results: readonly PaidResult[],
  remaining: number | undefined,
  durationMs: number,
): CallMeta {
  const answered = results.filter(({ answer }) => answer !== undefined)
  const sum = sumUp(answered)
  const { status, headers } = answered.findLast(({ answer }) => answer?.status !== undefined)?.answer ?? {}
  return {
    credits: {
      estimated: sumCosts(requests).max,
      charged: sum.credits,
      remaining,
      source: sum.charge === 'none' ? 'none' : sum.isComputed ? 'computed' : 'header',
    },
    attempts: sum.attempts,
    requests: requests.length - sum.cached,
    shared: sum.shared > 0,
    cached: sum.cached > 0,
    durationMs,
    status,
    headers: headers && Object.fromEntries(headers),
  }
}

export function createTotals(): ChargeTotals {
  return { attempts: 0, credits: 0, charge: 'none', isComputed: false }
}

/** Adds up what the requests of a call were charged, and counts those that were shared and those from the cache. */
export function sumUp(results: readonly PaidResult[]): ChargeTotals & { shared: number; cached: number } {
  const sum = { ...createTotals(), shared: 0, cached: 0 }
  for (const { paid, isShared, answer } of results) {
    sum.attempts += paid.attempts
    sum.credits += paid.credits
    sum.charge = strongest(sum.charge, paid.charge)
    sum.isComputed ||= paid.isComputed
    if (isShared) sum.shared++
    if (answer?.isCached) sum.cached++
  }
  return sum
}

export function strongest(one: ChargeState, other: ChargeState): ChargeState {
  if (one === 'unknown' || other === 'unknown') return 'unknown'
  return one === 'charged' || other === 'charged' ? 'charged' : 'none'
}

/** The event of a call that has settled; `failure` is what it rejects with. */
export function callEndEvent(
  call: Pick<CallEndedEvent, 'callId' | 'operation' | 'params' | 'durationMs'>,
  results: readonly PaidResult[],
  failure: unknown,
): CallEndedEvent {
  const { attempts, charge, credits, shared, cached } = sumUp(results)
  const ended = { ...call, credits, charge, attempts, shared: shared > 0, cached: cached > 0 }
  if (failure === undefined) return { type: 'call.succeeded', ...ended }
  const code = failure instanceof EtnMarketError ? failure.code : 'aborted'
  const errorName = failure instanceof Error ? failure.name : 'AbortError'
  return { type: 'call.failed', ...ended, code, errorName }
}

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

function knownError(error: unknown, { operation, deadlineMs }: CallDetails, attempts: number): unknown {
  if (error === DEADLINE_EXCEEDED) return deadlineError(operation, deadlineMs, attempts)
  return error === STATE_DEADLINE_EXCEEDED ? stateError(operation, deadlineMs, attempts) : error
}

function stateError(operation: CallName, deadlineMs: number, attempts: number): StateUnavailableError {
  const sent = attempts === 0 ? 'Nothing was sent.' : 'No further request was sent.'
  const message = `${operation}: the store of the budget, or the Redis of the fleet, did not answer within the ${deadlineMs} ms of the call. ${sent} Check it.`
  return new StateUnavailableError(message, { operation })
}

function deadlineError(operation: CallName, deadlineMs: number, attempts: number): TimeoutError {
  const count = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const message = `${operation}: the call did not end within ${deadlineMs} ms, after ${count}. Try again, or allow a longer deadlineMs.`
  return new TimeoutError(message, { code: 'deadline_exceeded', operation })
}
