import { invalidOption, rejectUnknown } from '../errors/input.ts'
import type { OperationId } from '../generated/operations.ts'
import type { OperationParams } from '../generated/types.ts'
import { isArray } from '../operations/type-guards.ts'
import { validateParams } from '../operations/validate-params.ts'
import { DAY_MS, type Duration, parseDuration } from '../utils/time-units.ts'
import { costOfCall, creditsToUsd } from './cost.ts'
import { type CallRate, findAdvice } from './plan-advice.ts'

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
  /** Credits left on the key. Needed for `daysUntilEmpty`. */
  balance?: number | undefined
  /** Credits that may be spent a day. Needed for `stretch` and `affordableEveryMs`. */
  creditsPerDay?: number | undefined
}

/** What is spent over time: at most, if each answer is a full page; at least, if each answer is empty. */
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
  /** How long `balance` lasts if the most is spent; undefined without that option, Infinity when nothing is spent. */
  readonly daysUntilEmpty: number | undefined
  /** The factor by which every interval must grow to fit `creditsPerDay`: 1 when it fits; undefined without that option. */
  readonly stretch: number | undefined
  /** The cost of each call of the schedule, in the given order. */
  readonly calls: readonly PlannedCost[]
  /** How to get the same data for less, the largest saving first. */
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

const HOURS_PER_DAY = 24

/**
 * Computes what a schedule of calls costs, in credits and US dollars, a day and in 30 days. The plan also says how long a balance lasts, which
 * intervals a daily limit allows, and how to get the same data for less. Sends nothing. Costs are those of the service's published table.
 * @throws InvalidRequestError when a call would be refused, or when an interval or a limit is not above 0; it names the call
 * @example
 * const plan = planCredits([{ operation: 'token.price', params: { address }, every: '1m' }], { creditsPerDay: 36_000 })
 * plan.creditsPerDay // 72000
 * plan.stretch // 2
 */
export function planCredits(calls: readonly PlannedCall[], options: PlanOptions = {}): CreditPlan {
  if (!isArray(calls)) throw invalidOption('calls', calls, 'a list of calls')
  rejectUnknown('plan option', options, ['balance', 'creditsPerDay'])
  const { balance, creditsPerDay: limit } = options
  if (balance !== undefined) requirePositive('balance', balance)
  if (limit !== undefined) requirePositive('creditsPerDay', limit)
  const rates = calls.map((call, index) => readCall(call, index, `calls[${index}]`))
  const total = sumSpending(rates.map(dailyCost))
  const stretch = limit === undefined ? undefined : Math.max(1, total.creditsPerDay / limit)
  return {
    ...total,
    daysUntilEmpty: balance === undefined ? undefined : balance / total.creditsPerDay,
    stretch,
    calls: rates.map(({ operation, everyMs, activeHours, cost, ...rate }) => ({
      operation,
      everyMs,
      activeHours,
      credits: cost.max,
      minCredits: cost.min,
      ...sumSpending([dailyCost({ ...rate, cost })]),
      share: total.creditsPerDay === 0 ? 0 : (rate.callsPerDay * cost.max) / total.creditsPerDay,
      affordableEveryMs: everyMs * (stretch ?? 1),
    })),
    advice: findAdvice(rates, limit),
  }
}

/** @param name of the call, for errors */
export function readCall(call: PlannedCall, index: number, name: string): CallRate {
  rejectUnknown(`field of ${name}`, call, ['operation', 'params', 'every', 'everyMs', 'activeHours'])
  const { operation, params, activeHours = HOURS_PER_DAY } = call
  const everyMs = readInterval(call, name)
  requirePositive(`${name}.activeHours`, activeHours)
  if (activeHours > HOURS_PER_DAY) throw invalidOption(`${name}.activeHours`, activeHours, 'at most 24')
  const validated = validateParams(operation, params)
  const cost = costOfCall(validated)
  return atTimes({ index, operation, values: validated.values, cost }, everyMs, activeHours)
}

/** A call at these times, whatever its own were. */
export function atTimes(
  call: Pick<CallRate, 'index' | 'operation' | 'values' | 'cost'>,
  everyMs: number,
  activeHours: number,
): CallRate {
  return { ...call, everyMs, activeHours, callsPerDay: countCalls(everyMs, activeHours) }
}

/** The active hours begin anew each day, with a call: every 6 hours in 9 hours are 2 calls. */
function countCalls(everyMs: number, activeHours: number): number {
  if (activeHours === HOURS_PER_DAY || everyMs >= DAY_MS) return DAY_MS / everyMs
  return Math.ceil((activeHours * DAY_MS) / (HOURS_PER_DAY * everyMs))
}

function readInterval({ every, everyMs }: PlannedCall, name: string): number {
  if (every !== undefined && everyMs !== undefined)
    throw invalidOption(`${name}.everyMs`, everyMs, 'left out beside every')
  if (every === undefined) return requirePositive(`${name}.everyMs`, everyMs)
  const ms = parseDuration(every)
  if (ms === undefined) throw invalidOption(`${name}.every`, every, "a duration such as '30s', '5m', '1h' or '1d'")
  return ms
}

export function dailyCost({ callsPerDay, cost }: Pick<CallRate, 'callsPerDay' | 'cost'>): DailyCost {
  return {
    creditsPerDay: callsPerDay * cost.max,
    minCreditsPerDay: callsPerDay * cost.min,
    requestsPerDay: callsPerDay * cost.requests,
  }
}

function requirePositive(name: string, value: unknown): number {
  if (!(typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY))
    throw invalidOption(name, value, 'a finite number above 0')
  return value
}

export type DailyCost = Pick<PlannedSpending, 'creditsPerDay' | 'minCreditsPerDay' | 'requestsPerDay'>

const DAYS_PER_MONTH = 30

/** What calls cost together, a day and in 30 days, in credits and US dollars. */
export function sumSpending(costs: readonly DailyCost[]): PlannedSpending {
  const sum = (field: keyof DailyCost) => costs.reduce((total, cost) => total + cost[field], 0)
  const creditsPerDay = roundError(sum('creditsPerDay'))
  const minCreditsPerDay = roundError(sum('minCreditsPerDay'))
  return {
    creditsPerDay,
    usdPerDay: creditsToUsd(creditsPerDay),
    creditsPer30Days: DAYS_PER_MONTH * creditsPerDay,
    usdPer30Days: creditsToUsd(DAYS_PER_MONTH * creditsPerDay),
    minCreditsPerDay,
    minUsdPerDay: creditsToUsd(minCreditsPerDay),
    minCreditsPer30Days: DAYS_PER_MONTH * minCreditsPerDay,
    minUsdPer30Days: creditsToUsd(DAYS_PER_MONTH * minCreditsPerDay),
    requestsPerDay: sum('requestsPerDay'),
  }
}

/** Shares and rates are off by billionths of a credit: a plan that costs its limit exactly would exceed it. */
const roundError = (credits: number) => Math.round(credits * 1e6) / 1e6
