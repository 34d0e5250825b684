import { afterEach, expect, test } from 'vitest'
import { parseHttpDate } from '../../src/transport/retry-after.ts'

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0)
const zone = process.env.TZ

afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

test.each(['America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati', 'UTC'])(
  'the time zone of the machine does not change how a date is read: %s',
  (name) => {
    process.env.TZ = name
    expect(new Date(NOW).getTimezoneOffset() === 0).toBe(name === 'UTC')
    for (const value of [
      'Fri, 20 Nov 2026 12:00:30 GMT',
      'Friday, 20-Nov-26 12:00:30 GMT',
      'Fri Nov 20 12:00:30 2026',
    ]) {
      expect(parseHttpDate(value, NOW)).toBe(NOW + 30_000)
    }
    // An hour that daylight saving skips in New York.
    expect(parseHttpDate('Sun, 14 Mar 2027 02:30:00 GMT', NOW)).toBe(Date.UTC(2027, 2, 14, 2, 30))
  },
)
