import type { BudgetEntry } from './budget-entry.ts'
import type { KeyBalancesState } from './reconcile.ts'
import { addCredits, type BudgetWindow, emptyWindow } from './windows.ts'

/** The entry after a restart: what was reserved may have been sent, so it is uncertain. */
export function afterRestart(entry: BudgetEntry, windowMs: number | null, current: BudgetWindow): BudgetEntry {
  const keyBalances = entry.keyBalances && addReserved(entry.keyBalances, entry.windows)
  const windows = entry.windows.map((one) => ({
    ...one,
    reserved: 0,
    uncertain: addCredits(one.uncertain, one.reserved),
  }))
  if (entry.windowMs === windowMs) return { windowMs, windows, keyBalances }
  return { windowMs, windows: [foldInto(current, windows)], keyBalances }
}

/**
 * Requests in flight were sent after the balance was known, so a later balance proves what they cost. With which key they were sent is
 * known where the process used one only. When they were sent is not known: at the latest now.
 */
function addReserved({ evidence, inUse }: KeyBalancesState, windows: readonly BudgetWindow[]): KeyBalancesState {
  const [only = '', another] = inUse
  const held = another === undefined ? evidence[only] : undefined
  if (held?.balance === undefined) return { evidence, inUse: [] }
  const losses = windows
    .map(({ reserved }, index) => ({ credits: reserved, possible: reserved, isCurrent: index === 0 }))
    .filter(({ credits }) => credits > 0)
    // Of an unknown age: when a loss is loaded, it is taken to be new.
    .map((loss) => ({ sentAt: Number.POSITIVE_INFINITY, ...loss }))
  return { evidence: { ...evidence, [only]: { ...held, losses: [...held.losses, ...losses] } }, inUse: [] }
}

/** The windows have another length now: what is not over counts in the window of now. */
function foldInto({ start, end }: BudgetWindow, windows: readonly BudgetWindow[]): BudgetWindow {
  const folded = emptyWindow(start, end)
  for (const window of windows) {
    if (Math.max(window.end, window.countsUntil) <= start) continue
    folded.spent = addCredits(folded.spent, window.spent)
    folded.uncertain = addCredits(folded.uncertain, window.uncertain)
  }
  return folded
}
