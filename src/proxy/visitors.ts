import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import { createBudget, type MemoryBudget } from '../credits/budget.ts'
import { refuse } from './refusal.ts'
import type { ProxyOptions } from './types.ts'

/** The budgets of visitors. */
export interface Visitors {
  /** The budget of a visitor, if one is remembered. */
  find(id: string): MemoryBudget | undefined
  /** The budget of a visitor who buys something, until `end` is called. @throws Refusal when too many are remembered */
  begin(id: string): MemoryBudget
  /** A purchase has ended: a visitor without spent credits is forgotten with the last one. */
  end(id: string): void
}

interface Visitor {
  readonly budget: MemoryBudget
  /** When its window ends, by the monotonic clock. */
  readonly endsAt: number
  /** Purchases that are under way. Between two attempts they have nothing reserved. */
  purchases: number
}

export const MAX_VISITORS = 100_000

export function createVisitors({ credits, windowMs }: NonNullable<ProxyOptions['perVisitor']>, clock: Clock): Visitors {
  /** Those whose windows end first come first. */
  const visitors = new Map<string, Visitor>()
  const now = () => monotonicNow(clock)

  function remember(id: string, budget: MemoryBudget, purchases: number): Visitor {
    const { resetsAt = 0 } = budget
    const visitor = { budget, endsAt: now() + resetsAt - clock.now(), purchases }
    visitors.delete(id)
    visitors.set(id, visitor)
    return visitor
  }

  /** Forgets visitors whose windows have ended, until there is room. One with a purchase under way is kept for its next window. */
  function makeRoom(): void {
    for (const [id, { budget, endsAt, purchases }] of visitors) {
      if (visitors.size < MAX_VISITORS) return
      if (endsAt > now()) break
      if (purchases > 0) remember(id, budget, purchases)
      else visitors.delete(id)
    }
    const [oldest] = visitors.values()
    if (visitors.size < MAX_VISITORS || oldest === undefined) return
    throw refuse(429, 'visitor_budget_exceeded', 'Too many visitors. Try again later.', {
      retryAfterMs: oldest.endsAt - now(),
    })
  }

  function open(id: string): Visitor {
    const known = visitors.get(id)
    if (known !== undefined && (known.endsAt > now() || known.purchases > 0)) return known
    visitors.delete(id)
    makeRoom()
    return remember(id, createBudget({ credits, windowMs }, clock), 0)
  }

  return {
    find: (id) => visitors.get(id)?.budget,
    begin(id) {
      const visitor = open(id)
      visitor.purchases++
      return visitor.budget
    },
    end(id) {
      const visitor = visitors.get(id)
      if (visitor === undefined) return
      visitor.purchases--
      const { spent, uncertain } = visitor.budget
      if (visitor.purchases === 0 && spent === 0 && uncertain === 0) visitors.delete(id)
    },
  }
}
