import type { Reply } from './types.ts'

const DIGITS = /^[0-9]+$/
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const SHORT_DAY = '(Sun|Mon|Tue|Wed|Thu|Fri|Sat)'
const LONG_DAY = '(Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday)'
const MONTH = `(${MONTHS.join('|')})`
const TIME = '(\\d{2}):(\\d{2}):(\\d{2})'
const IMF_FIXDATE = new RegExp(`^${SHORT_DAY}, (\\d{2}) ${MONTH} (\\d{4}) ${TIME} GMT$`)
const RFC_850 = new RegExp(`^${LONG_DAY}, (\\d{2})-${MONTH}-(\\d{2}) ${TIME} GMT$`)
const ASCTIME = new RegExp(`^${SHORT_DAY} ${MONTH} (\\d{2}| \\d) ${TIME} (\\d{4})$`)

/**
 * The wait that `Retry-After` asks for in milliseconds (RFC 9110, section 10.2.3), or undefined when it holds none.
 * A date counts from the answer's own `Date` where that is valid, else from `now`; one in the past is 0.
 */
export function retryAfterMs(headers: Reply['headers'], now: number): number | undefined {
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
  return text.replace(/^[ \t]+|[ \t]+$/g, '')
}

/** Unix milliseconds of an HTTP-date in any of its three formats, or undefined. Always GMT. */
export function parseHttpDate(value: string, now: number): number | undefined {
  const imf = IMF_FIXDATE.exec(value)
  if (imf) return toTime({ day: imf[1], date: imf[2], month: imf[3], year: Number(imf[4]), time: imf.slice(5, 8) })
  const rfc850 = RFC_850.exec(value)
  if (rfc850) {
    const parts = { date: rfc850[2], month: rfc850[3], time: rfc850.slice(5, 8) }
    return toTime({ ...parts, day: rfc850[1], year: fullYear(Number(rfc850[4]), parts, now) })
  }
  const asctime = ASCTIME.exec(value)
  if (asctime) {
    return toTime({
      day: asctime[1],
      date: asctime[3],
      month: asctime[2],
      year: Number(asctime[7]),
      time: asctime.slice(4, 7),
    })
  }
  return undefined
}

/** Two digits that seem more than 50 years ahead are the most recent past year that ends in them. */
function fullYear(twoDigits: number, parts: Omit<DateParts, 'day' | 'year'>, now: number): number {
  const horizon = new Date(now)
  const thisYear = horizon.getUTCFullYear()
  horizon.setUTCFullYear(thisYear + 50)
  const nextCentury = thisYear - (thisYear % 100) + 100 + twoDigits
  const years = [nextCentury, nextCentury - 100, nextCentury - 200]
  return (
    years.find((year) => (toTime({ ...parts, day: '', year }) ?? Number.POSITIVE_INFINITY) <= horizon.getTime()) ??
    nextCentury
  )
}

interface DateParts {
  day: string | undefined
  date: string | undefined
  month: string | undefined
  year: number
  time: readonly (string | undefined)[]
}

/** Refuses dates that no calendar has: the 30th of February, 25 o'clock, a Monday that was a Sunday. */
function toTime({ day = '', date, month = '', year, time }: DateParts): number | undefined {
  const [hours = Number.NaN, minutes = Number.NaN, seconds = Number.NaN] = time.map(Number)
  if (!(hours <= 23 && minutes <= 59 && seconds <= 60)) return undefined
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, MONTHS.indexOf(month), Number(date))
  const dayName = DAYS[midnight.getUTCDay()] ?? ''
  if (midnight.getUTCDate() !== Number(date) || !dayName.startsWith(day)) return undefined
  return midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000
}
