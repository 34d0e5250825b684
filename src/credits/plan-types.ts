import type { OperationId } from '../generated/operations.ts'
import type { OperationParams } from '../generated/types.ts'
import type { Duration } from './duration.ts'

/** A call that is made again and again. Its interval is either `every` or `everyMs`. */
export type PlannedCall = {
  [Id in OperationId]: {
    /** The operation that is called. */
    readonly operation: Id
    /** The parameters of each call. */
    readonly params?: OperationParams[Id] | undefined
    /** Hours of the day in which the calls are made, above 0 and up to 24. @default 24 */
    readonly activeHours?: number | undefined
  } & PlannedInterval
}[OperationId]

/** The interval between calls, as text or in milliseconds. */
export type PlannedInterval =
  | {
      /** The interval between calls, such as `'30s'`, `'5m'`, `'1h'` or `'1d'`. */
      readonly every: Duration
      /** Left out beside `every`. */
      readonly everyMs?: undefined
    }
  | {
      /** The interval between calls, in milliseconds. */
      readonly everyMs: number
      /** Left out beside `everyMs`. */
      readonly every?: undefined
    }

/** Options of `planCredits`. */
export interface PlanOptions {
  /** The balance in credits. Needed for `daysUntilEmpty`. */
  credits?: number | undefined
  /** Credits that may be spent a day. Needed for `stretch` and `affordableEveryMs`. */
  creditsPerDay?: number | undefined
}

/** What is spent over time: at most, when each answer is a full page, and at least, when each answer is empty. */
export interface PlannedSpending {
  /** Credits a day, at most. */
  readonly creditsPerDay: number
  /** US dollars a day, at most. */
  readonly usdPerDay: number
  /** Credits in 30 days, at most. */
  readonly creditsPer30Days: number
  /** US dollars in 30 days, at most. */
  readonly usdPer30Days: number
  /** Credits a day, at least. */
  readonly minCreditsPerDay: number
  /** US dollars a day, at least. */
  readonly minUsdPerDay: number
  /** Credits in 30 days, at least. */
  readonly minCreditsPer30Days: number
  /** US dollars in 30 days, at least. */
  readonly minUsdPer30Days: number
  /** HTTP requests a day. */
  readonly requestsPerDay: number
}

/** What a schedule of calls costs, without a cache and without retries. */
export interface CreditPlan extends PlannedSpending {
  /** How long `credits` last at most spending; undefined without that option, Infinity when nothing is spent. */
  readonly daysUntilEmpty: number | undefined
  /** The factor by which every interval must grow to fit `creditsPerDay`: 1 when it fits; undefined without that option. */
  readonly stretch: number | undefined
  /** The cost of each call of the schedule, in the given order. */
  readonly calls: readonly PlannedCost[]
  /** How the same data costs less, the largest saving first. */
  readonly advice: readonly PlanAdvice[]
}

/** The cost of one call of a schedule. */
export interface PlannedCost extends PlannedSpending {
  /** The operation that is called. */
  readonly operation: OperationId
  /** The interval between calls, in milliseconds. */
  readonly everyMs: number
  /** Hours of the day in which the calls are made. */
  readonly activeHours: number
  /** The cost of one call in credits, at most. */
  readonly credits: number
  /** The cost of one call in credits, at least. */
  readonly minCredits: number
  /** Its part of the plan's `creditsPerDay`, from 0 to 1. */
  readonly share: number
  /** Shortest interval in milliseconds at which the whole plan fits the daily limit; `everyMs` when it fits or there is no limit. */
  readonly affordableEveryMs: number
}

/** A change of the plan that costs less. */
export interface PlanAdvice {
  /**
   * - `merge-prices`: buy prices together in `prices.batch`
   * - `single-prices`: buy one or two prices with `token.price`
   * - `nft-stats`: read floor prices from `nft.stats`
   * - `repeated-call`: an equal call is planned more than once
   * - `over-limit`: the plan does not fit `creditsPerDay`
   */
  readonly kind: 'merge-prices' | 'single-prices' | 'nft-stats' | 'repeated-call' | 'over-limit'
  /** The advice in a sentence, with its figures. */
  readonly message: string
  /** The positions of the calls that it is about, from 0. */
  readonly calls: readonly number[]
  /** What these calls cost now, credits a day at most. */
  readonly creditsPerDay: number
  /** What they cost if the advice is followed, credits a day at most. */
  readonly insteadCreditsPerDay: number
}
