import { AgeClock, type Clock, SystemClock } from '../concurrency/clock.ts'
import { STORE_TIMEOUT_MS } from '../concurrency/store-call.ts'
import type { ErrorDetails } from '../errors/base.ts'
import { checkStore, invalidOption, rejectUnknown, requireGlobals, requireMilliseconds } from '../errors/input.ts'
import { type CreditLimit, LIMIT_OPTIONS, readBudgetName, readLimit } from './credit-limit.ts'
import { openCounts } from './open-entries.ts'
import { DEFAULT_MAX_CHARGE_DELAY_MS, KeyBalances } from './reconcile.ts'
import { BudgetWindows } from './windows.ts'

/** What goes into the error of a reservation that does not fit. `attempts` are the requests that the call has sent so far. */
export type ReservationDetails = Omit<ErrorDetails, 'code'>

/** The totals of a budget, for the window of now. */
export interface BudgetTotals {
  /** Credits that may be spent in a window; Infinity when there is no limit. */
  readonly limit: number
  /** Credits known to have been charged in this window. */
  readonly spent: number
  /** Worst case of the requests in flight or about to be sent. */
  readonly reserved: number
  /**
   * Worst case of requests that may have been charged and whose answer is lost. Held until the window ends, or, with `exclusiveKey`, until a balance
   * has shown what they cost. With `exclusiveKey` it is never more than what the limit leaves beside `spent` and `reserved`.
   */
  readonly uncertain: number
  /** Worst case that the next request may have. */
  readonly available: number
  /** When this window ends, unix milliseconds; undefined without a window. */
  readonly resetsAt: number | undefined
}

/** A limit in credits that holds under any concurrency: `spent + reserved + uncertain <= limit`. */
export interface Budget extends BudgetTotals {
  /**
   * Checks that `credits` fit now. Reserves nothing.
   * @throws BudgetExceededError when they do not fit.
   */
  check(credits: number, details?: ReservationDetails): void
  /**
   * Reserves credits, all of them or none. The client does this before each request; call it to guard other spending too.
   * A budget with a `store` returns a promise, which resolves when the reservation is written.
   * @throws BudgetExceededError when they do not fit; StateUnavailableError when the store fails.
   */
  reserve(credits: number, details?: ReservationDetails): Reservation | Promise<Reservation>
}

/** A budget in memory: everything is synchronous. */
export interface MemoryBudget extends Budget {
  reserve(credits: number, details?: ReservationDetails): MemoryReservation
}

/**
 * A budget that outlives the process. What earlier processes have spent is known when it is loaded: `spent`, `reserved`, `uncertain` and
 * `available` throw an error with the code `budget_not_loaded` until `load()` or the first `reserve()` has resolved.
 * @example
 * const budget = createBudget({ creditsPerDay: 20_000, store })
 * await budget.load()
 * console.log(budget.spent)
 */
export interface StoredBudget extends Budget {
  reserve(credits: number, details?: ReservationDetails): Promise<Reservation>
  /**
   * Reads what earlier processes have spent. The first `reserve` does this too; call it before you read the totals.
   * @throws StateUnavailableError when the store fails or holds something else.
   */
  load(): Promise<void>
  /**
   * Resolves when everything known so far is written. Call it before the process ends: charges that are not written
   * are `uncertain` after a restart.
   * @throws StateUnavailableError when the store fails.
   */
  flush(): Promise<void>
}

/** Reserved credits. The first call of `settle`, `release` or `markUncertain` decides; later calls do nothing. */
export interface Reservation {
  /** The reserved credits: the worst case of the request. */
  readonly credits: number
  /**
   * Call this right before the request is sent, and send nothing when it fails. A window counts what is sent in it, so a
   * reservation of an earlier window moves to the current one. Returns a promise only where something has to be written first.
   * @param key the API key that the request is sent with, for a budget with `exclusiveKey` or a fleet. They keep a hash of it; a client of this
   * library passes the hash. Without a key nobody knows which balance the request changes. While it is in flight, no balance proves anything. If it
   * was charged, the comparison of each key begins anew with its next balance.
   * @throws BudgetExceededError when it does not fit there, StateUnavailableError when the store fails; the reservation is
   * then released.
   */
  confirm(details?: ReservationDetails, key?: string): void | Promise<void>
  /**
   * The charge is known: it counts as spent, and the rest of the reservation is released.
   * `observed.remaining` is the key's balance that the same answer reports. A budget with `exclusiveKey` compares it with
   * the known charges of that key and returns what that proves; otherwise the result is undefined.
   */
  settle(charged: number, observed?: { readonly remaining?: number | undefined }): Reconciliation | undefined
  /** Nothing was charged. */
  release(): void
  /** The charge is unknown: the worst case stays blocked until the window ends, or until a balance shows what it was. */
  markUncertain(): void
}

/** A reservation of a budget in memory. */
export interface MemoryReservation extends Reservation {
  confirm(details?: ReservationDetails, key?: string): void
}

/** What the key's balance shows about answers that were lost. */
export interface Reconciliation {
  /** Credits that were charged without an answer. They count as spent now. Losses younger than `maxChargeDelayMs` stay uncertain. */
  readonly charged: number
  /** Credits that were uncertain and are available again. */
  readonly freed: number
}

/**
 * Where a budget is kept, so that it outlives the process: Keyv, or anything with its methods, synchronous or not.
 * - It must report failures: a rejected promise, an exception, or `false` from `set`. Keyv 5 hides them unless
 *   `throwOnErrors: true` is set.
 * - It must keep the entry: set no default ttl that is shorter than a window.
 * - One process at a time may use one entry. A plain store has no compare-and-set, so two processes would overwrite
 *   each other's counts and together exceed the limit.
 */
export interface BudgetStore {
  /** The text under the key, or undefined; a promise of it, too. */
  get(key: string): unknown
  /** Stores a text under the key, for `ttl` milliseconds where one is given. */
  set(key: string, value: string, ttl?: number): unknown
  /** Removes the text under the key. */
  delete?(key: string): unknown
}

/**
 * Options of `createBudget`: a limit, and how it is kept. Windows are counted from the budget's creation; with a `store`, from 1970, so that a day
 * begins at midnight UTC. Steps of the wall clock do not change a window while the process lives.
 */
export type BudgetOptions = CreditLimit & {
  /**
   * Keeps the budget when the process ends. Call `await budget.load()` before you read its totals. A reservation is written before its request is
   * sent. What a crash left reserved is `uncertain` after the restart. While the store fails, nothing is sent. One process at a time may use an
   * entry.
   * @default the budget is in memory
   */
  store?: BudgetStore | undefined
  /** Name of the budget in the store. Budgets with one store and name are one, and need the same options. @default 'default' */
  name?: string | undefined
  /**
   * How long one read or write of the store may take, milliseconds, above 0. If it takes longer, it has failed: its call is refused, and the next
   * call asks the store again. @default 5_000
   */
  storeTimeoutMs?: number | undefined
  /**
   * States that nobody else spends with the keys of this budget, and that every request with them is reserved here, and confirmed with its key. If a
   * request was alone in flight on its key, the balance in its answer then shows what lost answers cost: `spent` grows by what the balance fell
   * beyond the known charges. Losses that are `maxChargeDelayMs` old or older are available again; younger ones stay `uncertain`, because they may
   * still be charged. With several keys, each proves its own lost answers only. With a `store`, what a crash left in flight is proven if the process
   * had used one key. A balance after a top-up proves nothing. The balance cannot show a top-up that is smaller than what lost answers cost.
   * @default false
   */
  exclusiveKey?: boolean | undefined
  /**
   * For `exclusiveKey`: how long after a request was sent the service may still charge it, in milliseconds, above 0. A service
   * does not learn at once that nobody waits for an answer any more, so a request that was aborted or timed out may be executed, and charged,
   * later. Until then its credits are not freed. @default 60_000
   */
  maxChargeDelayMs?: number | undefined
}

const OPTIONS = ['store', 'name', 'storeTimeoutMs', 'exclusiveKey', 'maxChargeDelayMs']

/**
 * A budget that several clients can share. With a `store`, an entry has one budget in this process: if the entry is open, its budget is returned.
 * Unless a request is in flight, that budget then reads what other processes have spent before its next reservation.
 * @example const budget = createBudget({ creditsPerDay: 100_000 })
 * @example
 * // One that outlives the process, in anything with `get` and `set`
 * const budget = createBudget({ creditsPerDay: 20_000, store })
 * await budget.load()
 * console.log(budget.available)
 * @throws InvalidRequestError when an option is not accepted, or the entry is open with other options.
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
export function createBudget(options: BudgetOptions, clock?: Pick<Clock, 'now' | 'monotonic'>): Budget {
  readOptions(options)
  requireGlobals()
  const { budget, readAgain } = openBudget(options, clock ?? new SystemClock())
  // Who has opened it before may never say that it is not used any more.
  readAgain?.()
  return budget
}

/** A budget as a client, a feed, a sweep or a proxy uses it. */
export interface OpenedBudget {
  /** `isLoaded` is false while it is not known yet what earlier processes have spent. */
  readonly budget: Budget & Partial<Pick<StoredBudget, 'load' | 'flush'>> & { readonly isLoaded?: boolean }
  /** Unless a request is in flight: the next reservation reads first what other processes have written. */
  readAgain?(): void
  /** Writes what is known, and ends the use. @throws StateUnavailableError when the store fails */
  close(): Promise<void>
}

/** An entry of another part of the library, apart from those that users name. */
export interface OwnEntry {
  readonly key: string
  /** How long a store has to keep what is written. @default always */
  readonly ttlMs?: number | undefined
}

/** @param given settings, or a budget of the caller's own */
export function openBudget(
  given: OpenedBudget['budget'] | BudgetOptions,
  clock: Pick<Clock, 'now' | 'monotonic'>,
  own?: OwnEntry,
): OpenedBudget {
  if ('reserve' in given) return { budget: given, close: async () => given.flush?.() }
  const { credits, windowMs, name } = readOptions(given)
  const { store, storeTimeoutMs = STORE_TIMEOUT_MS } = given
  const { exclusiveKey = false, maxChargeDelayMs = DEFAULT_MAX_CHARGE_DELAY_MS } = given
  const begin = () => {
    // Those of a stored budget are days, or parts of one, by the wall clock.
    const time = store ? new AgeClock(clock) : { now: () => clock.monotonic(), jumpedMs: 0, setBackMs: 0 }
    const windows = new BudgetWindows(windowMs ?? Number.POSITIVE_INFINITY, store ? 0 : time.now(), time)
    // What may still be charged becomes no older by a jump, which may be a step of the clock.
    const elapsed = () => time.now() - time.jumpedMs
    const keyBalances = exclusiveKey ? new KeyBalances(windows, elapsed, maxChargeDelayMs) : undefined
    return { limit: credits, windows, keyBalances, now: () => clock.now(), time }
  }
  const { key, ttlMs } = own ?? { key: `etn-market:budget:${name}` }
  const entry = { key, credits, windowMs, storeTimeoutMs, exclusiveKey, maxChargeDelayMs, ttlMs }
  return openCounts(store && { store, ...entry }, begin)
}

function readOptions(options: BudgetOptions) {
  rejectUnknown('budget option', options, [...LIMIT_OPTIONS, ...OPTIONS])
  const { store, name, exclusiveKey } = options
  const limit = readLimit('budget', options)
  for (const option of ['storeTimeoutMs', 'maxChargeDelayMs'] as const) {
    if (options[option] !== undefined) requireMilliseconds(`budget.${option}`, options[option])
  }
  checkStore('budget.store', store)
  if (exclusiveKey !== undefined && typeof exclusiveKey !== 'boolean') {
    throw invalidOption('budget.exclusiveKey', exclusiveKey, 'true or false')
  }
  return { ...limit, name: readBudgetName(name) }
}
