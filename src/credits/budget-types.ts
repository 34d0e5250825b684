import type { ErrorDetails } from '../errors/base.ts'

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
   * has shown what they cost; then never more than what the limit leaves beside `spent` and `reserved`.
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
 * const budget = createBudget({ credits: 20_000, windowMs: 86_400_000, store })
 * await budget.load()
 * console.log(budget.spent)
 */
export interface StoredBudget extends Budget {
  /** Credits known to have been charged in this window. @throws EtnMarketError `budget_not_loaded` before `load()` */
  readonly spent: number
  /** Worst case of the requests in flight or about to be sent. @throws EtnMarketError `budget_not_loaded` before `load()` */
  readonly reserved: number
  /** Worst case of requests that may have been charged. @throws EtnMarketError `budget_not_loaded` before `load()` */
  readonly uncertain: number
  /** Worst case that the next request may have. @throws EtnMarketError `budget_not_loaded` before `load()` */
  readonly available: number
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
   * @param key the API key that the request is sent with, for a budget with `exclusiveKey` or a fleet, which keep a hash of it. A client of this library
   * passes the hash. Without it nobody knows which balance the request changes: while it is in flight no balance proves anything, and when it was
   * charged, the next balance of each key is compared with none before.
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
  /** Credits that were charged without an answer. They count as spent now. Young losses stay uncertain beside them. */
  readonly charged: number
  /** Credits that were uncertain and are available again. */
  readonly freed: number
}
