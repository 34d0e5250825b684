import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { BudgetExceededError, InvalidRequestError } from '../../src/errors/index.ts'
import { budgetAt, START, totals } from './budget-at.ts'

describe('a reservation', () => {
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
