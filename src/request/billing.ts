import type { Reconciliation, Reservation } from '../credits/budget.ts'
import { isCredits } from '../credits/budget-core.ts'
import { costOf, countItems } from '../credits/cost.ts'
import type { Usage } from '../credits/usage.ts'
import type { ChargeState } from '../errors/base.ts'
import { isObject } from '../operations/type-guards.ts'
import type { AttemptOutcome, HttpResponse, TransportFailure } from '../transport/transport.ts'
import type { PlannedRequest } from './plan-requests.ts'
import type { Answer, Received } from './read-answer.ts'
import type { ChargedRequest } from './send.ts'

/** What one attempt was charged. */
export interface Charge {
  readonly state: ChargeState
  readonly credits: number
  /** Whether the figure is from the service's header. */
  readonly fromHeader: boolean
}

const NOT_CHARGED: Charge = { state: 'none', credits: 0, fromHeader: false }
const UNKNOWN: Charge = { state: 'unknown', credits: 0, fromHeader: false }

/** What one attempt was charged. `body` is the parsed JSON of its answer, undefined where it is none. */
export function chargeOf(request: PlannedRequest, { response, failure }: AttemptOutcome, body: unknown): Charge {
  // A free operation is never charged, whatever was lost.
  if (request.price === null) return NOT_CHARGED
  return response ? chargeOfResponse(request, response, body) : chargeOfFailure(request, failure)
}

function chargeOfResponse(request: PlannedRequest, response: HttpResponse, body: unknown): Charge {
  const { status, headers } = response
  if (!isSuccess(status)) return isOwnError(body) || FRONT_REFUSALS.has(status) ? NOT_CHARGED : UNKNOWN
  return isForeignPage(response) ? UNKNOWN : (chargeFromHeader(headers) ?? computedCharge(request, body))
}

function chargeOfFailure(request: PlannedRequest, { mayHaveArrived, kind, response }: TransportFailure): Charge {
  if (!mayHaveArrived) return NOT_CHARGED
  if (response === undefined) return UNKNOWN
  const isCutOff = kind !== 'too_large' && kind !== 'not_decoded' && isSuccess(response.status)
  return isCutOff ? (chargeFromHeader(response.headers) ?? UNKNOWN) : chargeOfResponse(request, response, undefined)
}

/** With these, what stands before the service refuses a request that it has not forwarded. */
const FRONT_REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 405, 407, 413, 414, 421, 429, 431])

/**
 * Whether a body is an error of the service. Only the service knows that it charged nothing: what stands between answers in its own words, with
 * any status, where it has lost an answer that was charged.
 */
function isOwnError(body: unknown): boolean {
  const error = isObject(body) ? body.error : undefined
  return isObject(error) && typeof error.code === 'string' && typeof error.message === 'string'
}

/** Whether something between the client and the service answered an error. Of a body that was cut off nobody can tell. */
export function isFromFront(response: HttpResponse | undefined, body: unknown): boolean {
  return response?.text !== undefined && !isSuccess(response.status) && !isOwnError(body)
}

/** A page host or a proxy answered in place of the service, which sends JSON and states what it charged or what is left. */
export function isForeignPage({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  const isHtml = /^\s*text\/html\b/i.test(headers.get('content-type') ?? '')
  return isHtml && headers.get('x-credits-cost') === null && headers.get('x-credits-remaining') === null
}

/** Far above every price, and so far below the largest safe integer that thousands of them can be added. */
const MAX_CHARGE = 1_000_000_000_000

/** A charge that would leave the safe integers is unreadable, as one that is no number. */
function chargeFromHeader(headers: HttpResponse['headers']): Charge | undefined {
  const credits = creditsHeader(headers, 'x-credits-cost')
  return credits === undefined || credits > MAX_CHARGE ? undefined : { state: 'charged', credits, fromHeader: true }
}

/** The price of the items that were returned, or the worst case where they cannot be counted. */
function computedCharge({ operation, price, addresses, cost }: PlannedRequest, body: unknown): Charge {
  const data = isObject(body) ? body.data : undefined
  const isCountable = price !== undefined && operation !== 'request' && data !== undefined
  const items = isCountable ? countItems(operation, data, addresses.length) : undefined
  const credits = price !== undefined && items !== undefined ? costOf(price, items) : cost.max
  return { state: 'charged', credits, fromHeader: false }
}

/** A credits header that holds one whole number, 0 or more. Two of them arrive joined by a comma and count as none. */
function creditsHeader(headers: HttpResponse['headers'], name: string): number | undefined {
  const value = headers.get(name)?.trim() ?? ''
  const credits = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(credits) ? credits : undefined
}

/** The balance of the key that an answer states: in a header, or in the data of `account.me`. */
function balanceOf(
  { operation }: PlannedRequest,
  { status, headers }: HttpResponse,
  body: unknown,
): number | undefined {
  // A cache on the way may have kept it since before an answer was lost. Varnish and Traffic Server send Age: 0 with all that they pass on.
  if (!['0', null].includes(headers.get('age'))) return undefined
  if (operation !== 'account.me') return creditsHeader(headers, 'x-credits-remaining')
  const data = isSuccess(status) && isObject(body) && isObject(body.data) ? body.data : {}
  return isCredits(data.credits) ? data.credits : undefined
}

/**
 * BILL: records what an attempt was charged, in the totals of the request, in the budget and in the usage of the client.
 * @param sent the number of the request in the order of sending, when it was sent
 */
export function bill(
  { outcome, response, body }: Received,
  sent: number | undefined,
  { request, totals, reservation: reserved, emit }: ChargedRequest,
  usage: Usage,
): void {
  const reservation = reserved as Reservation
  const remaining = response && balanceOf(request, response, body)
  if (remaining !== undefined && sent !== undefined) usage.recordRemaining(sent, remaining)
  const charge = chargeOf(request, outcome, body)
  totals.credits += charge.credits
  totals.charge = strongest(totals.charge, charge.state)
  if (charge.state === 'charged' && !charge.fromHeader) totals.isComputed = true
  let proof: Reconciliation | undefined
  if (charge.state === 'none') {
    // The free answer of account.me has a balance too, which may prove what lost answers cost.
    if (remaining === undefined) reservation.release()
    else proof = reservation.settle(0, { remaining })
  } else if (charge.state === 'unknown') {
    reservation.markUncertain()
    usage.recordUncertain(reservation.credits)
    emit?.({ type: 'credits.uncertain', credits: reservation.credits })
  } else {
    proof = reservation.settle(charge.credits, { remaining })
    usage.recordCharge(request.operation, charge.credits, charge.fromHeader)
    const type = charge.fromHeader ? 'credits.charged' : 'credits.computed'
    // The newest balance that is known: this answer may be a late one.
    emit?.({
      type,
      credits: charge.credits,
      ...(remaining !== undefined && { remaining: usage.remaining() ?? remaining }),
    })
  }
  if (proof !== undefined) emit?.({ type: 'credits.reconciled', ...proof })
  if (charge.credits > reservation.credits) {
    emit?.({ type: 'credits.drift', predicted: reservation.credits, charged: charge.credits })
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

/** What one request was charged so far, all its attempts together. */
export interface ChargeTotals {
  attempts: number
  credits: number
  /** `unknown` as soon as one attempt may have been charged without an answer. */
  charge: ChargeState
  /** Whether a part of the credits was computed, because no header stated it. */
  isComputed: boolean
}

/** How one request of a call ended, and what this call was charged for it. */
export interface PaidResult {
  readonly answer?: Answer | undefined
  readonly error?: unknown
  readonly paid: ChargeTotals
  /** Whether another call pays for it. */
  readonly isShared: boolean
  /** How long its request was under way before this call joined it, in milliseconds. @default 0 */
  readonly sharedForMs?: number
}

export function createTotals(): ChargeTotals {
  return { attempts: 0, credits: 0, charge: 'none', isComputed: false }
}

/** What all requests of a call were charged, and how many were shared, and are from the cache. */
export type CallTotals = ChargeTotals & { shared: number; sharedForMs: number; cached: number }

export function sumUp(results: readonly PaidResult[]): CallTotals {
  const sum = Object.assign(createTotals(), { shared: 0, sharedForMs: 0, cached: 0 })
  for (const { paid, isShared, sharedForMs = 0, answer } of results) {
    sum.attempts += paid.attempts
    sum.credits += paid.credits
    sum.charge = strongest(sum.charge, paid.charge)
    sum.isComputed ||= paid.isComputed
    if (isShared) sum.shared++
    sum.sharedForMs = Math.max(sum.sharedForMs, sharedForMs)
    if (answer !== undefined && answer.status === undefined) sum.cached++
  }
  return sum
}

export function strongest(one: ChargeState, other: ChargeState): ChargeState {
  if (one === 'unknown' || other === 'unknown') return 'unknown'
  return one === 'charged' || other === 'charged' ? 'charged' : 'none'
}
