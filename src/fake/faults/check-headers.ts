import { asNumber, asOneOf, checkNames, show } from '../rules/check-options.ts'
import { MAX_TIME_MS } from '../rules/clock.ts'
import type { FaultEffects } from './fault-options.ts'

/** A wrong value breaks the connection before the caller sees the answer. */
const FRAMING: readonly string[] = ['content-length', 'transfer-encoding']

/** Checks everything that a fault writes into headers, so that no call fails while it is answered. */
export function checkHeaders({ headers, retryAfter, creditHeaders, date }: FaultEffects): void {
  if (headers !== undefined) {
    if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
      throw new TypeError('headers is an object of names and values.')
    for (const [name, value] of Object.entries(headers)) {
      if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(name))
        throw new TypeError(`headers: ${show(name)} is not a header name.`)
      if (FRAMING.includes(name.toLowerCase()))
        throw new TypeError(`headers: ${name} belongs to the transport. To cut the body short, use truncate.`)
      checkValues(`headers[${name}]`, value)
    }
  }
  checkRetryAfter(retryAfter)
  checkCreditHeaders(creditHeaders)
  checkDate(date)
}

function checkRetryAfter(retryAfter: FaultEffects['retryAfter']): void {
  if (retryAfter === undefined || retryAfter === false) return
  if (typeof retryAfter === 'number') {
    asNumber('retryAfter', retryAfter, 0)
  } else if (typeof retryAfter === 'object' && 'inMs' in retryAfter) {
    checkNames('retryAfter', retryAfter, ['inMs'])
    asNumber('retryAfter.inMs', retryAfter.inMs, -MAX_TIME_MS, MAX_TIME_MS)
  } else checkValues('retryAfter', retryAfter)
}

function checkCreditHeaders(creditHeaders: FaultEffects['creditHeaders']): void {
  if (typeof creditHeaders === 'object' && creditHeaders !== null) {
    checkNames('creditHeaders', creditHeaders, ['cost', 'remaining'])
    for (const [name, value] of Object.entries(creditHeaders)) {
      if (typeof value === 'number') asNumber(`creditHeaders.${name}`, value, Number.MIN_SAFE_INTEGER)
      else checkValues(`creditHeaders.${name}`, value)
    }
  } else if (creditHeaders !== undefined) {
    asOneOf('creditHeaders (or { cost, remaining })', creditHeaders, ['missing', 'duplicate'])
  }
}

function checkDate(date: FaultEffects['date']): void {
  if (date === undefined) return
  if (typeof date === 'number') asNumber('date', date, -MAX_TIME_MS, MAX_TIME_MS)
  else if (typeof date === 'object' && date !== null) {
    checkNames('date', date, ['skewMs'])
    asNumber('date.skewMs', date.skewMs, -MAX_TIME_MS, MAX_TIME_MS)
  } else checkValues('date', date)
}

/** One or more header values: text without line breaks and without letters beyond Latin-1. */
function checkValues(name: string, value: unknown): void {
  const values = Array.isArray(value) ? value : [value]
  if (values.length === 0) throw new TypeError(`${name} is not an empty list.`)
  for (const one of values) {
    if (typeof one === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(one)) continue
    throw new TypeError(`${name} is a header value (text without line breaks), not ${show(one)}.`)
  }
}
