import type { ResponseHeaders } from './transport.ts'

const DIGITS = /^[0-9]+$/
const IMF_FIXDATE = /^(\w{3}), (\d\d \w{3} \d{4} \S+ GMT)$/
const RFC_850 = /^(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, (\d\d)-(\w{3})-(\d\d) (\S+ GMT)$/
const ASCTIME = /^(\w{3}) (\w{3}) (\d\d| \d) (\S+) (\d{4})$/

/**
 * The wait that `Retry-After` asks for in milliseconds (RFC 9110, section 10.2.3), or undefined when it holds none.
 * A date counts from the answer's own `Date` where that is valid, else from `now`; one in the past is 0.
 */
export function retryAfterMs(headers: ResponseHeaders, now: number): number | undefined {
  const header = headers.get('retry-after')
  if (header === null) return undefined
  const from = parseHttpDate(trim(headers.get('date') ?? ''), now) ?? now
  let longest: number | undefined
  for (const value of splitValues(header, now)) {
    const wait = DIGITS.test(value) ? Number(value) * 1000 : dateWait(value, from, now)
    if (wait !== undefined) longest = Math.max(longest ?? 0, Math.min(wait, Number.MAX_SAFE_INTEGER))
  }
  return longest
}

function dateWait(value: string, from: number, now: number): number | undefined {
  const at = parseHttpDate(value, now)
  return at === undefined ? undefined : Math.max(0, at - from)
}

/** Several headers arrive as one, joined by commas; two of the date formats hold a comma themselves. */
function splitValues(header: string, now: number): string[] {
  const pieces = header.split(',')
  const values: string[] = []
  for (let index = 0; index < pieces.length; index++) {
    const pair = trim(pieces.slice(index, index + 2).join(','))
    if (parseHttpDate(pair, now) === undefined) values.push(trim(pieces[index] ?? ''))
    else {
      values.push(pair)
      index++
    }
  }
  return values
}

/** Optional white space is spaces and tabs, nothing else. */
function trim(text: string): string {
  // Not by a regular expression: what looks for white space at the end takes a time that grows with the square of the length.
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (code: number) => code === 0x20 || code === 0x09

/** The lengths of the shortest and the longest date. */
const MIN_DATE_LENGTH = 24
const MAX_DATE_LENGTH = 33

/** Unix milliseconds of an HTTP-date in any of its three formats, or undefined. Always GMT. */
export function parseHttpDate(value: string, now: number): number | undefined {
  if (value.length < MIN_DATE_LENGTH || value.length > MAX_DATE_LENGTH) return undefined
  const [, day, rest] = IMF_FIXDATE.exec(value) ?? []
  if (rest !== undefined) return toTime(day, rest)
  const [, longDay, date, month, digits, time] = RFC_850.exec(value) ?? []
  if (time !== undefined) {
    const spell = (year: number) => `${date} ${month} ${year} ${time}`
    return toTime(longDay?.slice(0, 3), spell(fullYear(Number(digits), spell, now)))
  }
  const [, shortDay, monthName, dayOfMonth, clock, year] = ASCTIME.exec(value) ?? []
  return toTime(shortDay, `${dayOfMonth?.replace(' ', '0')} ${monthName} ${year} ${clock} GMT`)
}

/** Two digits that seem more than 50 years ahead are the most recent past year that ends in them. */
function fullYear(digits: number, spell: (year: number) => string, now: number): number {
  const horizon = new Date(now)
  const thisYear = horizon.getUTCFullYear()
  horizon.setUTCFullYear(thisYear + 50)
  const latest = thisYear - (thisYear % 100) + 100 + digits
  const years = [latest, latest - 100, latest - 200]
  return years.find((year) => (toTime('', spell(year)) ?? Number.POSITIVE_INFINITY) <= horizon.getTime()) ?? latest
}

/**
 * The time of a date as RFC 9110 prefers it, `20 Nov 2026 12:00:30 GMT`, with the day of its week where one is given.
 * `toUTCString` writes just that, so what no calendar has does not come back as it was: the 30th of February, 25 o'clock,
 * a Monday that was a Sunday.
 */
function toTime(day: string | undefined, date: string): number | undefined {
  const leapSecond = date.endsWith(':60 GMT')
  const normalized = leapSecond ? date.replace(':60 ', ':59 ') : date
  const at = Date.parse(normalized)
  if (!new Date(at).toUTCString().endsWith(`${day}, ${normalized}`)) return undefined
  return leapSecond ? at + 1000 : at
}
