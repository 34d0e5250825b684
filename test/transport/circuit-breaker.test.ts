import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CircuitBreaker, MAX_KEY_REFUSALS, RefusalWindow } from '../../src/transport/circuit-breaker.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'

/** The service locks a key that it has refused so often within a minute. */
const LOCKS_KEY = 20

test('the limit of refusals leaves room below the number that locks a key', () => {
  expect(MAX_KEY_REFUSALS).toBe(15)
  expect(MAX_KEY_REFUSALS).toBeLessThan(LOCKS_KEY)
})

test.each([
  [0, 0],
  [3, 0],
  [4, 2_000],
  [5, 4_000],
  [6, 8_000],
  [7, 8_000],
  [15, 8_000],
])('after %i refusals in a minute the next request waits at least %i ms', (refusals, waitMs) => {
  const refused = new RefusalWindow(createVirtualClock())
  for (let count = 0; count < refusals; count++) refused.add(true)
  // Those that are only possible do not count here.
  for (let count = 0; count < 10; count++) refused.add(false)
  expect(refused.escalatedWaitMs()).toBe(waitMs)
  expect([refused.certain(), refused.count()]).toEqual([refusals, refusals + 10])
})

test('a refusal is forgotten after a minute, and so it is known when there are fewer than a limit', async () => {
  const clock = createVirtualClock()
  const refused = new RefusalWindow(clock)
  for (const isCertain of [true, false, true]) {
    refused.add(isCertain)
    await clock.advance(10_000)
  }
  expect([1, 2, 3, 4].map((limit) => Math.round(refused.msUntilBelow(limit)))).toEqual([50_001, 40_001, 30_001, 0])
  await clock.advance(29_990)
  expect(refused.count()).toBe(3)
  await clock.advance(20)
  expect([refused.count(), refused.certain()]).toEqual([2, 1])
  await clock.advance(20_000)
  expect([refused.count(), refused.escalatedWaitMs()]).toEqual([0, 0])
})

testProperty(
  'a refusal that counts has time left, at every phase of the clock: nobody waits for it without a timer',
  fc.property(
    fc.double({ min: 0, max: 1e9, noNaN: true }),
    fc.array(fc.double({ min: 0, max: 59_999, noNaN: true }), { minLength: 1, maxLength: 20 }),
    fc.integer({ min: -2, max: 2 }),
    (start, moments, steps) => {
      let elapsed = start
      const refused = new RefusalWindow({ ...createVirtualClock(), monotonic: () => elapsed })
      for (const moment of [...moments].sort((one, other) => one - other)) {
        elapsed = start + moment
        refused.add(true)
      }
      // When the first one ends to count, or a rounding beside it.
      elapsed = start + Math.min(...moments) + 60_001 + steps * 2 ** -24
      for (const limit of [1, moments.length]) expect(refused.msUntilBelow(limit) > 0).toBe(refused.count() >= limit)
    },
  ),
  { cases: 500 },
)

test('a circuit breaker is idle only while no request is in flight and no refusal is recent', async () => {
  const clock = createVirtualClock()
  const breaker = new CircuitBreaker(clock, 'key', new RefusalWindow(clock))
  expect(breaker.isIdle).toBe(true)
  const permit = breaker.grant()
  expect(breaker.isIdle).toBe(false)
  breaker.end(permit, 'succeeded')
  expect(breaker.isIdle).toBe(true)
  breaker.refuse(breaker.grant(), 1_000)
  expect(breaker.isIdle).toBe(false)
  await clock.advance(1_000)
  breaker.end(breaker.grant(), 'succeeded')
  expect(breaker.isIdle).toBe(false)
  await clock.advance(60_000)
  expect(breaker.isIdle).toBe(true)
})

test.each([1, 3, MAX_KEY_REFUSALS])(
  'refusals and requests in flight of a half-open breaker never exceed %i',
  async (most) => {
    const clock = createVirtualClock()
    const refused = new RefusalWindow(clock)
    const breaker = new CircuitBreaker(clock, 'key', refused, most)
    for (let count = 0; count < most - 1; count++) refused.add(true)
    breaker.hold(1_000)
    expect(breaker.isAvailable).toBe(false)
    await clock.advance(1_000)
    expect(breaker.isAvailable).toBe(true)
    const probe = breaker.grant()
    expect(breaker.isAvailable).toBe(false)
    breaker.refuse(probe, 0)
    await clock.advance(10_000)
    expect([refused.count(), breaker.isAvailable]).toEqual([most, false])
    // One that is exactly a minute old counts.
    await clock.advance(50_000)
    expect(refused.count()).toBe(1)
    await clock.advance(2)
    expect([refused.count(), breaker.isAvailable]).toEqual([0, true])
  },
)

test('where probes succeed, requests in flight count as refusals that may come', async () => {
  const clock = createVirtualClock()
  const refused = new RefusalWindow(clock)
  const breaker = new CircuitBreaker(clock, 'key', refused, MAX_KEY_REFUSALS)
  for (let count = 0; count < MAX_KEY_REFUSALS - 2; count++) refused.add(true)
  breaker.hold(1_000)
  await clock.advance(1_000)
  for (let count = 0; count < 3; count++) breaker.end(breaker.grant(), 'succeeded')
  breaker.grant()
  expect(breaker.isAvailable).toBe(true)
  breaker.grant()
  expect(breaker.isAvailable).toBe(false)
})
