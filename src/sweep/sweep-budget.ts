import type { Budget, ReservationDetails } from '../credits/budget.ts'
import { creditsLeft, fits } from '../credits/budget-core.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { budgetExceeded } from '../errors/budget.ts'
import { isPromise } from '../utils/runtime.ts'

/** The entry of a store in which its sweeps keep what they were charged. */
export const SWEEP_KEY = 'etn-market:sweep:1:ledger'

/** The limit of a sweep, in which those before it and beside it count, too, as one call has it: it knows why that call was refused. */
export class CallLimit implements SpendingLimit {
  hasRefused = false
  /** Why a reservation could not be written. */
  failure: unknown
  readonly #budget: Budget
  readonly #maxCredits: number

  /** @param budget what all sweeps on a store are charged; it has no limit of its own, because each may state another one */
  constructor(budget: Budget, maxCredits: number) {
    this.#budget = budget
    this.#maxCredits = maxCredits
  }

  hasRoom(credits: number): boolean {
    return fits(this.#maxCredits, this.#budget, credits)
  }

  check(needed: number, details?: ReservationDetails): void {
    this.#budget.check(needed, details)
    if (this.hasRoom(needed)) return
    this.hasRefused = true
    const available = creditsLeft(this.#maxCredits, this.#budget)
    const advice = 'Allow more maxCredits.'
    throw budgetExceeded({ of: 'sweep', limit: this.#maxCredits, needed, available, advice }, details)
  }

  reserve: SpendingLimit['reserve'] = (credits, details) => {
    this.check(credits, details)
    const reserved = this.#budget.reserve(credits, details)
    if (!isPromise(reserved)) return reserved
    return reserved.catch((error) => {
      this.failure = error
      throw error
    })
  }
}
