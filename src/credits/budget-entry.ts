import type { KeyBalancesState, KeyEvidence, StoredLoss } from './reconcile.ts'
import { addCredits, type BudgetWindow, type WindowTime } from './windows.ts'

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

/** @param time that of the windows: the entry states moments of the wall clock */
export function writeEntry(
  windowMs: number | null,
  all: readonly BudgetWindow[],
  keyBalances: KeyBalancesState | undefined,
  { setBackMs, jumpedMs }: WindowTime,
): string {
  // JSON has no Infinity, which is the end of a budget without windows.
  const toMoment = (time: number) => (Number.isFinite(time) ? time - setBackMs : null)
  const windows = all.map((window) => ({
    start: toMoment(window.start),
    end: toMoment(window.end),
    countsUntil: toMoment(window.countsUntil),
    spent: safe(window.spent),
    reserved: safe(window.reserved),
    uncertain: safe(window.uncertain),
  }))
  const evidence =
    keyBalances &&
    Object.entries(keyBalances.evidence).map(([key, one]) => [
      key,
      {
        ...one,
        losses: one.losses.map((loss) => ({ ...loss, sentAt: Math.ceil(loss.sentAt - setBackMs + jumpedMs) })),
      },
    ])
  return JSON.stringify({
    v: VERSION,
    windowMs,
    windows,
    keyBalances: evidence && { ...keyBalances, evidence: Object.fromEntries(evidence) },
  })
}

/** Reads an entry. Throws for anything that `writeEntry` did not write: it must not pass for "nothing spent". */
export function readEntry(text: unknown): BudgetEntry {
  const { v, windowMs, windows, keyBalances } = asRecord(typeof text === 'string' ? JSON.parse(text) : undefined)
  const list = asList(windows)
  if (v !== VERSION || !isLength(windowMs) || list.length === 0) throw unreadable()
  const balances = keyBalances === undefined ? undefined : readKeyBalances(keyBalances)
  return { windowMs, windows: list.map(readWindow), keyBalances: balances }
}

function readWindow(value: unknown): BudgetWindow {
  const window = asRecord(value)
  const start = readMoment(window.start, Number.NEGATIVE_INFINITY)
  const end = readMoment(window.end, Number.POSITIVE_INFINITY)
  if (!(start < end)) throw unreadable()
  return {
    start,
    end,
    countsUntil: readMoment(window.countsUntil, Number.NEGATIVE_INFINITY),
    spent: readCredits(window.spent),
    reserved: readCredits(window.reserved),
    uncertain: readCredits(window.uncertain),
  }
}

function readMoment(value: unknown, never: number): number {
  if (value === null) return never
  if (typeof value !== 'number') throw unreadable()
  return value
}

/** A figure beyond the safe integers does not make the entry unreadable: it counts as the largest, until its window ends. */
function readCredits(value: unknown): number {
  if (!(Number.isInteger(value) && Number(value) >= 0)) throw unreadable()
  return safe(Number(value))
}

function readKeyBalances(value: unknown): KeyBalancesState {
  const { evidence, inUse } = asRecord(value)
  const read = Object.entries(asRecord(evidence)).map(([key, found]) => [key, readEvidence(found)] as const)
  return { evidence: Object.fromEntries(read), inUse: asList(inUse).map(String) }
}

function readEvidence(value: unknown): KeyEvidence {
  const { balance, known, losses } = asRecord(value)
  return {
    balance: balance === undefined ? undefined : readCredits(balance),
    known: readCredits(known),
    losses: asList(losses).map(readLoss),
  }
}

function readLoss(value: unknown): StoredLoss {
  const { sentAt, credits, possible, isCurrent } = asRecord(value)
  if (typeof sentAt !== 'number' || typeof isCurrent !== 'boolean') throw unreadable()
  return { sentAt, credits: readCredits(credits), possible: readCredits(possible), isCurrent }
}

const safe = (credits: number) => addCredits(credits, 0)

function isLength(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && value > 0)
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw unreadable()
  return value as Record<string, unknown>
}

function asList(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw unreadable()
  return value
}

const unreadable = () => new TypeError('The entry in the store is not one that a budget of this version has written.')
