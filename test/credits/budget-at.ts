import { type BudgetOptions, createBudget } from '../../src/credits/budget.ts'

export const START = 1_800_000_000_000

/** A budget whose time stands still until it is told to pass. */
export function budgetAt(options: BudgetOptions) {
  let now = START
  const budget = createBudget(options, { now: () => now })
  return {
    budget,
    pass: (ms: number) => {
      now += ms
    },
  }
}

export const totals = ({ spent, reserved, uncertain, available }: ReturnType<typeof createBudget>) => ({
  spent,
  reserved,
  uncertain,
  available,
})
