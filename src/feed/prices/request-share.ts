import { creditsFor, maxAffordable } from '../../credits/batch-cost.ts'
import { BudgetExceededError } from '../../errors/budget.ts'
import type { DailyBudget } from './daily-budget.ts'
import type { TrackedPrice } from './tracked-price.ts'

/** The price requests that would use the share of the budget that the watches need; undefined if there are none. */
export function refusedRequests(
  prices: readonly TrackedPrice[],
  { budget, availableForRequests }: DailyBudget,
): { refused: ReadonlySet<TrackedPrice>; error: BudgetExceededError } | undefined {
  if (availableForRequests >= budget.available) return undefined
  const unwatched = prices.filter(({ watchers }) => watchers.size === 0)
  const refused = new Set(unwatched.slice(maxAffordable(availableForRequests, unwatched.length)))
  if (refused.size === 0) return undefined
  const needed = creditsFor(refused.size)
  const available = Math.floor(availableForRequests)
  const error = new BudgetExceededError(
    `The price request needs ${needed} credits, but ${available} are left beside the share of the watches. Nothing was sent. ` +
      'Wait for the next day of the budget or allow more credits.',
    { operation: 'prices.batch', needed, available, resetsAt: budget.resetsAt },
  )
  return { refused, error }
}
