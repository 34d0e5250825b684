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

/** The addresses whose price would use what every `atLeastEveryMs` needs; undefined if there are none. */
export function refusedForGuarantees(
  prices: readonly TrackedPrice[],
  dailyBudget: DailyBudget,
  now: number,
): { refused: ReadonlySet<TrackedPrice>; error: BudgetExceededError } | undefined {
  const { budget, isLimited } = dailyBudget
  const others = prices.filter((tracked) => canWait(tracked, now))
  if (!isLimited || others.length === 0) return undefined
  const available = dailyBudget.availableBesideGuarantees(prices)
  const needed = prices.length - others.length
  // Without a guarantee, the rest of the budget buys what fits.
  if (available >= budget.available && prices.every(({ guaranteed }) => guaranteed.size === 0)) return undefined
  const affordable = maxAffordable(available, prices.length) - needed
  const refused = new Set(others.slice(Math.max(0, affordable)))
  if (refused.size === 0) return undefined
  const credits = { needed: creditsFor(prices.length), available: Math.max(0, Math.floor(available)) }
  const error = new BudgetExceededError(
    `The prices need ${credits.needed} credits, but ${credits.available} are left beside the watches with atLeastEveryMs. ` +
      'They wait for their next interval. Allow more credits.',
    { operation: 'prices.batch', ...credits, resetsAt: budget.resetsAt },
  )
  return { refused, error }
}

/** Whether an address can be postponed by its interval. First prices, and those of price requests, cannot. */
function canWait({ watchers, guaranteed, at, intervalMs }: TrackedPrice, now: number): boolean {
  if (watchers.size === 0 || at === Number.NEGATIVE_INFINITY) return false
  const atLeastEveryMs = guaranteed.peek()?.atLeastEveryMs ?? Number.POSITIVE_INFINITY
  return now + intervalMs <= at + atLeastEveryMs
}
