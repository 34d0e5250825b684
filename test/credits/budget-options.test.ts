import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type BudgetOptions, createBudget } from '../../src/credits/budget.ts'
import { InvalidRequestError } from '../../src/errors/index.ts'
import { budgetAt, START, totals } from './budget-at.ts'

describe('windows', () => {
  test('begin at the creation and renew everything at their end, not a millisecond before', () => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: 1000 })
    expect(budget.resetsAt).toBe(START + 1000)
    budget.reserve(40).settle(40)
    budget.reserve(30).markUncertain()
    budget.reserve(20)
    pass(999)
    expect(totals(budget)).toEqual({ spent: 40, reserved: 20, uncertain: 30, available: 10 })
    pass(1)
    expect(totals(budget)).toEqual({ spent: 0, reserved: 0, uncertain: 0, available: 100 })
    expect(budget.resetsAt).toBe(START + 2000)
  })

  test('stay on their grid when several passed without a call', () => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: 1000 })
    pass(3500)
    expect(budget.resetsAt).toBe(START + 4000)
  })

  test.each(['settle', 'markUncertain', 'release'] as const)(
    '%s after the roll-over counts to the old window',
    (end) => {
      const { budget, pass } = budgetAt({ credits: 100, windowMs: 1000 })
      const old = budget.reserve(60)
      pass(1000)
      budget.reserve(70)
      old[end](60)
      expect(totals(budget)).toEqual({ spent: 0, reserved: 70, uncertain: 0, available: 30 })
    },
  )

  test('none: the budget never renews itself', () => {
    const { budget, pass } = budgetAt({ credits: 100 })
    budget.reserve(100).settle(100)
    pass(1e12)
    expect(budget.resetsAt).toBeUndefined()
    expect(budget.available).toBe(0)
  })
})

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
