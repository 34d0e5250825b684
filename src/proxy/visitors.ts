import { type Clock, monotonicNow, startBackgroundTimer } from '../concurrency/clock.ts'
import type { MemoryBudget } from '../credits/budget.ts'
import { creditsLeft } from '../credits/budget-core.ts'
import { createMemoryBudget } from '../credits/memory-budget.ts'
import type { WindowTotals } from '../credits/windows.ts'
import { refuse } from './refusal.ts'
import type { CreditWindow } from './types.ts'

/** The budgets of visitors. */
export interface Visitors {
  /** Visitors whose windows have not ended. */
  readonly size: number
  /** Credits that a visitor may spend now. */
  available(id: string): number
  /** The budget of a visitor, if one is remembered. */
  find(id: string): MemoryBudget | undefined
  /** The budget of a visitor who buys something, until `end` is called. @throws Refusal when too many are remembered */
  begin(id: string): MemoryBudget
  /** A purchase has ended: a visitor without spent credits is forgotten with the last one. */
  end(id: string): void
  /** Who is remembered. */
  ids(): Iterable<string>
  /** The visitors who have spent most, the first of them most. */
  top(count: number): { readonly visitor: string; readonly spent: number; readonly available: number }[]
  /** Stops the timer that frees the memory of windows that have ended. */
  close(): void
}

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

export function createVisitors({ credits: limit, windowMs }: CreditWindow, clock: Clock): Visitors {
  /** Those that end first come first. */
  const windows = new Map<string, VisitorWindow>()
  const createdAt = monotonicNow(clock)
  const now = () => monotonicNow(clock) - createdAt

  function start(id: string, purchases: number): VisitorWindow {
    const window = new VisitorWindow(Math.ceil(now() + windowMs), purchases)
    windows.delete(id)
    windows.set(copyOf(id), window)
    forgetLater()
    return window
  }

  /** Forgets windows that have ended. One with a purchase under way is followed by the next window of its visitor. */
  function forgetEnded(): void {
    for (const [id, { endsAt, purchases }] of windows) {
      if (endsAt > now()) return
      if (purchases > 0) start(id, purchases)
      else windows.delete(id)
    }
  }

  let stopTimer: (() => void) | undefined
  /** Without a visitor, too. Where the runtime ends the timer with the request that has set it, the next request forgets. */
  function forgetLater(): void {
    stopTimer ??= startBackgroundTimer(FORGET_MS, () => {
      stopTimer = undefined
      forgetEnded()
      if (windows.size > 0) forgetLater()
    })
  }

  function requireRoom(): void {
    const [oldest] = windows.values()
    if (windows.size < MAX_VISITORS || oldest === undefined) return
    throw refuse(429, 'visitor_budget_exceeded', 'Too many visitors. Try again later.', {
      retryAfterMs: oldest.endsAt - now(),
    })
  }

  /** Made when it is needed: an object for each remembered visitor would take ten times as much as its window. */
  function budgetOf(id: string): MemoryBudget {
    const current = () => {
      forgetEnded()
      return windows.get(id) ?? start(id, 0)
    }
    const msLeft = () => current().endsAt - now()
    return createMemoryBudget({
      limit,
      windows: { current, totals: current, msLeft },
      now: () => clock.now(),
      keyBalances: undefined,
    })
  }

  const availableIn = (window: VisitorWindow) => creditsLeft(limit, window)

  return {
    get size() {
      forgetEnded()
      return windows.size
    },
    available(id) {
      forgetEnded()
      const window = windows.get(id)
      if (window) return availableIn(window)
      return windows.size < MAX_VISITORS ? limit : 0
    },
    find(id) {
      forgetEnded()
      return windows.has(id) ? budgetOf(id) : undefined
    },
    begin(id) {
      forgetEnded()
      if (!windows.has(id)) {
        requireRoom()
        start(id, 0)
      }
      const window = windows.get(id)
      if (window) window.purchases++
      return budgetOf(id)
    },
    end(id) {
      const window = windows.get(id)
      if (window === undefined) return
      window.purchases--
      if (window.purchases <= 0 && usedOf(window) === 0) windows.delete(id)
    },
    ids: () => windows.keys(),
    top(count) {
      forgetEnded()
      return [...windows]
        .map(([visitor, window]) => ({ visitor, spent: usedOf(window), available: availableIn(window) }))
        .sort((one, other) => other.spent - one.spent)
        .slice(0, count)
    },
    close: () => stopTimer?.(),
  }
}

const usedOf = ({ spent, uncertain }: WindowTotals) => spent + uncertain

/** A text of its own: an id that was cut out of a cookie would keep the whole header in memory. */
const copyOf = (id: string) => Array.from(id).join('')
