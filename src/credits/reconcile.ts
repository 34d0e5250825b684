import type { Reconciliation } from './budget-types.ts'
import type { BudgetWindow, Windows } from './windows.ts'

/** What a restart needs to go on reconciling. */
export interface KeyBalanceState {
  /** Credits on the key when it was last known; undefined before the first proof and when it proves nothing any more. */
  balance: number | undefined
  /** Credits known to have been charged since then. */
  known: number
  /** The window to which `provable` and `doubt` belong. */
  index: number
  /** The part of the window's uncertain credits that arose since the balance was known. */
  provable: number
  /** Worst case of charges that may still show up and belong to this window: lost answers, requests executed late. */
  doubt: number
  /** The same for all earlier windows together. */
  olderDoubt: number
}

/** Compares the key's balance with the known charges, for a key that nobody else uses. */
export interface KeyBalance {
  /** Call this right before a request is sent. Pass the number of an earlier `recordSent` of the same request, if there is one. */
  recordSent(earlier: number | undefined): number
  /** Call this when a request has ended. `sent` is undefined for one that was never confirmed. */
  recordEnd(sent: number | undefined, ended: EndedRequest): Reconciliation | undefined
  state(): KeyBalanceState
  restore(state: KeyBalanceState): void
}

export interface EndedRequest {
  readonly window: BudgetWindow
  readonly charged: number
  readonly uncertain: number
  /** The key's balance after this request, where the answer reports it. */
  readonly remaining: number | undefined
}

/**
 * The proof: between two moments with nothing in flight the balance falls by exactly what was charged. What it fell by
 * beyond the known charges is what lost answers cost. A balance that is too high shows a top-up and proves nothing.
 */
export function createKeyBalance(windows: Windows): KeyBalance {
  let held: KeyBalanceState = emptyState(windows.current().index)
  let inFlight = 0
  let newest = 0
  /** The newest request that was sent with nothing else in flight. */
  let sentAlone = 0

  function rollOver(): void {
    const { index } = windows.current()
    if (index === held.index) return
    held = { ...held, index, provable: 0, doubt: 0, olderDoubt: held.olderDoubt + held.doubt }
  }

  function addUncertain(window: BudgetWindow, credits: number, isProvable: boolean): void {
    if (window.index !== held.index) held.olderDoubt += credits
    else {
      held.doubt += credits
      if (isProvable) held.provable += credits
    }
  }

  function reconcile(remaining: number): Reconciliation | undefined {
    const { balance, known, provable } = held
    Object.assign(held, { balance: remaining, known: 0, provable: 0 })
    if (balance === undefined) return undefined
    const lost = balance - remaining - known
    if (lost < 0) return undefined
    // The current window first: it must not be counted too low. Beyond every doubt, the window of a charge is unknown.
    const fromCurrent = Math.min(lost, held.doubt)
    const fromOlder = Math.min(lost - fromCurrent, held.olderDoubt)
    held.doubt -= fromCurrent
    held.olderDoubt -= fromOlder
    const window = windows.current()
    const charged = lost - fromOlder
    window.spent += charged
    window.uncertain -= provable
    if (lost === 0 && provable === 0) return undefined
    return { charged: lost, freed: Math.max(0, provable - charged) }
  }

  return {
    recordSent(earlier) {
      if (earlier !== undefined) inFlight--
      newest++
      if (inFlight === 0) sentAlone = newest
      inFlight++
      return newest
    },
    recordEnd(sent, { window, charged, uncertain, remaining }) {
      rollOver()
      if (sent !== undefined) inFlight--
      else if (charged > 0 || uncertain > 0) {
        // Nobody knows when it was sent, so neither the balance nor an answer in flight proves anything.
        newest++
        Object.assign(held, { balance: undefined, provable: 0 })
      }
      held.known += charged
      addUncertain(window, uncertain, sent !== undefined)
      const isAlone = sent === sentAlone && sent === newest
      return isAlone && remaining !== undefined ? reconcile(remaining) : undefined
    },
    state() {
      rollOver()
      return { ...held }
    },
    restore(state) {
      held = { ...state }
    },
  }
}

export function emptyState(index: number): KeyBalanceState {
  return { balance: undefined, known: 0, index, provable: 0, doubt: 0, olderDoubt: 0 }
}
