import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { BudgetExceededError, InvalidRequestError } from '../../src/errors/index.ts'
import { budgetAt, START, totals } from './budget-at.ts'

describe('a reservation', () => {
  test.each([
    ['below what was set aside', 30, { spent: 30, reserved: 0, uncertain: 0, available: 70 }],
    ['exactly', 50, { spent: 50, reserved: 0, uncertain: 0, available: 50 }],
    ['above what was set aside', 80, { spent: 80, reserved: 0, uncertain: 0, available: 20 }],
    [
      'above the limit: recorded as it is, and nothing is available',
      130,
      { spent: 130, reserved: 0, uncertain: 0, available: 0 },
    ],
    ['nothing', 0, { spent: 0, reserved: 0, uncertain: 0, available: 100 }],
  ])('settled %s', (_, charged, expected) => {
    const budget = createBudget({ credits: 100 })
    const reservation = budget.reserve(50)
    expect(totals(budget)).toEqual({ spent: 0, reserved: 50, uncertain: 0, available: 50 })
    reservation.settle(charged)
    expect(totals(budget)).toEqual(expected)
  })

  test('released is free again, lost stays blocked', () => {
    const budget = createBudget({ credits: 100 })
    budget.reserve(60).release()
    expect(totals(budget)).toEqual({ spent: 0, reserved: 0, uncertain: 0, available: 100 })
    budget.reserve(60).markUncertain()
    expect(totals(budget)).toEqual({ spent: 0, reserved: 0, uncertain: 60, available: 40 })
  })

  test('is decided by the first of its methods; settling twice counts once', () => {
    const ends = ['settle', 'markUncertain', 'release'] as const
    for (const first of ends) {
      for (const second of ends) {
        const budget = createBudget({ credits: 100 })
        const reservation = budget.reserve(50)
        reservation[first](20)
        const decided = totals(budget)
        reservation[second](40)
        expect(totals(budget), `${first}, then ${second}`).toEqual(decided)
      }
    }
  })

  test('that does not fit is refused at once, and takes nothing', () => {
    const { budget } = budgetAt({ credits: 100, windowMs: 1000 })
    budget.reserve(60)
    const error = catchFrom(() => budget.reserve(41, { operation: 'token.price' }))
    expect(error).toBeInstanceOf(BudgetExceededError)
    expect(error).toMatchObject({
      code: 'budget_exceeded',
      needed: 41,
      available: 40,
      resetsAt: START + 1000,
      operation: 'token.price',
      charge: 'none',
      credits: 0,
      attempts: 0,
    })
    expect(String(error)).toContain('token.price')
    expect(totals(budget)).toEqual({ spent: 0, reserved: 60, uncertain: 0, available: 40 })
    budget.reserve(40)
    expect(budget.available).toBe(0)
  })

  test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined])('of %s credits is refused', (credits) => {
    const budget = createBudget({ credits: 100 })
    expect(() => budget.reserve(credits as number)).toThrow(InvalidRequestError)
    expect(totals(budget)).toEqual({ spent: 0, reserved: 0, uncertain: 0, available: 100 })
  })

  // A budget that holds NaN lets everything pass, and a charge below 0 gives credits back that are gone.
  test.each([Number.NaN, -50, 1.5, Number.POSITIVE_INFINITY, '5', undefined])(
    'settled with %s never opens the limit',
    (charged) => {
      const budget = createBudget({ credits: 100 })
      const reservation = budget.reserve(100)
      catchFrom(() => reservation.settle(charged as number))
      expect(() => budget.reserve(1)).toThrow(BudgetExceededError)
      expect(budget.available).toBe(0)
    },
  )
})

function catchFrom(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
