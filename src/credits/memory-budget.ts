import { type BudgetCore, checkFits, HeldCredits, withTotals } from './budget-core.ts'
import type { MemoryBudget } from './budget-types.ts'

/** A budget that ends with the process. */
export function createMemoryBudget(bare: Omit<BudgetCore, 'onChange'>): MemoryBudget {
  const core = { ...bare, onChange() {} }
  return withTotals<Pick<MemoryBudget, 'check' | 'reserve'>>(core, {
    check: (credits, details) => void checkFits(core, credits, details),
    reserve: (credits, details) => new HeldCredits(core, credits, details),
  })
}
