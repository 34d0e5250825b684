import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { type BudgetOptions, createBudget } from '../../src/credits/budget.ts'
import { InvalidRequestError } from '../../src/errors/input.ts'
import { createVirtualClock } from '../support/clock.ts'

// What `windowMs` may be is in `windows.test.ts`, and `maxChargeDelayMs` in `budget-reconcile.test.ts`.
test.each([
  {},
  { credits: undefined },
  { credits: -1 },
  { credits: 1.5 },
  { credits: Number.NaN },
  { credits: Number.NEGATIVE_INFINITY },
  { credits: '100' },
  { credits: 2 ** 53 },
  { credits: 100, windowMs: '1000' },
  { credits: 100, windowMs: null },
  { credits: 100, window: 1000 },
  { credits: 100, windowMS: 1000 },
  { credits: 100, windowMs: 0 },
  { creditsPerDay: 100, credits: 100 },
  { creditsPerDay: 100, windowMs: 1000 },
  { creditsPerDay: -1 },
  { creditsPerDay: '100' },
  { credits: 100, key: 'a' },
  { credits: 100, name: '' },
  undefined,
  null,
  100,
])('the options %o are refused', (options) => {
  expect(() => createBudget(options as unknown as BudgetOptions)).toThrow(InvalidRequestError)
})

test.each([{ credits: 0 }, { credits: Number.POSITIVE_INFINITY }, { credits: 5, windowMs: undefined }])(
  'the options %o are accepted',
  (options) => {
    const budget = createBudget(options)
    expect([budget.limit, budget.available]).toEqual([options.credits, options.credits])
  },
)

test('a limit a day is the same as one in windows of a day', async () => {
  const clock = createVirtualClock()
  const byDay = createBudget({ creditsPerDay: 100 }, clock)
  const inWindows = createBudget({ credits: 100, windowMs: 86_400_000 }, clock)
  for (const budget of [byDay, inWindows]) budget.reserve(60).settle(60)
  expect(JSON.parse(JSON.stringify(byDay))).toEqual(JSON.parse(JSON.stringify(inWindows)))
  await clock.advance(86_400_000)
  expect([byDay.available, inWindows.available]).toEqual([100, 100])

  const store = new Map<string, string>()
  const kept = createBudget({ creditsPerDay: 100, store, name: 'bot' }, clock)
  expect(createBudget({ credits: 100, windowMs: 86_400_000, store, name: 'bot' }, clock)).toBe(kept)
})

test('a budget without a limit counts all the same, and can be read in a log', () => {
  const budget = createBudget({ credits: Number.POSITIVE_INFINITY })
  budget.reserve(Number.MAX_SAFE_INTEGER).settle(5)
  budget.reserve(7).markUncertain()
  const counts = { spent: 5, reserved: 0, uncertain: 7 }
  expect(budget).toMatchObject({ ...counts, available: Number.POSITIVE_INFINITY })
  expect(inspect(budget)).toMatch(/limit: Infinity.*spent: 5.*uncertain: 7.*available: Infinity/s)
  expect(JSON.parse(JSON.stringify(budget))).toMatchObject(counts)
})

test('the totals of a stored budget throw until they are known, and say how to know them; printing it never throws', async () => {
  const store = new Map<string, string>()
  const budget = createBudget({ credits: 1_000, store })
  for (const name of ['spent', 'reserved', 'uncertain', 'available'] as const)
    expect(() => budget[name]).toThrow(expect.objectContaining({ code: 'budget_not_loaded' }))
  expect(inspect(budget)).toContain('limit: 1000')
  expect(JSON.parse(JSON.stringify({ budget }))).toEqual({ budget: { limit: 1_000 } })
  await budget.load()
  expect(budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 0, available: 1_000 })
  const other = createBudget({ credits: 1_000, store })
  await other.reserve(10)
  expect(inspect(other)).toContain('reserved: 10')
  expect(JSON.parse(JSON.stringify(other))).toMatchObject({ limit: 1_000, reserved: 10 })
})
