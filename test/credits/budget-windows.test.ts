import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { flush } from '../support/clock.ts'
import { joinBudgets } from '../support/join-budgets.ts'
import { budgetAt, START, totals, wallClock } from './budget-at.ts'
import { slowStore } from './slow-store.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const YEAR = 365 * DAY

describe('a window counts what is sent in it', () => {
  test('a reservation that does not fit the window in which it would be sent is released', () => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: 1000 })
    const queued = budget.reserve(60)
    pass(1000)
    const other = budget.reserve(70)
    const details = { operation: 'token.price', attempts: 2, charge: 'unknown', credits: 50 } as const
    expect(() => queued.confirm(details)).toThrow(expect.objectContaining({ ...details, needed: 60, available: 30 }))
    other.release()
    expect(totals(budget)).toEqual({ spent: 0, reserved: 0, uncertain: 0, available: 100 })
    expect(() => queued.confirm()).toThrow('reserve again')
    queued.settle(60)
    expect(budget.spent).toBe(0)
  })
})

describe('a window that ends while another budget still writes', () => {
  test('counts what is sent in the next one', async () => {
    const { clock, pass } = wallClock()
    const { store, writes } = slowStore()
    const one = createBudget({ credits: 100, windowMs: 1_000 }, clock)
    const other = createBudget({ credits: 1_000, windowMs: DAY, store, exclusiveKey: true }, clock)
    await other.load()
    const reserving = joinBudgets(one, other).reserve(60)
    await flush()
    writes.shift()?.end()
    const reservation = await reserving
    // The name of the key is written before the request is sent.
    const confirming = Promise.resolve(reservation.confirm({}, 'key')).catch((error) => error)
    await flush()
    pass(1_000)
    one.reserve(70)
    writes.shift()?.end()
    expect(await confirming).toMatchObject({ code: 'budget_exceeded', needed: 60, available: 30 })
    reservation.release()
    expect(totals(one)).toEqual({ spent: 0, reserved: 70, uncertain: 0, available: 30 })
  })
})

describe('steps of the wall clock', () => {
  test.each([-10 * YEAR, -HOUR, HOUR, 10 * YEAR])(
    'of %i ms change nothing when the clock has a monotonic time',
    (step) => {
      const wall = wallClock()
      let elapsed = 5_000.25
      const budget = createBudget({ credits: 100, windowMs: DAY }, { ...wall.clock, monotonic: () => elapsed })
      budget.reserve(60).settle(60)
      elapsed += HOUR
      wall.pass(HOUR + step)
      expect(budget).toMatchObject({ spent: 60, available: 40, resetsAt: START + DAY + step })
      elapsed += 23 * HOUR
      wall.pass(23 * HOUR)
      expect(budget).toMatchObject({ spent: 0, available: 100, resetsAt: START + 2 * DAY + step })
    },
  )

  test.each([1, HOUR, DAY, 10 * YEAR])('a step back of %i ms never lengthens a window beyond its length', (step) => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: DAY })
    budget.reserve(60).settle(60)
    budget.reserve(10).markUncertain()
    pass(-step)
    expect(budget).toMatchObject({ spent: 60, uncertain: 10, available: 30 })
    expect(budget.resetsAt).toBeLessThanOrEqual(START - step + DAY)
  })

  test('a step forward that is taken back leaves the window as it was', () => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: DAY })
    budget.reserve(60).settle(60)
    pass(10 * YEAR)
    expect(budget.spent).toBe(0)
    budget.reserve(20).settle(15)
    budget.reserve(5)
    pass(-10 * YEAR)
    expect(budget).toMatchObject({ spent: 75, uncertain: 5, available: 20, resetsAt: START + DAY })
    pass(DAY)
    expect(budget).toMatchObject({ available: 100, resetsAt: START + 2 * DAY })
  })

  test('a reservation that has moved to the next window counts once after a step back', () => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: DAY })
    const queued = budget.reserve(40)
    pass(DAY)
    queued.confirm()
    pass(-DAY)
    expect(totals(budget)).toEqual({ spent: 0, reserved: 0, uncertain: 40, available: 60 })
  })

  test('a step back over the begin of a window, and forward again, frees nothing', () => {
    const { budget, pass } = budgetAt({ credits: 100, windowMs: DAY })
    budget.reserve(90).settle(90)
    pass(DAY)
    budget.reserve(80).settle(80)
    const queued = budget.reserve(15)
    pass(-1000)
    expect(budget).toMatchObject({ available: 0, resetsAt: START + DAY })
    pass(1000)
    expect(totals(budget)).toEqual({ spent: 80, reserved: 15, uncertain: 0, available: 5 })
    queued.settle(10)
    expect(totals(budget)).toEqual({ spent: 90, reserved: 0, uncertain: 0, available: 10 })
  })
})

test.each([
  [0, 'Nothing was sent.'],
  [1, 'No further request was sent.'],
])('after %i attempts the message reads "%s"', (attempts, sentence) => {
  const { budget } = budgetAt({ credits: 10 })
  expect(() => budget.reserve(20, { attempts })).toThrow(sentence)
})
