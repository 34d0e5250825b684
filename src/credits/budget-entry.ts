import type { KeyBalancesState, KeyEvidence, StoredLoss } from './reconcile.ts'
import { addCredits, type BudgetWindow, emptyWindow } from './windows.ts'

/** What a budget keeps in its store. Times are unix milliseconds. */
export interface BudgetEntry {
  /** Length of a window, milliseconds; null without windows. */
  readonly windowMs: number | null
  /** The first one was the current window. */
  readonly windows: readonly BudgetWindow[]
  /** Where nobody else uses the keys. */
  readonly keyBalances?: KeyBalancesState | undefined
}

const VERSION = 3
/** Its evidence has sums of losses without their age. */
const SECOND_VERSION = 2

/** @param offsetMs what the wall clock is ahead of the time of the windows */
export function writeEntry(
  windowMs: number | null,
  all: readonly BudgetWindow[],
  keyBalances: KeyBalancesState | undefined,
  offsetMs: number,
): string {
  // JSON has no Infinity, which is the end of a budget without windows.
  const toMoment = (time: number) => (Number.isFinite(time) ? time + offsetMs : null)
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
      { ...one, losses: one.losses.map((loss) => ({ ...loss, sentAt: Math.ceil(loss.sentAt + offsetMs) })) },
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
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined
  const entry = isRecord(value) ? (value.v === 1 ? readFirstVersion(value) : readRecord(value)) : undefined
  if (entry === undefined)
    throw new TypeError('The entry in the store is not one that a budget of this version has written.')
  return entry
}

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
  const losses = windows.flatMap(({ reserved }, index) => (reserved > 0 ? [lossOf(reserved, index === 0)] : []))
  return { evidence: { ...evidence, [only]: { ...held, losses: [...held.losses, ...losses] } }, inUse: [] }
}

/** A loss of an unknown age. When it is loaded, it is taken to be new. */
function lossOf(credits: number, isCurrent: boolean): StoredLoss {
  return { sentAt: Number.POSITIVE_INFINITY, credits, possible: credits, isCurrent }
}

/** The windows have another length now: what is not over counts in the window of now. */
function foldInto({ start, end }: BudgetWindow, windows: readonly BudgetWindow[]): BudgetWindow {
  const folded = emptyWindow(start, end)
  for (const window of windows) {
    if (window.end <= start) continue
    folded.spent = addCredits(folded.spent, window.spent)
    folded.uncertain = addCredits(folded.uncertain, window.uncertain)
  }
  return folded
}

function readRecord(entry: Record<string, unknown>): BudgetEntry | undefined {
  const { v, windowMs, windows, keyBalances } = entry
  if ((v !== VERSION && v !== SECOND_VERSION) || !isLength(windowMs) || !Array.isArray(windows) || windows.length === 0)
    return undefined
  const read = windows.map(readWindow)
  const balances = keyBalances === undefined ? undefined : readKeyBalances(keyBalances)
  if (!read.every((window) => window !== undefined)) return undefined
  if (keyBalances !== undefined && balances === undefined) return undefined
  return { windowMs, windows: read, keyBalances: balances }
}

/** Entries of the first version number their windows. What they know of a balance names no key, so it proves nothing. */
function readFirstVersion(entry: Record<string, unknown>): BudgetEntry | undefined {
  const { windowMs, windows, current, keyBalance } = entry
  if (!isLength(windowMs) || !Number.isSafeInteger(current) || !Array.isArray(windows)) return undefined
  if (keyBalance !== undefined && readEvidence(keyBalance) === undefined) return undefined
  const read = windows.map((window: unknown) => {
    const index = isRecord(window) && Number.isSafeInteger(window.index) ? Number(window.index) : undefined
    if (index === undefined) return undefined
    const bounds = windowMs === null ? {} : { start: index * windowMs, end: (index + 1) * windowMs }
    return readWindow({ start: null, end: null, countsUntil: null, ...(window as object), ...bounds })
  })
  if (!read.every((window) => window !== undefined)) return undefined
  const isCurrent = (_: unknown, index: number) => (windows[index] as { index: number }).index === current
  const [now] = read.filter(isCurrent)
  return now && { windowMs, windows: [now, ...read.filter((window) => window !== now)] }
}

function readWindow(value: unknown): BudgetWindow | undefined {
  if (!isRecord(value)) return undefined
  const start = readMoment(value.start, Number.NEGATIVE_INFINITY)
  const end = readMoment(value.end, Number.POSITIVE_INFINITY)
  const countsUntil = readMoment(value.countsUntil, Number.NEGATIVE_INFINITY)
  const [spent, reserved, uncertain] = [value.spent, value.reserved, value.uncertain].map(readCredits)
  if (start === undefined || end === undefined || countsUntil === undefined || !(start < end)) return undefined
  if (spent === undefined || reserved === undefined || uncertain === undefined) return undefined
  return { start, end, countsUntil, spent, reserved, uncertain }
}

function readMoment(value: unknown, never: number): number | undefined {
  return value === null ? never : typeof value === 'number' ? value : undefined
}

/** A figure beyond the safe integers does not make the entry unreadable: it counts as the largest, until its window ends. */
function readCredits(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 ? safe(Number(value)) : undefined
}

function readKeyBalances(value: unknown): KeyBalancesState | undefined {
  if (!isRecord(value) || !isRecord(value.evidence) || !Array.isArray(value.inUse)) return undefined
  const evidence: Record<string, KeyEvidence> = {}
  for (const [key, found] of Object.entries(value.evidence)) {
    const read = readEvidence(found)
    if (read === undefined) return undefined
    evidence[key] = read
  }
  return { evidence, inUse: value.inUse.map(String) }
}

function readEvidence(value: unknown): KeyEvidence | undefined {
  if (!isRecord(value)) return undefined
  const known = readCredits(value.known)
  const balance = value.balance === undefined ? undefined : readCredits(value.balance)
  const losses = Array.isArray(value.losses) ? value.losses.map(readLoss) : readSecondVersion(value)
  if (known === undefined || !losses?.every((loss) => loss !== undefined)) return undefined
  if (balance === undefined && value.balance !== undefined) return undefined
  return { balance, known, losses }
}

function readLoss(value: unknown): StoredLoss | undefined {
  if (!isRecord(value)) return undefined
  const { sentAt, isCurrent } = value
  const [credits, possible] = [value.credits, value.possible].map(readCredits)
  if (typeof sentAt !== 'number' || typeof isCurrent !== 'boolean') return undefined
  return credits === undefined || possible === undefined ? undefined : { sentAt, credits, possible, isCurrent }
}

/** What a balance may prove in the current window is carried over. A charge of an earlier window then counts in that of now. */
function readSecondVersion({ provable }: Record<string, unknown>): StoredLoss[] | undefined {
  const credits = readCredits(provable)
  return credits === undefined ? undefined : credits === 0 ? [] : [lossOf(credits, true)]
}

const safe = (credits: number) => addCredits(credits, 0)

function isLength(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && value > 0)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
