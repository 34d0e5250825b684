import { anchoredWallClock, type Clock, monotonicNow, systemClock } from '../concurrency/clock.ts'
import { checkStore, invalidOption, rejectUnknown } from '../errors/input.ts'
import { isCredits } from './budget-core.ts'
import type { BudgetStore } from './budget-store.ts'
import type { Budget, MemoryBudget, StoredBudget } from './budget-types.ts'
import { createMemoryBudget } from './memory-budget.ts'
import { createKeyBalances } from './reconcile.ts'
import { createStoredBudget } from './stored-budget.ts'
import { createWindows } from './windows.ts'

export type { BudgetStore } from './budget-store.ts'
export type * from './budget-types.ts'

/** Options of `createBudget`. */
export interface BudgetOptions {
  /** Most credits that may be spent, a whole number; in each window when there is one. */
  credits: number
  /**
   * Length of a window in milliseconds. Windows are counted from the budget's creation; with a `store`, from 1970, so that
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
   * States that nobody else spends with the keys of this budget, and that every request with them is reserved and confirmed here. An
   * answer to a request that was in flight alone on its key then proves, by the key's balance, what lost answers cost: that part of
   * `uncertain` becomes `spent`, the rest is available again. With several keys, each proves its own lost answers only; with a `store`,
   * what a crash left in flight is proven where the process had used one key. A top-up proves nothing. The balance cannot show everything:
   * a top-up smaller than what lost answers cost since the last proof, or a lost request that is executed after a proof
   * has freed its credits and before a top-up. @default false
   */
  exclusiveKey?: boolean | undefined
}

const OPTIONS = ['credits', 'windowMs', 'store', 'key', 'storeTimeoutMs', 'exclusiveKey']
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
  const length = windowMs ?? Number.POSITIVE_INFINITY
  const now = () => clock.now()
  const elapsed = () => monotonicNow(clock)
  // Those of a stored budget begin at moments of the wall clock. While the process lives, only the monotonic time moves them on.
  const time = store ? anchoredWallClock(clock) : elapsed
  const windows = createWindows(length, store ? 0 : time(), time)
  const bare = { limit, windows, now, keyBalances: options.exclusiveKey ? createKeyBalances(windows) : undefined }
  if (store)
    return createStoredBudget(bare, { store, key, timeoutMs: storeTimeoutMs, windowMs: windowMs ?? null, time })
  return createMemoryBudget(bare)
}

function checkOptions(options: BudgetOptions): void {
  rejectUnknown('budget option', options, OPTIONS)
  const { credits, windowMs, store, key, storeTimeoutMs, exclusiveKey } = options
  if (!(credits === Number.POSITIVE_INFINITY || isCredits(credits))) {
    throw invalidOption('budget.credits', credits, 'a whole number of credits, 0 or more')
  }
  for (const [name, ms] of Object.entries({ windowMs, storeTimeoutMs })) {
    if (ms !== undefined && !(typeof ms === 'number' && ms > 0))
      throw invalidOption(`budget.${name}`, ms, 'a number of milliseconds above 0')
  }
  checkStore('budget.store', store)
  if (key !== undefined && !(typeof key === 'string' && key !== '')) {
    throw invalidOption('budget.key', key, 'a text that is not empty')
  }
  if (exclusiveKey !== undefined && typeof exclusiveKey !== 'boolean') {
    throw invalidOption('budget.exclusiveKey', exclusiveKey, 'true or false')
  }
}
