import { invalidOption, rejectUnknown } from '../errors/input.ts'
import { isArray } from '../operations/type-guards.ts'
import { validateParams } from '../operations/validate-params.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { parseDuration } from './duration.ts'
import { costOfCall } from './estimate.ts'
import { type CallRate, findAdvice } from './plan-advice.ts'
import type { CreditPlan, PlannedCall, PlanOptions } from './plan-types.ts'
import { type DailyCost, sumSpending } from './planned-spending.ts'

const HOURS_PER_DAY = 24

/**
 * What a schedule of calls costs, in credits and US dollars a day and in 30 days, how long a balance lasts, which rate a daily limit
 * allows, and how the same data costs less. Sends nothing. Costs are those of the service's published table.
 * @throws InvalidRequestError when a call would be refused, or when an interval or a limit is not above 0; it names the call
 * @example
 * const plan = planCredits([{ operation: 'token.price', params: { address }, every: '1m' }], { creditsPerDay: 36_000 })
 * plan.creditsPerDay // 72000
 * plan.stretch // 2
 */
export function planCredits(calls: readonly PlannedCall[], options: PlanOptions = {}): CreditPlan {
  if (!isArray(calls)) throw invalidOption('calls', calls, 'a list of calls')
  const { credits, creditsPerDay: limit } = options
  if (credits !== undefined) requirePositive('credits', credits)
  if (limit !== undefined) requirePositive('creditsPerDay', limit)
  const rates = calls.map(readCall)
  const total = sumSpending(rates.map(dailyCost))
  const stretch = limit === undefined ? undefined : Math.max(1, total.creditsPerDay / limit)
  return {
    ...total,
    daysUntilEmpty: credits === undefined ? undefined : credits / total.creditsPerDay,
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

function readCall(call: PlannedCall, index: number): CallRate {
  const name = `calls[${index}]`
  rejectUnknown(`field of ${name}`, call, ['operation', 'params', 'every', 'everyMs', 'activeHours'])
  const { operation, params, activeHours = HOURS_PER_DAY } = call
  const everyMs = readInterval(call, name)
  requirePositive(`${name}.activeHours`, activeHours)
  if (activeHours > HOURS_PER_DAY) throw invalidOption(`${name}.activeHours`, activeHours, 'at most 24')
  const validated = validateParams(operation, params)
  const cost = costOfCall(validated)
  const callsPerDay = countCalls(everyMs, activeHours)
  return { operation, values: validated.values, everyMs, activeHours, callsPerDay, cost }
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

function dailyCost({ callsPerDay, cost }: Pick<CallRate, 'callsPerDay' | 'cost'>): DailyCost {
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
