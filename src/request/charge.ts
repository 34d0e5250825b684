import { costOf, countItems } from '../credits/cost.ts'
import { operations } from '../generated/operations.ts'
import { type Charge, isSuccess, type Loss, type Part, type Reply, type TripEnd } from './types.ts'

const NONE: Charge = { state: 'none', credits: 0, told: false }
const UNKNOWN: Charge = { state: 'unknown', credits: 0, told: false }

/** What one attempt was charged. `body` is the parsed JSON of its answer, undefined where it is none. */
export function chargeOf(part: Part, end: TripEnd, body: unknown): Charge {
  return end.reply ? chargeOfReply(part, end.reply, body) : chargeOfLoss(part, end.loss)
}

function chargeOfReply(part: Part, { status, headers }: Reply, body: unknown): Charge {
  if (isSuccess(status)) return toldCharge(headers) ?? computedCharge(part, body)
  return gatewaySpoke(status, body) ? orNothing(part, UNKNOWN) : NONE
}

function chargeOfLoss(part: Part, { kind, sent, reply }: Loss): Charge {
  if (kind === 'redirect' || !sent) return NONE
  if (reply === undefined) return orNothing(part, UNKNOWN)
  if (isSuccess(reply.status)) return toldCharge(reply.headers) ?? orNothing(part, UNKNOWN)
  return gatewaySpoke(reply.status, undefined) ? orNothing(part, UNKNOWN) : NONE
}

/** A gateway gave up on a service that may have answered, and charged, behind it. */
function gatewaySpoke(status: number, body: unknown): boolean {
  return (status === 502 || status === 504 || status >= 520) && body === undefined
}

function toldCharge(headers: Reply['headers']): Charge | undefined {
  const credits = creditsHeader(headers, 'x-credits-cost')
  return credits === undefined ? undefined : { state: 'charged', credits, told: true }
}

function computedCharge(part: Part, body: unknown): Charge {
  const { credits } = operations[part.operation]
  if (credits === null) return NONE
  const data = typeof body === 'object' && body !== null ? (body as { data?: unknown }).data : undefined
  const items = countItems(part.operation, data, part.addresses.length)
  const decodable = data !== undefined && items !== undefined
  return { state: 'charged', credits: decodable ? costOf(credits, items) : part.cost.max, told: false }
}

/** A free operation cannot have been charged, whatever got lost. */
function orNothing(part: Part, charge: Charge): Charge {
  return operations[part.operation].credits === null ? NONE : charge
}

/** A credits header that holds one whole number, 0 or more; two of them arrive as one with a comma, which is none. */
export function creditsHeader(headers: Reply['headers'], name: string): number | undefined {
  const value = headers.get(name)?.trim() ?? ''
  const credits = /^[0-9]+$/.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(credits) ? credits : undefined
}
