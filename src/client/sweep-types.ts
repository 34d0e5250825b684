import type { BudgetStore } from '../credits/budget.ts'
import type { EtnMarketError } from '../errors/base.ts'
import type { CallOptions } from './options.ts'

/**
 * Options of `.many()`. Those of a call apply to each call; `signal` ends the whole sweep, which then rejects. With
 * `whenAborted: 'finish'` it sends nothing more, waits for what is sent already, and ends; the rest is in `remaining`.
 */
export interface SweepOptions extends CallOptions {
  /**
   * Keeps each answer that matches the contract, so that a sweep that is run again buys only what is missing. Anything with
   * `get`, `set` and `delete`, such as a `Map` or Keyv. @default nothing is kept
   */
  store?: BudgetStore | undefined
  /**
   * The most that may be charged, in credits, retries and lost answers included. With a `store` it holds for all sweeps with `maxCredits` on
   * that store together, also after a crash: the store keeps what they were charged. @default no limit but the client's budget
   */
  maxCredits?: number | undefined
  /** Calls in flight or answered and not yet read, at most. @default 2 for heavy operations, 4 for others */
  concurrency?: number | undefined
  /** Called after each result. What it throws is ignored. */
  onProgress?: ((progress: SweepProgress) => void) | undefined
}

/** The progress of a sweep. */
export interface SweepProgress {
  /** Results so far, failures included. */
  readonly done: number
  /** How many of them are failures. */
  readonly failed: number
  /** Results when everything is done. */
  readonly total: number
  /** Credits charged so far, as far as is known. */
  readonly credits: number
  /** Milliseconds until the end at the speed so far; undefined before the first answer of the service. */
  readonly etaMs: number | undefined
}

/** The result of one call of a sweep. */
export type SweepResult<Params, Data> = SweepSuccess<Params, Data> | SweepFailure<Params>

/** A call of a sweep that has its data. */
export interface SweepSuccess<Params, Data> {
  /** The parameters as they were given. */
  readonly params: Params
  /** The data of the service. */
  readonly data: Data
  /** Undefined: only a failure has an error. */
  readonly error?: undefined
  /** Whether the data came from the store. */
  readonly stored: boolean
}

/** A call of a sweep that failed. */
export interface SweepFailure<Params> {
  /** The parameters as they were given. */
  readonly params: Params
  /** Undefined. */
  readonly data?: undefined
  /** What the call rejected with. */
  readonly error: EtnMarketError
  /** False. */
  readonly stored: false
}

/**
 * The calls of `.many()`, made while it is iterated. It ends early when every further call must fail in the same way (401, 402, 403, a
 * closed client). Leaving the loop sends no further request; those in flight are waited for and kept in the store.
 */
export interface Sweep<Params, Data> extends AsyncGenerator<SweepResult<Params, Data>, void, undefined> {
  /** The parameters without a result so far: at the end those that `maxCredits` did not allow, or that were not called any more. */
  readonly remaining: readonly Params[]
}
