import { invalidOption } from '../errors/input.ts'
import type { OperationId } from '../generated/operations.ts'
import type { OperationParams } from '../generated/types.ts'
import { creditsToUsd } from './cost.ts'
import { estimate } from './estimate.ts'

const DAY_MS = 86_400_000

/** A call that is made again and again. */
export type PlannedCall = {
  [Id in OperationId]: {
    /** The operation that is called. */
    readonly operation: Id
    /** The parameters of each call. */
    readonly params?: OperationParams[Id] | undefined
    /** The interval between calls, in milliseconds. */
    readonly everyMs: number
  }
}[OperationId]

/** Options of `planCredits`. */
export interface PlanOptions {
  /** Credits there are. Tells how long they last. */
  credits?: number | undefined
  /** Credits a day that may be spent. Tells how much slower the calls must come to fit. */
  creditsPerDay?: number | undefined
}

/** What a schedule of calls costs at most: worst cases, no cache, nothing shared. */
export interface CreditPlan {
  /** Credits a day at most. */
  readonly creditsPerDay: number
  /** The same in US dollars. */
  readonly usdPerDay: number
  /** HTTP requests a day. */
  readonly requestsPerDay: number
  /** How long `credits` last; undefined when it was not given, Infinity when nothing is spent. */
  readonly daysUntilEmpty: number | undefined
  /** By how much every interval must be multiplied to fit `creditsPerDay`: 1 when it fits; undefined when that was not given. */
  readonly stretch: number | undefined
  /** The cost of each call of the schedule, in the given order. */
  readonly calls: readonly PlannedCost[]
}

/** The cost of one call of a schedule. */
export interface PlannedCost {
  /** The operation that is called. */
  readonly operation: OperationId
  /** Worst case of one call, in credits. */
  readonly credits: number
  /** Credits a day at most. */
  readonly creditsPerDay: number
  /** Shortest interval in milliseconds at which the whole plan fits `creditsPerDay`; the one asked for when it fits or no limit was given. */
  readonly affordableEveryMs: number
}

/**
 * What a schedule of calls costs, in credits and US dollars a day, how long the credits last and which rate they allow.
 * Sends nothing.
 * @throws InvalidRequestError when a call would be refused or an interval or a limit is not a number above 0.
 * @example planCredits([{ operation: 'token.price', params: { address }, everyMs: 60_000 }], { creditsPerDay: 36_000 }).stretch // 2
 */
export function planCredits(calls: readonly PlannedCall[], options: PlanOptions = {}): CreditPlan {
  const { credits, creditsPerDay: allowed } = options
  if (credits !== undefined) requirePositive('credits', credits)
  if (allowed !== undefined) requirePositive('creditsPerDay', allowed)
  const rates = calls.map(({ operation, params, everyMs }) => {
    requirePositive('everyMs', everyMs)
    const { max, requests } = estimate(operation, params)
    const perDay = DAY_MS / everyMs
    return { operation, everyMs, credits: max, creditsPerDay: max * perDay, requestsPerDay: requests * perDay }
  })
  const creditsPerDay = rates.reduce((sum, rate) => sum + rate.creditsPerDay, 0)
  const stretch = allowed === undefined ? undefined : Math.max(1, creditsPerDay / allowed)
  return {
    creditsPerDay,
    usdPerDay: creditsToUsd(creditsPerDay),
    requestsPerDay: rates.reduce((sum, rate) => sum + rate.requestsPerDay, 0),
    daysUntilEmpty: credits === undefined ? undefined : credits / creditsPerDay,
    stretch,
    calls: rates.map((rate) => ({
      operation: rate.operation,
      credits: rate.credits,
      creditsPerDay: rate.creditsPerDay,
      affordableEveryMs: rate.everyMs * (stretch ?? 1),
    })),
  }
}

function requirePositive(name: string, value: number): void {
  if (!(typeof value === 'number' && value > 0)) throw invalidOption(name, value, 'a number above 0')
}
