import { afterEach, describe, expect, test } from 'vitest'
import { parseHttpDate, retryAfterMs } from '../../src/request/retry-after.ts'

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0)

function read(values: string | readonly string[], date?: string, now = NOW): number | undefined {
  const headers = new Headers()
  for (const value of typeof values === 'string' ? [values] : values) headers.append('retry-after', value)
  if (date !== undefined) headers.set('date', date)
  return retryAfterMs(headers, now)
}

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

describe('the time zone of the machine', () => {
  const zone = process.env.TZ

  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  test.each(['America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati', 'UTC'])(
    'does not change how a date is read: %s',
    (name) => {
      process.env.TZ = name
      expect(new Date(NOW).getTimezoneOffset() === 0).toBe(name === 'UTC')
      for (const value of [
        'Fri, 20 Nov 2026 12:00:30 GMT',
        'Friday, 20-Nov-26 12:00:30 GMT',
        'Fri Nov 20 12:00:30 2026',
      ]) {
        expect(read(value)).toBe(30_000)
      }
      // An hour that daylight saving skips in New York.
      expect(parseHttpDate('Sun, 14 Mar 2027 02:30:00 GMT', NOW)).toBe(Date.UTC(2027, 2, 14, 2, 30))
    },
  )
})
