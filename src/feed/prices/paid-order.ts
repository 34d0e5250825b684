import { requestCredits } from '../../credits/batch-cost.ts'
import type { Reservation } from '../../credits/budget.ts'
import { reserveInBoth, type SpendingLimit } from '../../credits/joint-budget.ts'
import { BudgetExceededError } from '../../errors/budget.ts'
import type { WantedPrice } from '../internals.ts'
import { ownInterval, type TrackedPrice } from './tracked-price.ts'

/** What a proxy has to know of a price that is about to be bought. */
export const toWanted = (tracked: TrackedPrice): WantedPrice => ({
  address: tracked.address,
  isOwn: tracked.requesters.size > 0 || ownInterval(tracked) < Number.POSITIVE_INFINITY,
})

/** Credits that visitors have reserved already, beside a budget. */
export function withReserved(reserved: Reservation | undefined, budget: SpendingLimit): SpendingLimit {
  return reserved
    ? {
        check() {},
        reserve: (credits, details) => reserveInBoth({ check() {}, reserve: () => reserved }, budget, credits, details),
      }
    : budget
}

/** Why prices that only visitors want are not bought. */
export function nobodyPays(prices: number): BudgetExceededError {
  return new BudgetExceededError('No visitor who wants these prices has credits left. Nothing was sent.', {
    needed: requestCredits(prices),
    available: 0,
    resetsAt: undefined,
  })
}
