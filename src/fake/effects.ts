import type { FaultEffects } from './fault-options.ts'
import {
  CREDITS_COST,
  CREDITS_REMAINING,
  failure,
  type HeaderLines,
  httpDate,
  type Reply,
  replaceHeader,
} from './reply.ts'

/** How the delivery of an answer ends. */
export type Ending = { kind: 'whole' } | { kind: 'reset' } | { kind: 'cut' | 'stall'; bytes: number }

/** Whether the fault answers in place of the service, and nothing is executed. */
export function preempts({ status, html, reset, never, charge }: FaultEffects): boolean {
  if (reset === 'before') return true
  if (status !== undefined || html !== undefined) return charge !== true
  return never === true && charge === false
}

/** What a fault says in place of the service. */
export function outcry(effects: FaultEffects): Reply | undefined {
  const { status, html } = effects
  if (html !== undefined)
    return { status: html, headers: [['Content-Type', 'text/html; charset=utf-8']], body: gatewayPage(html) }
  if (status === undefined) return undefined
  if (status === 204 || status === 205 || status === 304) return { status, headers: [], body: null }
  const { code = codeOf(status), message = `The fake service was told to answer ${status}.` } = effects
  const reply = failure({ status, code, message })
  return 'body' in effects ? { ...reply, body: JSON.stringify(effects.body) } : reply
}

/** Spoils an answer. */
export function spoil(reply: Reply, effects: FaultEffects, now: number): Reply {
  return { ...reply, body: spoilBody(reply.body, effects), headers: spoilHeaders(reply.headers, effects, now) }
}

function spoilBody(body: string | null, { transform, malformed }: FaultEffects): string | null {
  if (body === null) return null
  const changed = transform ? (JSON.stringify(transform(JSON.parse(body))) ?? '') : body
  // Half of an object is never JSON.
  return malformed ? changed.slice(0, Math.max(1, changed.length >> 1)) : changed
}

function spoilHeaders(
  lines: HeaderLines,
  { creditHeaders, retryAfter, date, headers = {} }: FaultEffects,
  now: number,
): HeaderLines {
  let spoiled = lines
  if (creditHeaders === 'missing') spoiled = spoiled.filter(([name]) => !isCredits(name))
  if (creditHeaders === 'duplicate') spoiled = [...spoiled, ...spoiled.filter(([name]) => isCredits(name))]
  if (typeof creditHeaders === 'object') {
    const { cost, remaining } = creditHeaders
    if (cost !== undefined) spoiled = replaceHeader(spoiled, CREDITS_COST, [cost])
    if (remaining !== undefined) spoiled = replaceHeader(spoiled, CREDITS_REMAINING, [remaining])
  }
  if (retryAfter !== undefined) spoiled = replaceHeader(spoiled, 'Retry-After', retryAfterLines(retryAfter, now))
  if (date !== undefined)
    spoiled = replaceHeader(spoiled, 'Date', [typeof date === 'string' ? date : httpDate(now + date.skewMs)])
  for (const [name, value] of Object.entries(headers)) spoiled = replaceHeader(spoiled, name, [value].flat())
  return spoiled
}

function retryAfterLines(retryAfter: NonNullable<FaultEffects['retryAfter']>, now: number): readonly string[] {
  if (typeof retryAfter === 'string') return [retryAfter]
  return 'inMs' in retryAfter ? [httpDate(now + retryAfter.inMs)] : retryAfter
}

function isCredits(name: string): boolean {
  return name === CREDITS_COST || name === CREDITS_REMAINING
}

/** How a delivery under a fault ends; a body that is cut always lacks at least a byte. */
export function endingOf({ reset, truncate, stall }: FaultEffects, reply: Reply): Ending {
  if (reset !== undefined) return { kind: 'reset' }
  if (reply.body === null) return { kind: 'whole' }
  const size = new TextEncoder().encode(reply.body).length
  const atMost = (bytes: number) => Math.max(0, Math.min(size - 1, Math.floor(bytes)))
  if (truncate !== undefined) return { kind: 'cut', bytes: atMost(truncate < 1 ? truncate * size : truncate) }
  return stall === undefined ? { kind: 'whole' } : { kind: 'stall', bytes: atMost(stall) }
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

function codeOf(status: number): string {
  return CODES[status] ?? 'service_error'
}

function gatewayPage(status: number): string {
  return `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>The gateway got no answer.</p></body></html>\n`
}
