import { expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { collectGarbage } from '../support/garbage.ts'
import { steadyClock } from './budget-at.ts'

function heap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a quarter of a million reservations leave nothing behind', () => {
  const budget = createBudget(
    { credits: 100_000_000, windowMs: 86_400_000 },
    steadyClock(() => 1_800_000_000_000),
  )
  const spend = (times: number) => {
    for (let i = 0; i < times; i++) budget.reserve(50).settle(50)
  }
  spend(10_000)
  const before = heap()
  spend(250_000)
  expect(budget.spent).toBe(260_000 * 50)
  expect(budget.reserved).toBe(0)
  expect(heap() - before).toBeLessThan(250_000)
})
