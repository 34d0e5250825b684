import type { Clock } from '../concurrency/clock.ts'
import {
  type Budget,
  type BudgetStore,
  createBudget,
  type ReservationDetails,
  type StoredBudget,
} from '../credits/budget.ts'
import { creditsLeft, fits } from '../credits/budget-core.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { budgetExceeded } from '../errors/budget.ts'
import { isPromise } from '../utils/runtime.ts'

/** The entry of a store in which its sweeps keep what they were charged. */
export const SWEEP_BUDGET_KEY = 'etn-market:sweep:1:ledger'

type UnlimitedBudget = Budget & Partial<Pick<StoredBudget, 'load' | 'flush'>>

interface OpenBudget {
  readonly budget: UnlimitedBudget
  sweeps: number
}

/**
 * Registered, because an application may load both copies of the package. Two clients have an entry in common only where they are
 * handed the same store.
 */
const OPEN_BUDGETS = Symbol.for('etn-market.sweep-budgets')

function openBudgets(): WeakMap<BudgetStore, OpenBudget> {
  const registry = globalThis as { [OPEN_BUDGETS]?: WeakMap<BudgetStore, OpenBudget> }
  registry[OPEN_BUDGETS] ??= new WeakMap()
  return registry[OPEN_BUDGETS]
}

/**
 * What the sweeps on a store are charged: one budget in the process, whichever client opens it, until the last of its sweeps ends.
 * Without a store, the budget of one sweep.
 */
export class SweepBudget {
  /** It has no limit of its own, because each sweep may state another one. */
  readonly budget: UnlimitedBudget
  readonly #open: OpenBudget
  readonly #store: BudgetStore | undefined

  constructor(store: BudgetStore | undefined, clock: Pick<Clock, 'now' | 'monotonic'>) {
    const known = store && openBudgets().get(store)
    const unlimited = { credits: Number.POSITIVE_INFINITY, store, key: SWEEP_BUDGET_KEY }
    this.#open = known ?? { budget: createBudget(unlimited, clock), sweeps: 0 }
    this.#open.sweeps++
    this.budget = this.#open.budget
    this.#store = store
    if (store) openBudgets().set(store, this.#open)
  }

  /** Reads what earlier sweeps were charged. @throws StateUnavailableError */
  async load(): Promise<void> {
    await this.budget.load?.()
  }

  /** The next sweep reads what those of other processes were charged meanwhile. */
  async close(): Promise<void> {
    // What could not be written stays reserved in the store.
    await this.budget.flush?.().catch(() => {})
    this.#open.sweeps--
    if (this.#store && this.#open.sweeps === 0) openBudgets().delete(this.#store)
  }
}

/** The limit of a sweep, in which those before it and beside it count, too, as one call has it: it knows why that call was refused. */
export class CallLimit implements SpendingLimit {
  hasRefused = false
  /** Why a reservation could not be written. */
  failure: unknown
  readonly #budget: Budget
  readonly #maxCredits: number

  constructor({ budget }: SweepBudget, maxCredits: number) {
    this.#budget = budget
    this.#maxCredits = maxCredits
  }

  hasRoom(credits: number): boolean {
    try {
      this.#check(credits)
      return true
    } catch {
      return false
    }
  }

  check(credits: number, details?: ReservationDetails): void {
    this.#recorded(() => this.#check(credits, details))
  }

  reserve: SpendingLimit['reserve'] = (credits, details) => {
    const reserved = this.#recorded(() => {
      this.#check(credits, details)
      return this.#budget.reserve(credits, details)
    })
    if (!isPromise(reserved)) return reserved
    return reserved.catch((error) => {
      this.failure = error
      throw error
    })
  }

  #check(needed: number, details?: ReservationDetails): void {
    this.#budget.check(needed, details)
    if (fits(this.#maxCredits, this.#budget, needed)) return
    const available = creditsLeft(this.#maxCredits, this.#budget)
    const advice = 'Allow more maxCredits.'
    throw budgetExceeded({ of: 'sweep', limit: this.#maxCredits, needed, available, advice }, details)
  }

  #recorded<T>(use: () => T): T {
    try {
      return use()
    } catch (error) {
      this.hasRefused = true
      throw error
    }
  }
}
