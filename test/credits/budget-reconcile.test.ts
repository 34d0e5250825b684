import { describe, expect, test } from 'vitest'
import { createBudget, type MemoryBudget } from '../../src/credits/budget.ts'
import { budgetAt, totals } from './budget-at.ts'

const exclusive = (credits = 5000) => createBudget({ credits, exclusiveKey: true })

/** One request that is answered, with nothing else in flight. */
function ask(budget: MemoryBudget, charged: number, remaining: number, worstCase = charged) {
  const reservation = budget.reserve(worstCase)
  reservation.confirm()
  return reservation.settle(charged, { remaining })
}

/** One request whose answer is lost. */
function lose(budget: MemoryBudget, credits: number): void {
  const reservation = budget.reserve(credits)
  reservation.confirm()
  reservation.markUncertain()
}

describe('the balance after a request that was in flight alone', () => {
  test('frees eight lost requests that never arrived', () => {
    const budget = exclusive()
    ask(budget, 50, 1_000_000)
    for (let i = 0; i < 8; i++) lose(budget, 600)
    expect(budget.available).toBe(150)
    expect(ask(budget, 50, 999_950)).toEqual({ charged: 0, freed: 4800 })
    expect(totals(budget)).toEqual({ spent: 100, reserved: 0, uncertain: 0, available: 4900 })
  })

  test('proves what lost answers cost: that part is spent, the rest is available', () => {
    const budget = exclusive()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    lose(budget, 600)
    expect(ask(budget, 0, 999_580)).toEqual({ charged: 420, freed: 780 })
    expect(totals(budget)).toEqual({ spent: 420, reserved: 0, uncertain: 0, available: 4580 })
  })

  test('proves nothing after a top-up, and is where the next proof begins', () => {
    const budget = exclusive()
    ask(budget, 0, 1_000)
    lose(budget, 600)
    expect(ask(budget, 0, 5_000_400)).toBeUndefined()
    expect(budget.uncertain).toBe(600)
    lose(budget, 100)
    expect(ask(budget, 0, 5_000_400)).toEqual({ charged: 0, freed: 100 })
    expect(budget.uncertain).toBe(600)
  })

  test('proves nothing about what was lost before the first balance', () => {
    const budget = exclusive()
    lose(budget, 600)
    expect(ask(budget, 50, 999_950)).toBeUndefined()
    expect(ask(budget, 50, 999_900)).toBeUndefined()
    expect(budget.uncertain).toBe(600)
  })

  test('is not asked without exclusiveKey', () => {
    const budget = createBudget({ credits: 5000 })
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    expect(ask(budget, 0, 1_000_000)).toBeUndefined()
    expect(budget.uncertain).toBe(600)
  })
})

describe('proves nothing', () => {
  test.each([
    ['when another request was in flight as it was sent', true, false],
    ['when another request was sent before its answer', false, true],
  ])('%s', (_, before, during) => {
    const budget = exclusive()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    const other = budget.reserve(10)
    if (before) other.confirm()
    const reservation = budget.reserve(50)
    reservation.confirm()
    if (before) other.release()
    if (during) other.confirm()
    if (during) other.release()
    expect(reservation.settle(50, { remaining: 999_950 })).toBeUndefined()
    expect(budget.uncertain).toBe(600)
    expect(ask(budget, 0, 999_950)).toEqual({ charged: 0, freed: 600 })
  })

  test('when a request was settled or lost that was never confirmed', () => {
    const budget = exclusive()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    budget.reserve(100).settle(100)
    expect(ask(budget, 0, 999_900)).toBeUndefined()
    budget.reserve(100).markUncertain()
    expect(ask(budget, 0, 999_900)).toBeUndefined()
    expect(budget.uncertain).toBe(700)
  })

  test.each([undefined, Number.NaN, -1, 1.5])('when the reported balance is %s', (remaining) => {
    const budget = exclusive()
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    const reservation = budget.reserve(0)
    reservation.confirm()
    expect(reservation.settle(0, { remaining })).toBeUndefined()
    expect(budget.uncertain).toBe(600)
  })
})

describe('with windows', () => {
  test('a queued reservation delays no proof, and one that is confirmed twice counts once', () => {
    const { budget, pass } = budgetAt({ credits: 5000, windowMs: 1000, exclusiveKey: true })
    ask(budget, 0, 1_000_000)
    const queued = budget.reserve(500)
    lose(budget, 600)
    expect(ask(budget, 0, 1_000_000)).toEqual({ charged: 0, freed: 600 })
    pass(1000)
    queued.confirm()
    queued.confirm()
    expect(queued.settle(500, { remaining: 999_500 })).toBeUndefined()
    lose(budget, 600)
    expect(ask(budget, 0, 999_500)).toEqual({ charged: 0, freed: 600 })
    expect(budget.spent).toBe(500)
  })

  test('what an earlier window lost is not taken from the current one, nor freed in it', () => {
    const { budget, pass } = budgetAt({ credits: 5000, windowMs: 1000, exclusiveKey: true })
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    const old = budget.reserve(300)
    old.confirm()
    pass(1000)
    old.markUncertain()
    expect(ask(budget, 50, 999_350)).toEqual({ charged: 600, freed: 0 })
    expect(totals(budget)).toEqual({ spent: 50, reserved: 0, uncertain: 0, available: 4950 })
  })

  test('of two windows that may have lost a charge, the current one counts it', () => {
    const { budget, pass } = budgetAt({ credits: 5000, windowMs: 1000, exclusiveKey: true })
    ask(budget, 0, 1_000_000)
    lose(budget, 600)
    pass(1000)
    lose(budget, 200)
    expect(ask(budget, 0, 999_700)).toEqual({ charged: 300, freed: 0 })
    expect(totals(budget)).toEqual({ spent: 200, reserved: 0, uncertain: 0, available: 4800 })
    expect(ask(budget, 0, 999_400)).toEqual({ charged: 300, freed: 0 })
    expect(budget.spent).toBe(200)
    expect(ask(budget, 0, 999_300)).toEqual({ charged: 100, freed: 0 })
    expect(budget.spent).toBe(100 + 100)
  })
})
