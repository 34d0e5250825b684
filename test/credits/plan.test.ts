import { describe, expect, test } from 'vitest'
import { type PlannedCall, planCredits } from '../../src/credits/plan.ts'
import { InvalidRequestError } from '../../src/errors/index.ts'

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const addresses = Array.from({ length: 60 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

describe('planCredits', () => {
  test('states the cost of one call a minute per day and how long the balance lasts', () => {
    const plan = planCredits([{ operation: 'token.price', params: { address }, everyMs: MINUTE_MS }], {
      credits: 720_000,
      creditsPerDay: 36_000,
    })
    expect(plan).toEqual({
      creditsPerDay: 72_000,
      usdPerDay: 0.072,
      requestsPerDay: 1440,
      daysUntilEmpty: 10,
      stretch: 2,
      calls: [{ operation: 'token.price', credits: 50, creditsPerDay: 72_000, affordableEveryMs: 2 * MINUTE_MS }],
    })
  })

  test('counts the worst case of each call and every request of a batch', () => {
    const plan = planCredits([
      { operation: 'token.list', params: { limit: 20 }, everyMs: HOUR_MS },
      { operation: 'prices.batch', params: { addresses }, everyMs: HOUR_MS },
      { operation: 'account.me', everyMs: HOUR_MS },
    ])
    expect(plan.calls.map(({ credits }) => credits)).toEqual([200, 800, 0])
    expect([plan.creditsPerDay, plan.requestsPerDay]).toEqual([24_000, 96])
    expect([plan.daysUntilEmpty, plan.stretch]).toEqual([undefined, undefined])
  })

  test('does not stretch a plan that fits, and never ends a plan that costs nothing', () => {
    const calls: PlannedCall[] = [{ operation: 'account.me', everyMs: HOUR_MS }]
    expect(planCredits(calls, { credits: 5, creditsPerDay: 5 })).toMatchObject({
      daysUntilEmpty: Number.POSITIVE_INFINITY,
      stretch: 1,
      calls: [{ affordableEveryMs: HOUR_MS }],
    })
    expect(planCredits([])).toMatchObject({ creditsPerDay: 0, usdPerDay: 0, requestsPerDay: 0, calls: [] })
  })

  test('returns intervals with which the plan fits', () => {
    const plan = planCredits(
      [
        { operation: 'farm.list', everyMs: HOUR_MS },
        { operation: 'token.price', params: { address }, everyMs: 7_000 },
      ],
      { creditsPerDay: 100_000 },
    )
    const spent = plan.calls.reduce((sum, call) => sum + (call.credits * 86_400_000) / call.affordableEveryMs, 0)
    expect(spent).toBeCloseTo(100_000)
  })

  test.each([0, -1, Number.NaN, '60000', undefined, null])('rejects the interval %j', (everyMs) => {
    expect(() => planCredits([{ operation: 'etn.price', everyMs: everyMs as number }])).toThrow(InvalidRequestError)
  })

  test.each([0, -1, Number.NaN, '5', null])('rejects %j credits', (credits) => {
    expect(() => planCredits([], { credits: credits as number })).toThrow(InvalidRequestError)
    expect(() => planCredits([], { creditsPerDay: credits as number })).toThrow(InvalidRequestError)
  })

  test('rejects the parameters that the call rejects', () => {
    expect(() => planCredits([{ operation: 'token.list', params: { limit: 101 }, everyMs: 1 }])).toThrow(
      InvalidRequestError,
    )
  })
})
