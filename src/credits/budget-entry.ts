import type { KeyBalancesState } from './reconcile.ts'
import { addCredits, type BudgetWindow, type WindowsState } from './windows.ts'

/** What a budget keeps in its store. Times are unix milliseconds. */
export interface BudgetEntry {
  /** Length of a window, milliseconds; null without windows. */
  readonly windowMs: number | null
  /** The first one was the current window. */
  readonly windows: readonly BudgetWindow[]
  /** Where nobody else uses the keys. */
  readonly keyBalances?: KeyBalancesState | undefined
}

export const ENTRY_VERSION = 3

/** @param offsetMs what the wall clock is ahead of the time of the windows */
export function writeEntry(
  windowMs: number | null,
  { current, others }: WindowsState,
  keyBalances: KeyBalancesState | undefined,
  offsetMs: number,
): string {
  // JSON has no Infinity, which is the end of a budget without windows.
  const toMoment = (time: number) => (Number.isFinite(time) ? time + offsetMs : null)
  const windows = [current, ...others].map((window) => ({
    start: toMoment(window.start),
    end: toMoment(window.end),
    countsUntil: toMoment(window.countsUntil),
    spent: addCredits(window.spent, 0),
    reserved: addCredits(window.reserved, 0),
    uncertain: addCredits(window.uncertain, 0),
  }))
  const evidence =
    keyBalances &&
    Object.entries(keyBalances.evidence).map(([key, one]) => [
      key,
      { ...one, losses: one.losses.map((loss) => ({ ...loss, sentAt: Math.ceil(loss.sentAt + offsetMs) })) },
    ])
  return JSON.stringify({
    v: ENTRY_VERSION,
    windowMs,
    windows,
    keyBalances: evidence && { ...keyBalances, evidence: Object.fromEntries(evidence) },
  })
}
