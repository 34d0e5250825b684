import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTokenBucket } from '../../src/feed/schedule/token-bucket.ts'
import { testProperty } from '../support/property.ts'
import { DAY } from './setup.ts'

const YEAR = 365 * DAY
const watches = fc.array(
  fc.record({
    addresses: fc.integer({ min: 1, max: 60 }),
    everyMs: fc.integer({ min: 1, max: DAY }),
    from: fc.nat(DAY),
  }),
  { minLength: 1, maxLength: 5 },
)

/** The highest number of credits that the bucket covers. */
function coverOf(bucket: ReturnType<typeof createTokenBucket>, now: number): number {
  let [covered, above] = [0, 1_000_000]
  while (above - covered > 1) {
    const middle = (covered + above) >> 1
    if (bucket.covers(middle, now)) covered = middle
    else above = middle
  }
  return covered
}

function bucketOf(plans: readonly { addresses: number; everyMs: number; from: number }[], spent: number) {
  const bucket = createTokenBucket()
  for (const { addresses, everyMs, from } of [...plans].sort((a, b) => a.from - b.from))
    bucket.addWatch(addresses, everyMs, from)
  bucket.setLeadTime(500)
  bucket.spend(spent, DAY)
  return bucket
}

testProperty(
  'a bucket fills by the same credits in one step of time as in many',
  fc.property(watches, fc.nat(50_000), fc.array(fc.nat(DAY / 4), { maxLength: 20 }), (plans, spent, steps) => {
    const [once, often] = [bucketOf(plans, spent), bucketOf(plans, spent)]
    let now = DAY
    for (const step of steps) {
      now += step
      often.covers(0, now)
    }
    expect(coverOf(once, now)).toBe(coverOf(often, now))
  }),
  { cases: 100 },
)

test('a bucket that nobody looked at for a thousand years is full, and computes that in one step', () => {
  const bucket = bucketOf([{ addresses: 50, everyMs: 1_000, from: 0 }], 1_200)
  expect(coverOf(bucket, 1_000 * YEAR)).toBe(1_200)
})
