import { isArray, isBoolean, isNumber, isObject, isString } from '../operations/type-guards.ts'
import { parseJson } from '../utils/json-data.ts'
import type { KeyBalancesState } from './reconcile.ts'
import type { BudgetWindow } from './windows.ts'

/** What a budget keeps in its store. Times are unix milliseconds. */
export interface BudgetEntry {
  /** Length of a window, milliseconds; null without windows. */
  readonly windowMs: number | null
  /** The first one was the current window. */
  readonly windows: readonly StoredWindow[]
  /** Where nobody else uses the keys. */
  readonly keyBalances?: KeyBalancesState | undefined
}

type Bounds = 'start' | 'end' | 'countsUntil'
/** JSON has no infinity: the bounds of a budget without windows are null. `countsUntil` may be null for `end`. */
export type StoredWindow = Omit<BudgetWindow, Bounds> & Readonly<Record<Bounds, number | null>>

/** What version 0.1.0 of this package wrote can be read. */
const VERSION = 3

export const writeEntry = (entry: BudgetEntry): string => JSON.stringify({ v: VERSION, ...entry })

/** Reads an entry. Throws for anything that `writeEntry` did not write: it must not pass for "nothing spent". */
export function readEntry(text: string): BudgetEntry {
  const entry = parseJson(text)
  if (isEntry(entry)) return entry
  throw new TypeError('The entry in the store is not one that a budget of this version has written.')
}

const isEntry = (value: unknown): value is BudgetEntry =>
  isObject(value) &&
  value.v === VERSION &&
  (value.windowMs === null || (isNumber(value.windowMs) && value.windowMs > 0)) &&
  isListOf(value.windows, isWindow) &&
  value.windows.length > 0 &&
  (value.keyBalances === undefined || isKeyBalances(value.keyBalances))

const isWindow = (value: unknown): value is StoredWindow =>
  isObject(value) &&
  [value.start, value.end, value.countsUntil].every((moment) => moment === null || isNumber(moment)) &&
  Number(value.start ?? Number.NEGATIVE_INFINITY) < Number(value.end ?? Number.POSITIVE_INFINITY) &&
  [value.spent, value.reserved, value.uncertain].every(isCount)

const isKeyBalances = (value: unknown): boolean =>
  isObject(value) &&
  isObject(value.evidence) &&
  Object.values(value.evidence).every(isEvidence) &&
  isListOf(value.inUse, isString)

const isEvidence = (value: unknown): boolean =>
  isObject(value) &&
  (value.balance === undefined || isCount(value.balance)) &&
  isCount(value.known) &&
  isListOf(value.losses, isLoss)

const isLoss = (value: unknown): boolean =>
  isObject(value) &&
  isNumber(value.sentAt) &&
  isBoolean(value.isCurrent) &&
  isListOf([value.credits, value.possible], isCount)

/** Beyond the safe integers, too: such a figure counts as the largest, until its window ends. */
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): value is unknown[] =>
  isArray(value) && value.every(isItem)
