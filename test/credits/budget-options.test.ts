import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type BudgetOptions, createBudget } from '../../src/credits/budget.ts'
import { InvalidRequestError } from '../../src/errors/index.ts'
import { budgetAt, totals } from './budget-at.ts'

describe('options', () => {
  test.each([
    {},
    { credits: undefined },
    { credits: -1 },
    { credits: 1.5 },
    { credits: Number.NaN },
    { credits: Number.NEGATIVE_INFINITY },
    { credits: '100' },
    { credits: 2 ** 53 },
    { credits: 100, windowMs: 0 },
    { credits: 100, windowMs: -1 },
    { credits: 100, windowMs: Number.NaN },
    { credits: 100, windowMs: '1000' },
    { credits: 100, windowMs: null },
    { credits: 100, window: 1000 },
    { credits: 100, windowMS: 1000 },
    undefined,
    null,
    100,
  ])('%o is refused', (options) => {
    expect(() => createBudget(options as unknown as BudgetOptions)).toThrow(InvalidRequestError)
  })

  test.each([{ credits: 0 }, { credits: Number.POSITIVE_INFINITY }, { credits: 5, windowMs: undefined }])(
    '%o is accepted',
    (options) => {
      const budget = createBudget(options)
      expect([budget.limit, budget.available]).toEqual([options.credits, options.credits])
    },
  )

  test('no limit: counts all the same', () => {
    const budget = createBudget({ credits: Number.POSITIVE_INFINITY })
    budget.reserve(Number.MAX_SAFE_INTEGER).settle(5)
    budget.reserve(7).markUncertain()
    const expected = { spent: 5, reserved: 0, uncertain: 7, available: Number.POSITIVE_INFINITY }
    expect(totals(budget)).toEqual(expected)
  })
})

test('what is left can be read in a log', () => {
  const { budget } = budgetAt({ credits: 100, windowMs: 1000 })
  budget.reserve(30).settle(25)
  for (const text of [inspect(budget), JSON.stringify(budget)]) {
    expect(text.replaceAll('"', '').replaceAll(' ', '')).toMatch(/limit:100.*spent:25.*available:75/s)
  }
})
