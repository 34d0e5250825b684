import { afterEach, expect, test, vi } from 'vitest'
import { formatDistance } from '../src/parts/format.ts'
import { initialsOf, isolate, nameOf } from '../src/parts/names.tsx'

afterEach(() => vi.unstubAllEnvs())

test.each([
  // Two calendar days, although less than 48 hours.
  ['2026-11-23T10:00', '2026-11-25T09:00', 'in 2 days'],
  ['2026-11-23T00:01', '2026-11-24T23:59', 'tomorrow'],
  ['2026-11-23T10:00', '2026-11-24T09:00', 'in 23 hours'],
  ['2026-11-25T09:00', '2026-11-23T10:00', '2 days ago'],
  ['2026-11-25T12:00', '2026-11-24T11:00', 'yesterday'],
  ['2026-11-23T10:00', '2026-11-23T10:00:30', 'in 30 seconds'],
  ['2026-11-23T10:00', '2026-11-23T11:59', 'in 1 hour'],
  // 59 days, two months by the calendar.
  ['2026-11-30T10:00', '2027-01-28T10:00', 'in 2 months'],
  ['2026-11-01T10:00', '2026-12-20T10:00', 'next month'],
  // All of it in one month, and in one year.
  ['2027-01-01T00:00', '2027-01-31T00:00', 'in 30 days'],
  ['2028-01-01T00:00', '2028-12-31T00:00', 'in 11 months'],
  ['2026-11-23T10:00', '2028-10-23T10:00', 'in 2 years'],
  ['2026-11-23T10:00', '2025-10-23T10:00', 'last year'],
])('from %s, %s is %s', (now, date, expected) => {
  expect(formatDistance(new Date(date), new Date(now))).toBe(expected)
})

test('a day on which clocks change is one day', () => {
  vi.stubEnv('TZ', 'Europe/Berlin')
  expect(formatDistance(new Date('2026-10-26T12:00'), new Date('2026-10-24T12:00'))).toBe('in 2 days')
  expect(formatDistance(new Date('2027-03-29T12:00'), new Date('2027-03-27T12:00'))).toBe('in 2 days')
})

const ADDRESS = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

test.each([
  ['BOLT', 'BOLT'],
  [' BOLT\n', 'BOLT'],
  ['🦊', '🦊'],
  ['', '0x043f…Cff1'],
  [' \t ', '0x043f…Cff1'],
  ['\u200b\u2066\u202e', '0x043f…Cff1'],
  [null, '0x043f…Cff1'],
  [undefined, '0x043f…Cff1'],
])('a token that is called %j is shown as %j', (text, expected) => {
  expect(nameOf(text, ADDRESS)).toBe(expected)
})

test('initials are whole characters', () => {
  expect([initialsOf('BOLT'), initialsOf('🦊Fox'), initialsOf('𝔄𝔅', 2), initialsOf('')]).toEqual(['B', '🦊', '𝔄𝔅', ''])
})

test('a name in the title of the page turns nothing round', () => {
  expect(isolate('\u202eTLOB')).toBe('\u2068\u202eTLOB\u2069')
})
