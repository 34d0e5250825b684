import {
  CREDITS_COST,
  CREDITS_REMAINING,
  failure,
  type HeaderLines,
  httpDate,
  type Reply,
  replaceHeader,
} from '../rules/reply.ts'
import type { FaultEffects } from './fault-options.ts'
import { frontReply } from './fronts.ts'

type Names = readonly (keyof FaultEffects)[]

const CONTENT: Names = ['status', 'front', 'never', 'reset']
const DELIVERY: Names = ['never', 'reset', 'truncate', 'stall']
/** Effects on the answer of the service, which a replaced answer does not show. */
const ANSWER: Names = ['transform', 'malformed', 'creditHeaders']

/** Effects that exclude each other, in one fault and in two on one call. */
export const EXCLUSIVE: readonly (readonly [Names, Names, reason: string])[] = [
  [CONTENT, CONTENT, 'use two faults'],
  [DELIVERY, DELIVERY, 'use two faults'],
  [['front'], ['malformed', 'transform'], 'a front answers in a format of its own'],
  [['never', 'reset'], ['headers', 'retryAfter', 'date', ...ANSWER], 'without an answer it cannot be seen'],
  [['never'], ['delayMs'], 'never has no end'],
  [['reset'], ['charge'], "reset says itself whether it charges, 'before' or 'after'"],
]
const SINGLE = ['retryAfter', 'creditHeaders', 'date', 'malformed', 'charge'] as const

/** The effects of two faults on one call; `undefined` if they cannot take effect together. */
export function combine(first: FaultEffects, second: FaultEffects): FaultEffects | undefined {
  const has = (effects: FaultEffects, names: Names) => names.some((name) => effects[name] !== undefined)
  const both = (a: Names, b: Names) => (has(first, a) && has(second, b)) || (has(first, b) && has(second, a))
  if (EXCLUSIVE.some(([a, b]) => both(a, b)) || both(CONTENT, ANSWER)) return undefined
  if (SINGLE.some((name) => both([name], [name]))) return undefined
  // A body that is not JSON cannot be transformed.
  if (first.malformed && second.transform) return undefined
  const combined: FaultEffects = { ...first, ...second }
  const delayMs = (first.delayMs ?? 0) + (second.delayMs ?? 0)
  if (delayMs > 0) combined.delayMs = delayMs
  if (first.headers && second.headers) combined.headers = { ...first.headers, ...second.headers }
  const [before, after] = [first.transform, second.transform]
  if (before && after) combined.transform = async (body) => after(await before(body))
  return combined
}

export type Delivery = { kind: 'whole' } | { kind: 'reset' } | { kind: 'truncated' | 'stalled'; bytes: number }

/** `Retry-After` of a 429 and of a 503 `server_busy`, in seconds. */
const DEFAULT_RETRY_AFTER = '1'

/** Whether the fault answers instead of the service, so that the call is not executed. */
export function skipsExecution({ status, front, reset, never, charge }: FaultEffects): boolean {
  if (reset === 'before') return true
  if (status !== undefined) return charge !== true
  return (never === true || front !== undefined) && charge === false
}

function isWithoutBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304
}

export function faultReply(effects: FaultEffects): Reply | undefined {
  const { status, front } = effects
  if (front !== undefined) return frontReply(front)
  if (status === undefined) return undefined
  if (isWithoutBody(status)) return { status, headers: [], body: null }
  const { code = CODES[status] ?? 'service_error', message = `A fault of the fake service answered ${status}.` } =
    effects
  const isBusy = status === 429 || (status === 503 && code === 'server_busy')
  const headers: HeaderLines = isBusy ? [['Retry-After', DEFAULT_RETRY_AFTER]] : []
  const reply = failure(status, code, message, headers)
  return 'body' in effects ? { ...reply, body: JSON.stringify(effects.body) } : reply
}

export async function alterReply(reply: Reply, effects: FaultEffects, now: number): Promise<Reply> {
  const { transform, malformed } = effects
  let { body } = reply
  if (transform && body !== null) body = JSON.stringify(await transform(JSON.parse(body))) ?? ''
  // Half of a JSON object is not JSON.
  if (malformed && body !== null) body = body.slice(0, Math.max(1, body.length >> 1))
  return { ...reply, body, headers: alterHeaders(reply.headers, effects, now) }
}

function alterHeaders(
  lines: HeaderLines,
  { creditHeaders, retryAfter, date, headers = {} }: FaultEffects,
  now: number,
): HeaderLines {
  let altered = lines
  if (creditHeaders === 'missing') altered = altered.filter(([name]) => !isCredits(name))
  if (creditHeaders === 'duplicate') altered = [...altered, ...altered.filter(([name]) => isCredits(name))]
  if (typeof creditHeaders === 'object') {
    const { cost, remaining } = creditHeaders
    if (cost !== undefined) altered = replaceHeader(altered, CREDITS_COST, [String(cost)])
    if (remaining !== undefined) altered = replaceHeader(altered, CREDITS_REMAINING, [String(remaining)])
  }
  if (retryAfter !== undefined) altered = replaceHeader(altered, 'Retry-After', retryAfterLines(retryAfter, now))
  if (date !== undefined) {
    const text = typeof date === 'string' ? date : httpDate(typeof date === 'number' ? date : now + date.skewMs)
    altered = replaceHeader(altered, 'Date', [text])
  }
  for (const [name, value] of Object.entries(headers)) altered = replaceHeader(altered, name, [value].flat())
  return altered
}

function retryAfterLines(retryAfter: NonNullable<FaultEffects['retryAfter']>, now: number): readonly string[] {
  if (retryAfter === false) return []
  if (typeof retryAfter === 'number' || typeof retryAfter === 'string') return [String(retryAfter)]
  return 'inMs' in retryAfter ? [httpDate(now + retryAfter.inMs)] : retryAfter
}

const isCredits = (name: string) => name === CREDITS_COST || name === CREDITS_REMAINING

/** The delivery under a fault. A truncated body lacks at least one byte. */
export function deliveryOf({ reset, truncate, stall }: FaultEffects, reply: Reply): Delivery {
  if (reset !== undefined) return { kind: 'reset' }
  if (reply.body === null || (truncate === undefined && stall === undefined)) return { kind: 'whole' }
  const size = new TextEncoder().encode(reply.body).length
  const atMost = (bytes: number) => Math.max(0, Math.min(size - 1, Math.floor(bytes)))
  if (truncate !== undefined) return { kind: 'truncated', bytes: atMost(truncate < 1 ? truncate * size : truncate) }
  return { kind: 'stalled', bytes: atMost(stall ?? 0) }
}

const CODES: Record<number, string> = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'insufficient_credits',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  429: 'rate_limited',
  500: 'internal_error',
  502: 'bad_gateway',
  503: 'server_busy',
  504: 'gateway_timeout',
}
