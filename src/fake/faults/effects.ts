import {
  CREDITS_COST,
  CREDITS_REMAINING,
  failure,
  type HeaderLines,
  httpDate,
  RETRY_AFTER,
  type Reply,
  replaceHeader,
} from '../rules/reply.ts'
import type { FaultEffects } from './fault-options.ts'

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

/** Whether the fault answers instead of the service, so that the call is not executed. */
export function skipsExecution({ status, front, reset, never, charge }: FaultEffects): boolean {
  if (reset === 'before') return true
  if (status !== undefined) return charge !== true
  return (never === true || front !== undefined) && charge === false
}

export function faultReply(effects: FaultEffects): Reply | undefined {
  const { status, front } = effects
  if (front !== undefined) return frontReply(front)
  if (status === undefined) return undefined
  if ([204, 205, 304].includes(status)) return { status, headers: [], body: null }
  const { code = CODES[status] ?? 'service_error', message = `A fault of the fake service answered ${status}.` } =
    effects
  const isBusy = status === 429 || (status === 503 && code === 'server_busy')
  const headers: HeaderLines = isBusy ? [RETRY_AFTER] : []
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

/** What a front answers in place of the service. */
export interface FakeFrontAnswer {
  /** The program and version whose answer this is; undefined where many do so. */
  readonly seen?: string
  /** HTTP status. */
  readonly status: number
  /** `Content-Type`; undefined if there is none. */
  readonly type?: string
  /** What the body is. */
  readonly body: 'html' | 'text' | 'json' | 'empty'
  /** `Retry-After` in seconds. */
  readonly retryAfter?: number
}

function answers<Name extends string>(table: Record<Name, FakeFrontAnswer>): Readonly<Record<Name, FakeFrontAnswer>> {
  return table
}

/**
 * What reverse proxies and gateways answer when they lose the service's answer, by the names of the fault `front`. The names with `-timeout`
 * are for a service that is silent, the others for a connection to the service that breaks. No body is in the service's format. The guide of
 * the fake has them as a table.
 *
 * @example
 * for (const front of Object.keys(fakeFronts) as FakeFront[]) fake.fault({ front })
 */
export const fakeFronts = answers({
  nginx: { seen: 'nginx 1.22.1', status: 502, type: 'text/html', body: 'html' },
  'nginx-timeout': { seen: 'nginx 1.22.1', status: 504, type: 'text/html', body: 'html' },
  'nginx-missing-page': { seen: 'nginx 1.22.1', status: 404, type: 'text/html', body: 'html' },
  'nginx-sorry-page': { seen: 'nginx 1.22.1', status: 200, type: 'text/html', body: 'html' },
  apache: { seen: 'Apache 2.4.71', status: 502, type: 'text/html; charset=iso-8859-1', body: 'html' },
  caddy: { seen: 'Caddy 2.6.2', status: 502, body: 'empty' },
  'caddy-timeout': { seen: 'Caddy 2.6.2', status: 504, body: 'empty' },
  h2o: { seen: 'h2o 2.2.5', status: 502, type: 'text/plain; charset=utf-8', body: 'text' },
  haproxy: { seen: 'HAProxy 2.6.12', status: 502, type: 'text/html', body: 'html' },
  'haproxy-timeout': { seen: 'HAProxy 2.6.12', status: 504, type: 'text/html', body: 'html' },
  lighttpd: { seen: 'lighttpd 1.4.69', status: 500, type: 'text/html', body: 'html' },
  nghttpx: { seen: 'nghttpx 1.52.0', status: 502, type: 'text/html; charset=UTF-8', body: 'html' },
  squid: { seen: 'Squid 5.7', status: 502, type: 'text/html;charset=utf-8', body: 'html' },
  'traffic-server': { seen: 'Traffic Server 9.2.9', status: 502, type: 'text/html', body: 'html' },
  varnish: { seen: 'Varnish 7.1.1', status: 503, type: 'text/html; charset=utf-8', body: 'html', retryAfter: 5 },
  'json-gateway': { status: 502, type: 'application/json', body: 'json' },
  'json-gateway-timeout': { status: 504, type: 'application/json', body: 'json' },
})

/** A name of {@link fakeFronts}. */
export type FakeFront = keyof typeof fakeFronts

/** The answer of a front. Its body is of the same kind as the real one. */
function frontReply(front: FakeFront): Reply {
  const { status, type, body, retryAfter }: FakeFrontAnswer = fakeFronts[front]
  const headers: HeaderLines = []
  if (type !== undefined) headers.push(['Content-Type', type])
  if (retryAfter !== undefined) headers.push(['Retry-After', String(retryAfter)])
  return { status, headers, body: BODIES[body] }
}

const BODIES: Record<FakeFrontAnswer['body'], string | null> = {
  html: '<!DOCTYPE html>\n<html><head><title>No answer</title></head><body><p>The front got no answer.</p></body></html>\n',
  text: 'The front got no answer.',
  json: '{"message":"The front got no answer."}',
  empty: null,
}
