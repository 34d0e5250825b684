import { type Clock, monotonicNow, startBackgroundTimer } from '../concurrency/clock.ts'
import type { MemoryBudget } from '../credits/budget.ts'
import { createMemoryBudget, creditsLeft } from '../credits/budget-core.ts'
import type { WindowTotals } from '../credits/windows.ts'
import { refuse } from './refusal.ts'
import type { CreditWindow } from './types.ts'

export const MAX_VISITORS = 100_000
/** How long the window of a visitor who does not come back may stay in memory after its end. */
const FORGET_MS = 60_000

/** The window of one visitor. A class with numbers only, because 100,000 are kept: about 200 bytes each with the id. */
class VisitorWindow implements WindowTotals {
  spent = 0
  reserved = 0
  uncertain = 0
  /** Purchases that are under way. Between two attempts they have nothing reserved. */
  purchases: number
  /** When it ends, in whole milliseconds since the visitors were created: V8 stores other numbers as objects. */
  readonly endsAt: number

  constructor(endsAt: number, purchases: number) {
    this.endsAt = endsAt
    this.purchases = purchases
  }
}

/** The budgets of visitors, in this process. */
export class Visitors {
  readonly #limit: number
  readonly #windowMs: number
  readonly #clock: Clock
  readonly #createdAt: number
  /** Those that end first come first. */
  readonly #windows = new Map<string, VisitorWindow>()
  #stopTimer: (() => void) | undefined

  constructor({ credits, windowMs }: CreditWindow, clock: Clock) {
    this.#limit = credits
    this.#windowMs = windowMs
    this.#clock = clock
    this.#createdAt = monotonicNow(clock)
  }

  /** Visitors whose windows have not ended. */
  get size(): number {
    this.#forgetEnded()
    return this.#windows.size
  }

  /** Credits that a visitor may spend now. */
  available(id: string): number {
    this.#forgetEnded()
    const window = this.#windows.get(id)
    if (window) return creditsLeft(this.#limit, window)
    return this.#windows.size < MAX_VISITORS ? this.#limit : 0
  }

  /** The budget of a visitor, if one is remembered. */
  find(id: string): MemoryBudget | undefined {
    this.#forgetEnded()
    return this.#windows.has(id) ? this.#budgetOf(id) : undefined
  }

  /** The budget of a visitor who buys something, until `end` is called. @throws Refusal when too many are remembered */
  begin(id: string): MemoryBudget {
    this.#forgetEnded()
    if (!this.#windows.has(id)) this.#requireRoom()
    const window = this.#windows.get(id) ?? this.#start(id, 0)
    window.purchases++
    return this.#budgetOf(id)
  }

  /**
   * A purchase has ended: a visitor without spent credits is forgotten with the last one. What is still reserved belongs to a request that
   * its visitor has left, and others wait for.
   */
  end(id: string): void {
    const window = this.#windows.get(id)
    if (window === undefined) return
    window.purchases--
    if (window.purchases <= 0 && usedOf(window) + window.reserved === 0) this.#windows.delete(id)
  }

  /** The visitors who have spent most, the first of them most. */
  top(count: number): { readonly visitor: string; readonly spent: number; readonly available: number }[] {
    this.#forgetEnded()
    return Array.from(this.#windows, ([visitor, window]) => ({
      visitor,
      spent: usedOf(window),
      available: creditsLeft(this.#limit, window),
    }))
      .sort((one, other) => other.spent - one.spent)
      .slice(0, count)
  }

  /** Stops the timer that frees the memory of windows that have ended. */
  close(): void {
    this.#stopTimer?.()
  }

  #now(): number {
    return monotonicNow(this.#clock) - this.#createdAt
  }

  #start(id: string, purchases: number): VisitorWindow {
    const window = new VisitorWindow(Math.ceil(this.#now() + this.#windowMs), purchases)
    this.#windows.delete(id)
    this.#windows.set(copyOf(id), window)
    this.#forgetLater()
    return window
  }

  /** Forgets windows that have ended. One with a purchase under way is followed by the next window of its visitor. */
  #forgetEnded(): void {
    for (const [id, { endsAt, purchases }] of this.#windows) {
      if (endsAt > this.#now()) return
      if (purchases > 0) this.#start(id, purchases)
      else this.#windows.delete(id)
    }
  }

  /** Without a visitor, too. Where the runtime ends the timer with the request that has set it, the next request forgets. */
  #forgetLater(): void {
    this.#stopTimer ??= startBackgroundTimer(FORGET_MS, () => {
      this.#stopTimer = undefined
      this.#forgetEnded()
      if (this.#windows.size > 0) this.#forgetLater()
    })
  }

  #requireRoom(): void {
    const [oldest] = this.#windows.values()
    if (this.#windows.size < MAX_VISITORS || oldest === undefined) return
    throw refuse(429, 'visitor_budget_exceeded', 'Too many visitors. Try again later.', {
      retryAfterMs: oldest.endsAt - this.#now(),
    })
  }

  /** Made when it is needed: an object for each remembered visitor would take ten times as much as its window. */
  #budgetOf(id: string): MemoryBudget {
    const current = () => {
      this.#forgetEnded()
      return this.#windows.get(id) ?? this.#start(id, 0)
    }
    const msLeft = () => current().endsAt - this.#now()
    return createMemoryBudget({
      limit: this.#limit,
      windows: { current, totals: current, msLeft },
      now: () => this.#clock.now(),
      keyBalances: undefined,
    })
  }
}

const usedOf = ({ spent, uncertain }: WindowTotals) => spent + uncertain

/** A text of its own: an id that was cut out of a cookie would keep the whole header in memory. */
const copyOf = (id: string) => Array.from(id).join('')
