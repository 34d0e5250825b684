import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import { createBudget, type MemoryBudget } from '../credits/budget.ts'
import { refuse } from './refusal.ts'
import type { ProxyOptions } from './types.ts'

/** The budgets of visitors. */
export interface Visitors {
  /** The budget of a visitor, if one is remembered. */
  find(id: string): MemoryBudget | undefined
  /** The budget of a visitor who buys something. @throws Refusal when too many are remembered */
  open(id: string): MemoryBudget
  /** Forgets a visitor without spent or reserved credits. */
  forgetUnspent(id: string): void
}

interface Visitor {
  readonly budget: MemoryBudget
  /** When its window ends, by the monotonic clock. */
  endsAt: number
}

export const MAX_VISITORS = 100_000

export function createVisitors({ credits, windowMs }: NonNullable<ProxyOptions['perVisitor']>, clock: Clock): Visitors {
  /** Those whose windows end first come first. All have spent or reserved something since their window began. */
  const visitors = new Map<string, Visitor>()
  const now = () => monotonicNow(clock)

  const msLeft = ({ resetsAt = 0 }: MemoryBudget) => resetsAt - clock.now()

  function remember(id: string, budget: MemoryBudget): MemoryBudget {
    visitors.delete(id)
    visitors.set(id, { budget, endsAt: now() + msLeft(budget) })
    return budget
  }

  /** Forgets visitors whose windows have ended, until there is room. One with a request in flight is kept for its next window. */
  function makeRoom(): void {
    for (const [id, { budget, endsAt }] of visitors) {
      if (visitors.size < MAX_VISITORS) return
      if (endsAt > now()) break
      if (budget.reserved > 0) remember(id, budget)
      else visitors.delete(id)
    }
    const [oldest] = visitors.values()
    if (visitors.size < MAX_VISITORS || oldest === undefined) return
    throw refuse(429, 'visitor_budget_exceeded', 'Too many visitors. Try again later.', {
      retryAfterMs: oldest.endsAt - now(),
    })
  }

  return {
    find: (id) => visitors.get(id)?.budget,
    open(id) {
      const known = visitors.get(id)
      if (known !== undefined && (known.endsAt > now() || known.budget.reserved > 0)) return known.budget
      visitors.delete(id)
      makeRoom()
      return remember(id, createBudget({ credits, windowMs }, clock))
    },
    forgetUnspent(id) {
      const { budget } = visitors.get(id) ?? {}
      if (budget && budget.spent === 0 && budget.uncertain === 0 && budget.reserved === 0) visitors.delete(id)
    },
  }
}
