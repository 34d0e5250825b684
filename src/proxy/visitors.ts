import { type Clock, startBackgroundTimer } from '../concurrency/clock.ts'
import type { MemoryBudget } from '../credits/budget.ts'
import { BudgetCore, creditsLeft, HeldCredits } from '../credits/budget-core.ts'
import type { WindowTotals } from '../credits/windows.ts'
import { MINUTE_MS } from '../utils/time-units.ts'
import { overBudget, refuse } from './respond.ts'
import type { VisitorSettings } from './settings.ts'

/** Bounds the memory: while there are as many, further visitors are refused what has to be counted. */
export const MAX_VISITORS = 100_000

/** The window of one visitor. A class with numbers only, because 100,000 are kept: about 200 bytes each with the id. */
class VisitorWindow implements WindowTotals {
  spent = 0
  reserved = 0
  uncertain = 0
  /** Purchases that are under way. Between two attempts they have nothing reserved. */
  purchases = 0
  /** When it ends, in whole milliseconds since the visitors were created: V8 stores other numbers as objects. */
  readonly endsAt: number

  constructor(endsAt: number) {
    this.endsAt = endsAt
  }
}

type VisitorLimit = Pick<MemoryBudget, 'check' | 'reserve'>

/** The budgets of visitors, in this process. */
export class Visitors {
  readonly #limit: number
  readonly #windowMs: number
  readonly #clock: Clock
  readonly #createdAt: number
  /** Those that end first come first. */
  readonly #windows = new Map<string, VisitorWindow>()
  #stopTimer: (() => void) | undefined

  constructor({ credits, windowMs }: Pick<VisitorSettings, 'credits' | 'windowMs'>, clock: Clock) {
    this.#limit = credits
    this.#windowMs = windowMs
    this.#clock = clock
    this.#createdAt = clock.monotonic()
  }

  /** Visitors whose windows have not ended. */
  get size(): number {
    this.#forgetEnded()
    return this.#windows.size
  }

  available(id: string): number {
    this.#forgetEnded()
    const window = this.#windows.get(id)
    if (window) return creditsLeft(this.#limit, window)
    return this.#windows.size < MAX_VISITORS ? this.#limit : 0
  }

  /** The limit of a visitor who buys something, until `end` is called. @throws Refusal when too many are remembered */
  begin(id: string): VisitorLimit {
    this.#forgetEnded()
    const [oldest] = this.#windows.values()
    if (oldest && this.#windows.size >= MAX_VISITORS && !this.#windows.has(id))
      throw refuse(429, 'visitor_budget_exceeded', 'Too many visitors. Try again later.', {
        retryAfterMs: oldest.endsAt - this.#now(),
      })
    const window = this.#windows.get(id) ?? this.#start(id)
    window.purchases++
    return this.#limitOf(id)
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
    return this.#clock.monotonic() - this.#createdAt
  }

  #start(id: string): VisitorWindow {
    const window = new VisitorWindow(Math.ceil(this.#now() + this.#windowMs))
    this.#windows.delete(id)
    this.#windows.set(copyOf(id), window)
    this.#forgetLater()
    return window
  }

  /** Forgets windows that have ended. One with a purchase under way is followed by the next window of its visitor. */
  #forgetEnded(): void {
    for (const [id, { endsAt, purchases }] of this.#windows) {
      if (endsAt > this.#now()) return
      if (purchases > 0) this.#start(id).purchases = purchases
      else this.#windows.delete(id)
    }
  }

  /** Without a visitor, too. Where the runtime ends the timer with the request that has set it, the next request forgets. */
  #forgetLater(): void {
    this.#stopTimer ??= startBackgroundTimer(MINUTE_MS, () => {
      this.#stopTimer = undefined
      this.#forgetEnded()
      if (this.#windows.size > 0) this.#forgetLater()
    })
  }

  /** Made when it is needed: an object for each remembered visitor would take ten times as much as its window. */
  #limitOf(id: string): VisitorLimit {
    const current = () => {
      this.#forgetEnded()
      return this.#windows.get(id) ?? this.#start(id)
    }
    const budget = new VisitorBudget({
      limit: this.#limit,
      windows: { current, totals: current, msLeft: () => current().endsAt - this.#now() },
      now: () => this.#clock.now(),
      keyBalances: undefined,
    })
    return {
      check: (credits, details) => budget.check(credits, details),
      reserve: (credits, details) => new VisitorCredits(budget, credits, details),
    }
  }
}

/** The answer says that it is the visitor's own budget which a call does not fit. */
class VisitorBudget extends BudgetCore {
  override exceeded(needed: number): Error {
    return overBudget({ needed, resetsAt: this.resetsAt() }, 'visitor', this.settings.now(), this.limit)
  }
}

/** A visitor is never charged more than was reserved, because the other budgets have the true figure. */
class VisitorCredits extends HeldCredits {
  override settle(charged: number): undefined {
    super.settle(Math.min(charged, this.credits))
  }
}

const usedOf = ({ spent, uncertain }: WindowTotals) => spent + uncertain

/** A text of its own: an id that was cut out of a cookie would keep the whole header in memory. */
const copyOf = (id: string) => Array.from(id).join('')

/**
 * Limits how many requests a visitor makes. A sliding window: the requests of the last whole minute count by the part of it that is less than a
 * minute ago. Two counts for each visitor suffice, and a visitor is forgotten two minutes after the last request.
 */
export class RequestRate {
  readonly #requestsPerMinute: number
  readonly #clock: Clock
  #startedAt: number
  #counts = new Map<string, number>()
  #before: ReadonlyMap<string, number> = new Map()

  constructor(requestsPerMinute: number, clock: Clock) {
    this.#requestsPerMinute = requestsPerMinute
    this.#clock = clock
    this.#startedAt = clock.monotonic()
  }

  /** Counts a request. @throws Refusal for one too many, which is not counted */
  count(visitor: string): void {
    const elapsed = this.#turn()
    const counted = this.#counts.get(visitor) ?? 0
    const earlier = this.#before.get(visitor) ?? 0
    const isKnown = counted + earlier > 0
    const recent = counted + earlier * (1 - elapsed / MINUTE_MS)
    if (recent + 1 > this.#requestsPerMinute || (!isKnown && this.#counts.size >= MAX_VISITORS))
      throw refuse(429, 'too_many_requests', `At most ${this.#requestsPerMinute} requests a minute.`, {
        retryAfterMs: this.#waitFor(counted, earlier, elapsed),
      })
    this.#counts.set(visitor, counted + 1)
  }

  #turn(): number {
    const elapsed = this.#clock.monotonic() - this.#startedAt
    if (elapsed < MINUTE_MS) return elapsed
    this.#before = elapsed < 2 * MINUTE_MS ? this.#counts : new Map()
    this.#counts = new Map()
    this.#startedAt += Math.floor(elapsed / MINUTE_MS) * MINUTE_MS
    return elapsed % MINUTE_MS
  }

  /** Until one more fits, if the visitor waits. */
  #waitFor(counted: number, earlier: number, elapsed: number): number {
    // In this minute the share of the one before falls; in the next one, the share of this minute.
    const allowed = this.#requestsPerMinute - 1 - counted
    if (allowed >= 0 && earlier > 0) return Math.max(0, MINUTE_MS * (1 - allowed / earlier) - elapsed)
    const restMs = MINUTE_MS - elapsed
    return restMs + Math.max(0, MINUTE_MS * (1 - (this.#requestsPerMinute - 1) / Math.max(1, counted)))
  }
}
