import { isCredits } from './budget-core.ts'
import { emptyState, type KeyBalanceState } from './reconcile.ts'
import { type BudgetWindow, emptyWindow, type WindowsState } from './windows.ts'

/** What a budget keeps in its store. */
export interface BudgetEntry extends WindowsState {
  /** Length of a window, milliseconds; null without windows. */
  readonly windowMs: number | null
  /** Where nobody else uses the key. */
  readonly keyBalance?: KeyBalanceState | undefined
}

const VERSION = 1

export function writeEntry(entry: BudgetEntry): string {
  return JSON.stringify({ v: VERSION, ...entry })
}

/** Reads an entry. Throws for anything that `writeEntry` did not write: it must not pass for "nothing spent". */
export function readEntry(text: unknown): BudgetEntry {
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
  if (!isEntry(value))
    throw new TypeError('The entry in the store is not one that a budget of this version has written.')
  return value
}

/** The entry after a restart: what was reserved may have been sent, so it is uncertain. */
export function afterRestart(entry: BudgetEntry, windowMs: number | null, index: number): BudgetEntry {
  const { keyBalance } = entry
  const restarted = {
    ...entry,
    windows: entry.windows.map((one) => ({ ...one, reserved: 0, uncertain: one.uncertain + one.reserved })),
    keyBalance: keyBalance && addReserved(keyBalance, entry.windows),
  }
  return entry.windowMs === windowMs ? restarted : withOtherWindows(restarted, windowMs, index)
}

/** Requests that are in flight were sent after the balance was known, so a later balance proves what they cost. */
function addReserved(state: KeyBalanceState, windows: readonly BudgetWindow[]): KeyBalanceState {
  const after = { ...state }
  for (const { index, reserved } of windows) {
    if (index !== state.index) after.olderDoubt += reserved
    else {
      after.provable += reserved
      after.doubt += reserved
    }
  }
  return after
}

/** The windows have another length now: what is not over counts in the window of now. */
function withOtherWindows(entry: BudgetEntry, windowMs: number | null, index: number): BudgetEntry {
  const window = emptyWindow(index)
  for (const { index: old, spent, uncertain } of entry.windows) {
    const isOver = windowMs !== null && entry.windowMs !== null && (old + 1) * entry.windowMs <= index * windowMs
    if (isOver) continue
    window.spent += spent
    window.uncertain += uncertain
  }
  const { keyBalance } = entry
  const olderDoubt = (keyBalance?.doubt ?? 0) + (keyBalance?.olderDoubt ?? 0)
  return {
    windowMs,
    current: index,
    windows: [window],
    keyBalance: keyBalance && {
      ...emptyState(index),
      balance: keyBalance.balance,
      known: keyBalance.known,
      olderDoubt,
    },
  }
}

function isEntry(value: unknown): value is BudgetEntry {
  if (!isRecord(value) || value.v !== VERSION || !Number.isSafeInteger(value.current)) return false
  const { windowMs, windows, keyBalance } = value
  return (
    (windowMs === null || (typeof windowMs === 'number' && windowMs > 0)) &&
    Array.isArray(windows) &&
    windows.every(isWindow) &&
    windows.some((window) => window.index === value.current) &&
    (keyBalance === undefined || isKeyBalance(keyBalance, windows))
  )
}

function isWindow(value: unknown): value is BudgetWindow {
  return isRecord(value) && Number.isSafeInteger(value.index) && hasCredits(value, ['spent', 'reserved', 'uncertain'])
}

function isKeyBalance(value: unknown, windows: readonly BudgetWindow[]): boolean {
  if (!isRecord(value) || !Number.isSafeInteger(value.index)) return false
  const window = windows.find(({ index }) => index === value.index)
  return (
    hasCredits(value, ['known', 'provable', 'doubt', 'olderDoubt']) &&
    (value.balance === undefined || isCredits(value.balance)) &&
    Number(value.provable) <= (window?.uncertain ?? 0)
  )
}

function hasCredits(value: Record<string, unknown>, names: readonly string[]): boolean {
  return names.every((name) => isCredits(value[name]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
