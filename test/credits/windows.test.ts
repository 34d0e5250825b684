import { createClient } from 'etn-market'
import { createProxy } from 'etn-market/proxy'
import { createRedisFleet } from 'etn-market/redis'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { BudgetWindows } from '../../src/credits/windows.ts'
import { InvalidRequestError } from '../../src/errors/input.ts'
import { testProperty } from '../support/property.ts'

const DAY = 86_400_000

const length = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }),
  fc.integer({ min: 1, max: 2 ** 40 }),
  fc.constantFrom(1, 60_000, DAY, 2 ** 31, 2 ** 31 - 1, 2 ** 53 - 1),
)
/** The clock of a process begins anywhere, and `performance.now()` has fractions of a millisecond. */
const origin = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.double({ min: -1e12, max: 2e12, noNaN: true }),
)
const steps = fc.array(
  fc.record({
    windows: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.nat({ max: 100_000 })),
    // At the boundary, one of the closest moments to it, or anywhere.
    beside: fc.oneof(fc.constantFrom(0, -1, 1), fc.constantFrom(-0.5, 0.5)),
    fraction: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { minLength: 1, maxLength: 10 },
)

/** The next number of the type, up or down. */
function neighbour(value: number, direction: number): number {
  const ulp = 2 ** (Math.max(-1022, Math.floor(Math.log2(Math.abs(value) || 1))) - 52)
  return value + direction * ulp
}

testProperty(
  'a moment is in exactly one window, whatever the length, the origin and the clock',
  fc.property(length, origin, steps, (windowMs, origin, plan) => {
    let now = origin
    const windows = new BudgetWindows(windowMs, origin, { now: () => now, jumpedMs: 0, setBackMs: 0 })
    const seen: unknown[] = []
    const expected: unknown[] = []
    for (const { windows: passed, beside, fraction } of plan) {
      const boundary = windows.current().end + passed * windowMs
      const moment = beside === 0 ? boundary : neighbour(boundary, Math.sign(beside))
      now = Math.max(now, moment + fraction * windowMs)
      const { start, end } = windows.current()
      // Looked at again it is the same one, and the next one begins where it ends.
      seen.push([start <= now && now < end, windows.current().start, windows.msLeft()])
      expected.push([true, start, end - now])
      now = end
      seen.push(windows.current().start)
      expected.push(end)
    }
    expect(seen).toEqual(expected)
  }),
  { cases: 300 },
)

describe('the length of a window', () => {
  const redis = { eval: async () => [] }
  const proxy = {
    client: createClient(),
    basePath: '/api/market',
    allow: ['token.price' as const],
    visitor: () => 'somebody',
  }
  const rule = 'It must be a whole number of milliseconds above 0.'
  test.each<[string, (windowMs: number) => unknown]>([
    ['createBudget', (windowMs) => createBudget({ credits: 1, windowMs })],
    ['a client', (windowMs) => createClient({ budget: { credits: 1, windowMs } })],
    ['a fleet', (windowMs) => createRedisFleet(redis, { name: 'fleet', budget: { credits: 1, windowMs } })],
    ['a proxy', (windowMs) => createProxy({ ...proxy, budget: { credits: 1, windowMs } })],
    ['a visitor', (windowMs) => createProxy({ ...proxy, budget: false, perVisitor: { credits: 1, windowMs } })],
  ])('of %s is a whole number of milliseconds', (_, create) => {
    for (const windowMs of [DAY / 7, 3_600_000 / 11, 0.5, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => create(windowMs)).toThrow(InvalidRequestError)
      expect(() => create(windowMs)).toThrow(rule)
    }
    create(60_000)
  })
})
