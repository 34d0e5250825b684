import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type BudgetOptions, createBudget } from '../../src/credits/budget.ts'
import { BudgetExceededError, InvalidRequestError } from '../../src/errors/index.ts'

const START = 1_800_000_000_000

function budgetAt(options: BudgetOptions) {
  let now = START
  const budget = createBudget(options, { now: () => now })
  return {
    budget,
    pass: (ms: number) => {
      now += ms
    },
  }
}

const totals = ({ spent, reserved, uncertain, available }: ReturnType<typeof createBudget>) => ({
  spent,
  reserved,
  uncertain,
  available,
})

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
    budget.reserve(60).lose()
    expect(totals(budget)).toEqual({ spent: 0, reserved: 0, uncertain: 60, available: 40 })
  })

  test('is decided by the first of its methods; settling twice counts once', () => {
    const ends = ['settle', 'lose', 'release'] as const
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

describe('windows', () => {
  test('begin at the creation and renew everything at their end, not a millisecond before', () => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: 1000 })
    expect(budget.resetsAt).toBe(START + 1000)
    budget.reserve(40).settle(40)
    budget.reserve(30).lose()
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

  test.each(['settle', 'lose', 'release'] as const)('%s after the roll-over counts to the old window', (end) => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: 1000 })
    const old = budget.reserve(60)
    pass(1000)
    budget.reserve(70)
    old[end](60)
    expect(totals(budget)).toEqual({ spent: 0, reserved: 70, uncertain: 0, available: 30 })
  })

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
    budget.reserve(7).lose()
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

function catchFrom(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
