import { anchoredWallClock, type Clock, monotonicNow, systemClock } from '../concurrency/clock.ts'
import { checkStore, invalidOption, rejectUnknown, requireMilliseconds, requireWindowMs } from '../errors/input.ts'
import { isCredits } from './budget-core.ts'
import type { BudgetStore } from './budget-store.ts'
import type { Budget, MemoryBudget, StoredBudget } from './budget-types.ts'
import { createMemoryBudget } from './memory-budget.ts'
import { DEFAULT_MAX_CHARGE_DELAY_MS, KeyBalances } from './reconcile.ts'
import { createStoredBudget } from './stored-budget.ts'
import { createWindows } from './windows.ts'

export type { BudgetStore } from './budget-store.ts'
export type * from './budget-types.ts'

/** Options of `createBudget`. */
export interface BudgetOptions {
  /** Most credits that may be spent, a whole number; in each window when there is one. */
  credits: number
  /**
   * Length of a window in whole milliseconds. Windows are counted from the budget's creation; with a `store`, from 1970, so that
   * a day begins at midnight UTC. Steps of the wall clock do not change a window while the process lives. Without it the budget never
   * renews itself.
   */
  windowMs?: number | undefined
  /**
   * Keeps the budget when the process ends. Call `await budget.load()` before you read its totals. What is reserved is written before it is sent, what a crash left reserved is
   * `uncertain` after the restart, and while the store fails nothing is sent. One process at a time may use an entry.
   * @default the budget is in memory
   */
  store?: BudgetStore | undefined
  /** Name of the entry in the store. Budgets that share a store need a name each. @default 'etn-market:budget' */
  key?: string | undefined
  /**
   * How long one read or write of the store may take, milliseconds, above 0. One that takes longer has failed: its call is refused, and the
   * next one asks the store again. @default 5_000
   */
  storeTimeoutMs?: number | undefined
  /**
   * States that nobody else spends with the keys of this budget, and that every request with them is reserved here, and confirmed with its
   * key. An answer to a request that was in flight alone on its key then shows, by the key's balance, what lost answers cost: `spent` grows by
   * what the balance fell beyond the known charges. What was lost `maxChargeDelayMs` ago or earlier is available again; what is younger
   * stays `uncertain`, because it may still be charged. With several keys, each proves its own lost answers only; with a `store`,
   * what a crash left in flight is proven where the process had used one key. A top-up proves nothing. The balance cannot show
   * a top-up that is smaller than what lost answers cost. @default false
   */
  exclusiveKey?: boolean | undefined
  /**
   * For `exclusiveKey`: how long after a request was sent the service may still charge it, in milliseconds, above 0. A service
   * does not learn at once that nobody waits for an answer any more, so a request that was aborted or timed out may be executed, and charged,
   * later. Until then its credits are not freed. @default 60_000
   */
  maxChargeDelayMs?: number | undefined
}

const OPTIONS = ['credits', 'windowMs', 'store', 'key', 'storeTimeoutMs', 'exclusiveKey', 'maxChargeDelayMs']
const DEFAULT_KEY = 'etn-market:budget'
const DEFAULT_STORE_TIMEOUT_MS = 5_000

/**
 * A budget that several clients can share.
 * @example const budget = createBudget({ credits: 100_000, windowMs: 86_400_000 })
 * @example
 * // One that outlives the process, in anything with `get` and `set`
 * const budget = createBudget({ credits: 20_000, windowMs: 86_400_000, store })
 * await budget.load()
 * console.log(budget.available)
 * @throws InvalidRequestError when an option is not accepted.
 */
export function createBudget(
  options: BudgetOptions & { store: BudgetStore },
  clock?: Pick<Clock, 'now' | 'monotonic'>,
): StoredBudget
export function createBudget(
  options: BudgetOptions & { store?: undefined },
  clock?: Pick<Clock, 'now' | 'monotonic'>,
): MemoryBudget
export function createBudget(options: BudgetOptions, clock?: Pick<Clock, 'now' | 'monotonic'>): Budget
export function createBudget(options: BudgetOptions, clock: Pick<Clock, 'now' | 'monotonic'> = systemClock): Budget {
  checkOptions(options)
  const { credits: limit, windowMs, store, key = DEFAULT_KEY, storeTimeoutMs = DEFAULT_STORE_TIMEOUT_MS } = options
  const { exclusiveKey = false, maxChargeDelayMs = DEFAULT_MAX_CHARGE_DELAY_MS } = options
  const length = windowMs ?? Number.POSITIVE_INFINITY
  const now = () => clock.now()
  const elapsed = () => monotonicNow(clock)
  // Those of a stored budget begin at moments of the wall clock. While the process lives, only the monotonic time moves them on.
  const time = store ? anchoredWallClock(clock) : elapsed
  const windows = createWindows(length, store ? 0 : time(), time)
  const keyBalances = exclusiveKey ? new KeyBalances(windows, time, maxChargeDelayMs) : undefined
  const bare = { limit, windows, now, keyBalances }
  if (store)
    return createStoredBudget(bare, { store, key, timeoutMs: storeTimeoutMs, windowMs: windowMs ?? null, time })
  return createMemoryBudget(bare)
}

function checkOptions(options: BudgetOptions): void {
  rejectUnknown('budget option', options, OPTIONS)
  const { credits, windowMs, store, key, exclusiveKey } = options
  if (!(credits === Number.POSITIVE_INFINITY || isCredits(credits))) {
    throw invalidOption('budget.credits', credits, 'a whole number of credits, 0 or more')
  }
  if (windowMs !== undefined) requireWindowMs('budget.windowMs', windowMs)
  for (const name of ['storeTimeoutMs', 'maxChargeDelayMs'] as const) {
    if (options[name] !== undefined) requireMilliseconds(`budget.${name}`, options[name])
  }
  checkStore('budget.store', store)
  if (key !== undefined && !(typeof key === 'string' && key !== '')) {
    throw invalidOption('budget.key', key, 'a text that is not empty')
  }
  if (exclusiveKey !== undefined && typeof exclusiveKey !== 'boolean') {
    throw invalidOption('budget.exclusiveKey', exclusiveKey, 'true or false')
  }
}
