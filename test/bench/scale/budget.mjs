import { createBudget } from 'etn-market'

const OPERATIONS = 2_000_000

/** Reservations made and settled per second. */
export function budgetPerSecond() {
  const budget = createBudget({ credits: Number.MAX_SAFE_INTEGER, windowMs: 86_400_000 })
  spend(budget, OPERATIONS / 10)
  const startedAt = performance.now()
  spend(budget, OPERATIONS)
  return OPERATIONS / ((performance.now() - startedAt) / 1_000)
}

function spend(budget, times) {
  const before = budget.spent
  for (let i = 0; i < times; i++) budget.reserve(50).settle(50)
  if (budget.spent - before !== 50 * times) throw new Error('The budget has the wrong sum.')
}
