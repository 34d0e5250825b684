import type { ResponseHeaders } from './transport.ts'

/** Optional white space is spaces and tabs, nothing else. */
const SECONDS = /^[ \t]*\d+[ \t]*$/
/** Friday, 20-Nov-26 12:00:30 GMT */
const RFC_850 = /^(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, (\d\d)-(\w{3})-(\d\d) (\S+ GMT)$/
/** Fri Nov 20 12:00:30 2026 */
const ASCTIME = /^(\w{3}) (\w{3}) (\d\d| \d) (\S+) (\d{4})$/

/**
 * The wait that `Retry-After` asks for in milliseconds (RFC 9110, section 10.2.3), or undefined when it holds none.
 * A date counts from the answer's own `Date` where that is valid, else from `now`; one in the past is 0.
 */
export function retryAfterMs(headers: ResponseHeaders, now: number): number | undefined {
  const from = parseHttpDate(headers.get('date')?.trim() ?? '', now) ?? now
  let longest: number | undefined
  // Several headers arrive as one, joined by commas; the comma in a date comes before its day of the month.
  for (const text of headers.get('retry-after')?.split(/,(?! \d\d[ -]\w{3}[ -])/) ?? []) {
    const wait = SECONDS.test(text) ? Number(text) * 1000 : (parseHttpDate(text.trim(), now) ?? Number.NaN) - from
    if (!Number.isNaN(wait)) longest = Math.max(longest ?? 0, Math.min(wait, Number.MAX_SAFE_INTEGER))
  }
  return longest
}

/** Longer than any date. */
const MAX_LENGTH = 40

/** Unix milliseconds of an HTTP-date in any of its three formats, or undefined. Always GMT. */
export function parseHttpDate(value: string, now: number): number | undefined {
  if (value.length > MAX_LENGTH) return undefined
  const [, day, date, month, digits, time] = RFC_850.exec(value) ?? []
  if (digits === undefined) return readDate(value.replace(ASCTIME, spellAsctime))
  // Two digits that seem more than 50 years ahead are the most recent past year that ends in them.
  const horizon = new Date(now)
  horizon.setUTCFullYear(horizon.getUTCFullYear() + 50)
  const last = horizon.getUTCFullYear()
  const year = last - ((last + 100 - Number(digits)) % 100)
  const isAhead = Date.parse(`${date} ${month} ${year} ${time}`) > horizon.getTime()
  return readDate(`${day?.slice(0, 3)}, ${date} ${month} ${isAhead ? year - 100 : year} ${time}`)
}

const spellAsctime = (_: string, day: string, month: string, date: string, time: string, year: string) =>
  `${day}, ${date.replace(' ', '0')} ${month} ${year} ${time} GMT`

/**
 * The time of a date in the format that RFC 9110 prefers, which `toUTCString` writes: what no calendar has does not come back as it was,
 * such as the 30th of February, 25 o'clock, or a Monday that was a Sunday.
 */
function readDate(text: string): number | undefined {
  const beforeLeapSecond = text.replace(':60 GMT', ':59 GMT')
  const at = Date.parse(beforeLeapSecond)
  if (new Date(at).toUTCString() !== beforeLeapSecond) return undefined
  return beforeLeapSecond === text ? at : at + 1000
}
