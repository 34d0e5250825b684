import type { KeyBalancesState, KeyEvidence, StoredLoss } from './reconcile.ts'
import { addCredits, type BudgetWindow } from './windows.ts'

/** What a budget keeps in its store. Times are unix milliseconds. */
export interface BudgetEntry {
  /** Length of a window, milliseconds; null without windows. */
  readonly windowMs: number | null
  /** The first one was the current window. */
  readonly windows: readonly BudgetWindow[]
  /** Where nobody else uses the keys. */
  readonly keyBalances?: KeyBalancesState | undefined
}

/** What version 0.1.0 of this package wrote can be read. */
const VERSION = 3

/** In JSON, the infinite start and end of a budget without windows are null. */
export const writeEntry = (entry: BudgetEntry): string => JSON.stringify({ v: VERSION, ...entry })

/** Reads an entry. Throws for anything that `writeEntry` did not write: it must not pass for "nothing spent". */
export function readEntry(text: unknown): BudgetEntry {
  try {
    const { v, windowMs, windows, keyBalances }: BudgetEntry & { readonly v: number } = JSON.parse(text as string)
    check(v === VERSION && (windowMs === null || (typeof windowMs === 'number' && windowMs > 0)) && windows.length > 0)
    return { windowMs, windows: windows.map(readWindow), keyBalances: keyBalances && readKeyBalances(keyBalances) }
  } catch (cause) {
    throw new TypeError('The entry in the store is not one that a budget of this version has written.', { cause })
  }
}

// These read what may be anything, whatever their parameters claim.

function readWindow({ start, end, countsUntil, spent, reserved, uncertain }: BudgetWindow): BudgetWindow {
  const bounds = { start: readMoment(start, Number.NEGATIVE_INFINITY), end: readMoment(end, Number.POSITIVE_INFINITY) }
  check(bounds.start < bounds.end)
  return {
    ...bounds,
    countsUntil: readMoment(countsUntil, Number.NEGATIVE_INFINITY),
    spent: readCredits(spent),
    reserved: readCredits(reserved),
    uncertain: readCredits(uncertain),
  }
}

function readMoment(value: number | null, never: number): number {
  check(value === null || typeof value === 'number')
  return value ?? never
}

/** A figure beyond the safe integers does not make the entry unreadable: it counts as the largest, until its window ends. */
function readCredits(value: number): number {
  check(Number.isInteger(value) && value >= 0)
  return addCredits(value, 0)
}

function readKeyBalances({ evidence, inUse }: KeyBalancesState): KeyBalancesState {
  const read = Object.entries(evidence).map(([key, one]) => [key, readEvidence(one)] as const)
  return { evidence: Object.fromEntries(read), inUse: inUse.map(String) }
}

function readEvidence({ balance, known, losses }: KeyEvidence): KeyEvidence {
  return {
    balance: balance === undefined ? undefined : readCredits(balance),
    known: readCredits(known),
    losses: losses.map(readLoss),
  }
}

function readLoss({ sentAt, credits, possible, isCurrent }: StoredLoss): StoredLoss {
  check(typeof sentAt === 'number' && typeof isCurrent === 'boolean')
  return { sentAt, credits: readCredits(credits), possible: readCredits(possible), isCurrent }
}

function check(isValid: boolean): void {
  if (!isValid) throw new TypeError('A field has another type.')
}
