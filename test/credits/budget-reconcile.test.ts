import { describe, expect, test } from 'vitest'
import { createBudget, type MemoryBudget } from '../../src/credits/budget.ts'
import { budgetAt, totals } from './budget-at.ts'

/** A lost request that was sent so long ago is charged by then or never. */
const DELAY_MS = 60_000
const KEY = 'esk_live_a_key'

const exclusive = (credits = 5000) => budgetAt({ credits, exclusiveKey: true })

/** One request that is answered, with nothing else in flight. */
function ask(budget: MemoryBudget, charged: number, remaining: number, worstCase = charged) {
  const reservation = budget.reserve(worstCase)
  reservation.confirm({}, KEY)
  return reservation.settle(charged, { remaining })
}

/** One request whose answer is lost. */
function lose(budget: MemoryBudget, credits: number): void {
  const reservation = budget.reserve(credits)
  reservation.confirm({}, KEY)
  reservation.markUncertain()
}

// Whatever happens in any order: `budget-reconcile-model.test.ts`. Without exclusiveKey: `test/support/budget-conformance.ts`.
describe('the balance after a request that was in flight alone', () => {
  test('counts a charge at once, and what may still be charged as well, until that is known', () => {
    const { budget, pass } = exclusive()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    pass(30_000)
    lose(budget, 200)
    expect(ask(budget, 0, 999_400)).toEqual({ charged: 600, freed: 0 })
    expect(totals(budget)).toEqual({ spent: 600, reserved: 0, uncertain: 800, available: 3600 })
    pass(30_000)
    expect(ask(budget, 0, 999_200)).toEqual({ charged: 200, freed: 400 })
    expect(totals(budget)).toEqual({ spent: 800, reserved: 0, uncertain: 200, available: 4000 })
    pass(30_000)
    expect(ask(budget, 0, 999_200)).toEqual({ charged: 0, freed: 200 })
    expect(totals(budget)).toEqual({ spent: 800, reserved: 0, uncertain: 0, available: 4200 })
  })

  test('is that of the moment at which its request was sent: a loss of 60 s ago may have been charged after it', () => {
    const { budget, pass } = exclusive()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    pass(DELAY_MS - 1)
    const slow = budget.reserve(0)
    slow.confirm({}, KEY)
    pass(10_000)
    expect(slow.settle(0, { remaining: 1_000_000 })).toBeUndefined()
    expect(budget.uncertain).toBe(600)
    expect(ask(budget, 0, 999_400)).toEqual({ charged: 600, freed: 0 })
  })

  test('after another maxChargeDelayMs', () => {
    const { budget, pass } = budgetAt({ credits: 5000, exclusiveKey: true, maxChargeDelayMs: 1_000 })
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    pass(1_000)
    expect(ask(budget, 0, 1_000_000)).toEqual({ charged: 0, freed: 600 })
    for (const maxChargeDelayMs of [0, -1, Number.NaN, '1s'])
      expect(() => createBudget({ credits: 1, maxChargeDelayMs: maxChargeDelayMs as number })).toThrow(
        'budget.maxChargeDelayMs',
      )
  })

  test('proves nothing after a top-up, and is where the next proof begins', () => {
    const { budget, pass } = exclusive()
    ask(budget, 0, 1_000)
    lose(budget, 600)
    pass(DELAY_MS)
    expect(ask(budget, 0, 5_000_400)).toBeUndefined()
    expect(budget.uncertain).toBe(600)
    lose(budget, 100)
    pass(DELAY_MS)
    expect(ask(budget, 0, 5_000_400)).toEqual({ charged: 0, freed: 100 })
    expect(budget.uncertain).toBe(600)
  })

  test('frees thousands of losses, each when it is old enough or little later', () => {
    const { budget, pass } = exclusive(1_000_000)
    ask(budget, 0, 1_000_000)
    for (let second = 0; second < 120; second++) {
      for (let i = 0; i < 20; i++) lose(budget, 10)
      pass(1_000)
      ask(budget, 0, 1_000_000)
      const young = Math.min(second + 1, 60) * 200
      expect(budget.uncertain).toBeGreaterThanOrEqual(second < 59 ? young : young - 200)
      // An eighth of a minute, and what was added since the last time that they were counted together.
      expect(budget.uncertain).toBeLessThanOrEqual(young + 9 * 200)
    }
  })
})

describe('proves nothing', () => {
  test.each([
    ['when another request was in flight as it was sent', true, false],
    ['when another request was sent before its answer', false, true],
  ])('%s', (_, before, during) => {
    for (const key of [KEY, undefined]) {
      const { budget, pass } = exclusive()
      ask(budget, 0, 1_000_000)
      lose(budget, 600)
      pass(DELAY_MS)
      const other = budget.reserve(10)
      if (before) other.confirm({}, key)
      const reservation = budget.reserve(50)
      reservation.confirm({}, KEY)
      if (before) other.release()
      if (during) other.confirm({}, key)
      if (during) other.release()
      expect(reservation.settle(50, { remaining: 999_950 })).toBeUndefined()
      expect(budget.uncertain).toBe(600)
      expect(ask(budget, 0, 999_950)).toEqual({ charged: 0, freed: 600 })
    }
  })

  test.each([
    ['never confirmed', () => {}],
    ['confirmed without a key', (confirm: () => void) => confirm()],
  ])('when a request was charged that was %s', (_, maybe) => {
    const { budget, pass } = exclusive()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    pass(DELAY_MS)
    const reservation = budget.reserve(100)
    maybe(() => reservation.confirm())
    reservation.settle(100)
    expect(ask(budget, 0, 999_900)).toBeUndefined()
    expect(ask(budget, 0, 999_900)).toBeUndefined()
    expect(totals(budget)).toEqual({ spent: 100, reserved: 0, uncertain: 600, available: 4_300 })
  })

  test.each([undefined, Number.NaN, -1, 1.5])('when the reported balance is %s', (remaining) => {
    const { budget, pass } = exclusive()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    pass(DELAY_MS)
    const reservation = budget.reserve(0)
    reservation.confirm({}, KEY)
    expect(reservation.settle(0, { remaining })).toBeUndefined()
    expect(budget.uncertain).toBe(600)
  })
})

describe('with windows', () => {
  const windowMs = 100_000
  const windowed = () => budgetAt({ credits: 5000, windowMs, exclusiveKey: true })

  test('a queued reservation delays no proof, and one that is confirmed twice counts once', () => {
    const { budget, pass } = windowed()
    ask(budget, 0, 1_000_000)
    const queued = budget.reserve(500)
    lose(budget, 600)
    pass(DELAY_MS)
    expect(ask(budget, 0, 1_000_000)).toEqual({ charged: 0, freed: 600 })
    pass(windowMs)
    queued.confirm({}, KEY)
    queued.confirm({}, KEY)
    expect(queued.settle(500, { remaining: 999_500 })).toBeUndefined()
    pass(-DELAY_MS)
    lose(budget, 600)
    pass(DELAY_MS)
    expect(ask(budget, 0, 999_500)).toEqual({ charged: 0, freed: 600 })
    expect(budget.spent).toBe(500)
  })

  test('what an earlier window lost is not taken from the current one, nor freed in it', () => {
    const { budget, pass } = windowed()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    const old = budget.reserve(300)
    old.confirm({}, KEY)
    pass(windowMs)
    old.markUncertain()
    expect(ask(budget, 50, 999_350)).toEqual({ charged: 600, freed: 0 })
    expect(totals(budget)).toEqual({ spent: 50, reserved: 0, uncertain: 0, available: 4950 })
  })

  test('of two windows that may have lost a charge, the current one counts it', () => {
    const { budget, pass } = windowed()
    ask(budget, 0, 1_000_000)
    pass(windowMs - 1)
    lose(budget, 600)
    pass(1)
    lose(budget, 200)
    expect(ask(budget, 0, 999_700)).toEqual({ charged: 300, freed: 0 })
    expect(budget.spent).toBe(200)
    expect(ask(budget, 0, 999_400)).toEqual({ charged: 300, freed: 0 })
    expect(budget.spent).toBe(200)
    pass(DELAY_MS)
    expect(ask(budget, 0, 999_200)).toEqual({ charged: 200, freed: 200 })
    expect(totals(budget)).toEqual({ spent: 200, reserved: 0, uncertain: 0, available: 4800 })
    // Nothing is left that explains it.
    expect(ask(budget, 0, 999_100)).toEqual({ charged: 100, freed: 0 })
    expect(budget.spent).toBe(300)
  })
})
