import { describe, expect, test } from 'vitest'
import { parseHttpDate, retryAfterMs } from '../../src/transport/retry-after.ts'

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0)

function read(values: string | readonly string[], date?: string, now = NOW): number | undefined {
  const headers = new Headers()
  for (const value of typeof values === 'string' ? [values] : values) headers.append('retry-after', value)
  if (date !== undefined) headers.set('date', date)
  return retryAfterMs(headers, now)
}

describe('Retry-After in seconds', () => {
  test.each([
    ['0', 0],
    ['1', 1_000],
    ['007', 7_000],
    ['120', 120_000],
    ['  5', 5_000],
    ['5\t ', 5_000],
  ])('reads %j as a wait', (value, ms) => expect(read(value)).toBe(ms))

  const NONE = '-1 +1 1.5 1.0 1e3 0x10 5s 1_000 soon NaN Infinity ٣ ５'.split(' ')
  test.each([...NONE, '5 s', '1 000', '', ' '])('ignores %j', (value) => {
    const headers = { get: (name: string) => (name === 'retry-after' ? value : null) } as unknown as Headers
    expect(retryAfterMs(headers, NOW)).toBeUndefined()
  })

  test('allows only space and tab around the digits', () => {
    expect(read('\u00a05')).toBeUndefined()
  })

  test('is undefined without a header', () => {
    expect(retryAfterMs(new Headers(), NOW)).toBeUndefined()
  })

  test.each(['9'.repeat(16), '9'.repeat(400), '2147483648'])(
    'reads %s as a finite wait, longer than any timer',
    (value) => {
      const ms = read(value)
      expect(Number.isSafeInteger(ms)).toBe(true)
      expect(ms).toBeGreaterThan(2_147_483_647)
    },
  )
})

describe('Retry-After as a date', () => {
  test.each([
    ['IMF-fixdate', 'Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['RFC 850', 'Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['asctime', 'Fri Nov 20 12:00:30 2026', 30_000],
    ['asctime with a day of one digit', 'Tue Dec  1 12:00:00 2026', 11 * 86_400_000],
    ['a date that is now', 'Fri, 20 Nov 2026 12:00:00 GMT', 0],
    ['a date in the past', 'Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['a date long past', 'Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['a leap day', 'Tue, 29 Feb 2028 12:00:00 GMT', Date.UTC(2028, 1, 29, 12) - NOW],
    ['a leap second', 'Thu, 31 Dec 2026 23:59:60 GMT', Date.UTC(2027, 0, 1) - NOW],
  ])('%s: %j', (_, value, ms) => expect(read(value)).toBe(ms))

  test.each([
    ['a day that the month does not have', 'Tue, 31 Nov 2026 12:00:00 GMT'],
    ['the 30th of February', 'Mon, 30 Feb 2026 12:00:00 GMT'],
    ['a leap day in a common year', 'Mon, 29 Feb 2027 12:00:00 GMT'],
    ['a leap day of 2100, which is a common year', 'Mon, 29 Feb 2100 12:00:00 GMT'],
    ['day 00', 'Tue, 00 Dec 2026 12:00:00 GMT'],
    ['the wrong day of the week', 'Mon, 20 Nov 2026 12:00:30 GMT'],
    ['the wrong day of the week, RFC 850', 'Monday, 20-Nov-26 12:00:30 GMT'],
    ['the wrong day of the week, asctime', 'Mon Nov 20 12:00:30 2026'],
    ['hour 24', 'Fri, 20 Nov 2026 24:00:00 GMT'],
    ['minute 60', 'Fri, 20 Nov 2026 12:60:00 GMT'],
    ['second 61', 'Fri, 20 Nov 2026 12:00:61 GMT'],
    ['another zone', 'Fri, 20 Nov 2026 12:00:30 UTC'],
    ['an offset', 'Fri, 20 Nov 2026 12:00:30 +0000'],
    ['a local zone', 'Fri, 20 Nov 2026 12:00:30 EST'],
    ['no zone', 'Fri, 20 Nov 2026 12:00:30'],
    ['lower case', 'fri, 20 nov 2026 12:00:30 gmt'],
    ['a day of one digit', 'Tue, 1 Dec 2026 12:00:00 GMT'],
    ['no day of the week', '20 Nov 2026 12:00:30 GMT'],
    ['ISO 8601', '2026-11-20T12:00:30Z'],
    ['two spaces', 'Fri,  20 Nov 2026 12:00:30 GMT'],
    ['asctime with a zone', 'Fri Nov 20 12:00:30 2026 GMT'],
    ['RFC 850 with a year of four digits', 'Friday, 20-Nov-2026 12:00:30 GMT'],
    ['RFC 850 with a short day', 'Fri, 20-Nov-26 12:00:30 GMT'],
    ['a word after it', 'Fri, 20 Nov 2026 12:00:30 GMT please'],
  ])('ignores %s: %j', (_, value) => expect(read(value)).toBeUndefined())

  test('reads a two-digit year more than 50 years ahead as one in the past', () => {
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', NOW)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37))
    expect(parseHttpDate('Friday, 20-Nov-76 12:00:00 GMT', NOW)).toBe(Date.UTC(2076, 10, 20, 12))
    expect(parseHttpDate('Saturday, 20-Nov-76 12:00:01 GMT', NOW)).toBe(Date.UTC(1976, 10, 20, 12, 0, 1))
  })

  test('reads a leap day in a two-digit year as the last year that has it', () => {
    expect(parseHttpDate('Tuesday, 29-Feb-00 12:00:00 GMT', NOW)).toBe(Date.UTC(2000, 1, 29, 12))
  })

  test('reads a two-digit year just after the turn of a century as one in that century', () => {
    const eve = Date.UTC(2099, 11, 31, 23, 59, 50)
    expect(read('Friday, 01-Jan-00 00:00:00 GMT', undefined, eve)).toBe(10_000)
  })
})

describe("Retry-After counts from the service's own clock", () => {
  const AT = 'Fri, 20 Nov 2026 12:00:30 GMT'

  test.each([
    ['an hour fast', 'Fri, 20 Nov 2026 12:00:10 GMT', 20_000],
    ['slow', 'Fri, 20 Nov 2026 10:00:30 GMT', 7_200_000],
    ['in RFC 850 form', 'Friday, 20-Nov-26 12:00:25 GMT', 5_000],
    ['in asctime form', 'Fri Nov 20 12:00:25 2026', 5_000],
    ['after the date', 'Fri, 20 Nov 2026 12:01:00 GMT', 0],
  ])('reads a Date header that is %s', (_, date, ms) => expect(read(AT, date)).toBe(ms))

  test.each(['', 'yesterday', 'Mon, 20 Nov 2026 12:00:10 GMT', '1795176000'])(
    'ignores an invalid Date header: %j',
    (date) => {
      expect(read(AT, date)).toBe(30_000)
    },
  )

  test('reads seconds without any Date', () => {
    expect(read('5', 'Fri, 20 Nov 2026 10:00:30 GMT')).toBe(5_000)
  })
})

describe('several Retry-After headers', () => {
  test.each<[readonly string[], number | undefined]>([
    [['5', '10'], 10_000],
    [['10', '5'], 10_000],
    [['5, 10'], 10_000],
    [['soon', '5'], 5_000],
    [['5', '-1'], 5_000],
    [['soon', '1.5'], undefined],
    [['5', 'Fri, 20 Nov 2026 12:00:30 GMT'], 30_000],
    [['Fri, 20 Nov 2026 12:00:30 GMT', '5'], 30_000],
    [['Fri, 20 Nov 2026 12:00:30 GMT', 'Friday, 20-Nov-26 12:00:40 GMT', 'Fri Nov 20 12:00:50 2026'], 50_000],
    [['Fri, 20 Nov 2026 11:00:00 GMT', '0'], 0],
    [['Sun', '5'], 5_000],
    [['Fri', 'Fri, 20 Nov 2026 12:00:30 GMT'], 30_000],
    [[',,5,'], 5_000],
  ])('use the longest valid value of %j', (values, ms) => expect(read(values)).toBe(ms))
})
