import { type CreditPlan, type PlannedCost, planCredits } from 'etn-market'
import { type DailyCost, sumSpending } from '../credits/planned-spending.ts'
import { planTimetable, type Timetable } from '../credits/timetable.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { costOfSync } from './cost-of-sync.ts'
import { isFixed, kindOf, type PlanFile, type PlanLine } from './plan-line.ts'
import { activeHoursOf } from './plan-times.ts'

/** What a line of a plan costs, all its calls together. */
export interface ForecastLine extends PlannedCost {
  /** What it is for. */
  readonly for: string
  /** Number of calls each time. */
  readonly count: number
  /** Whether its times cannot be changed. */
  readonly fixed: boolean
}

/** What a plan costs. */
export interface PlanForecast extends Omit<CreditPlan, 'calls'> {
  readonly calls: readonly ForecastLine[]
}

/** Credits of one call, and of a day. */
interface Cost extends DailyCost {
  readonly credits: number
  readonly minCredits: number
}

/** What the lines of a plan cost, as `run` carries them out. Sends nothing. */
export async function forecastPlan(
  { lines }: Pick<PlanFile, 'lines'>,
  { limit, balance }: { limit?: number | undefined; balance?: number | undefined } = {},
): Promise<PlanForecast> {
  const prices = forecastPrices(lines.filter((line) => kindOf(line) === 'prices'))
  const costs = lines.map((line) => prices.get(line) ?? costOf(line))
  const total = sumSpending(costs)
  const fixed = sumSpending(costs.filter((_, index) => isFixed(lines[index] as PlanLine))).creditsPerDay
  const stretch = limit === undefined ? undefined : stretchOf(total.creditsPerDay, fixed, limit)
  return {
    ...total,
    daysUntilEmpty: balance === undefined ? undefined : balance / total.creditsPerDay,
    stretch,
    calls: lines.map((line, index) => {
      const cost = costs[index] as Cost
      return {
        operation: line.operation,
        everyMs: line.times.everyMs,
        activeHours: activeHoursOf(line.times),
        credits: cost.credits,
        minCredits: cost.minCredits,
        ...sumSpending([cost]),
        share: total.creditsPerDay === 0 ? 0 : cost.creditsPerDay / total.creditsPerDay,
        affordableEveryMs: isFixed(line) ? line.times.everyMs : line.times.everyMs * (stretch ?? 1),
        for: line.purpose,
        count: line.count,
        fixed: isFixed(line),
      }
    }),
    advice: adviceFor(lines, limit),
  }
}

/** The factor by which the intervals that can be changed have to grow; Infinity where that does not help. */
function stretchOf(total: number, fixed: number, limit: number): number {
  if (total <= limit) return 1
  return fixed >= limit ? Number.POSITIVE_INFINITY : (total - fixed) / (limit - fixed)
}

/** The advice of the library is about calls that are made as they stand. Lines with addresses are bought in the cheapest way already. */
function adviceFor(lines: readonly PlanLine[], limit: number | undefined): CreditPlan['advice'] {
  const plain = lines.filter((line) => kindOf(line) === 'call' && line.count === 1)
  const { advice } = planCredits(
    plain.map(({ call }) => call),
    { creditsPerDay: limit },
  )
  return advice.map((one) => ({ ...one, calls: one.calls.map((at) => plain[at]?.index ?? at) }))
}

function costOf(line: PlanLine): Cost {
  const { calls, requestsPerDay } = planCredits([line.call])
  const [one = { credits: 0, minCredits: 0, creditsPerDay: 0, minCreditsPerDay: 0 }] = calls
  const { count } = line
  if (kindOf(line) !== 'candles') {
    const { credits, minCredits, creditsPerDay, minCreditsPerDay } = one
    return {
      credits,
      minCredits,
      creditsPerDay: count * creditsPerDay,
      minCreditsPerDay: count * minCreditsPerDay,
      requestsPerDay: count * requestsPerDay,
    }
  }
  const credits = costOfSync(line.params, line.times.everyMs)
  const creditsPerDay = count * requestsPerDay * credits
  return {
    credits,
    minCredits: credits,
    creditsPerDay,
    minCreditsPerDay: creditsPerDay,
    requestsPerDay: count * requestsPerDay,
  }
}

/**
 * One feed buys the prices of all lines, each token once for all who want it. What lines share is divided in proportion to what each would
 * cost alone.
 */
function forecastPrices(lines: readonly PlanLine[]): Map<PlanLine, Cost> {
  const costs = new Map<PlanLine, Cost>()
  for (const together of groupByHours(lines)) {
    const all = planPrices(together)
    const alone = together.map((line) => planPrices([line]))
    const sumAlone = alone.reduce((total, { creditsPerDay }) => total + creditsPerDay, 0)
    for (const [index, line] of together.entries()) {
      const share = (alone[index]?.creditsPerDay ?? 0) / sumAlone
      const active = activeHoursOf(line.times) / 24
      const creditsPerDay = all.creditsPerDay * share * active
      const credits = (creditsPerDay * line.times.everyMs) / (DAY_MS * active * line.count)
      const requestsPerDay = all.requestsPerDay * share * active
      costs.set(line, { credits, minCredits: credits, creditsPerDay, minCreditsPerDay: creditsPerDay, requestsPerDay })
    }
  }
  return costs
}

/** What the timetable of a feed costs that has these lines: each address at the shortest of its intervals. */
function planPrices(lines: readonly PlanLine[]): Pick<Timetable, 'creditsPerDay' | 'requestsPerDay'> {
  const intervals = new Map<string, number>()
  for (const { addresses = [], times } of lines)
    for (const address of addresses) {
      const key = address.toLowerCase()
      intervals.set(key, Math.min(intervals.get(key) ?? Number.POSITIVE_INFINITY, times.everyMs))
    }
  return planTimetable(Array.from(intervals.values(), (everyMs) => ({ everyMs, addresses: 1 })))
}

function groupByHours(lines: readonly PlanLine[]): PlanLine[][] {
  const groups = new Map<string, PlanLine[]>()
  for (const line of lines) {
    const key = JSON.stringify(line.times.once === undefined ? line.times.span : undefined)
    groups.set(key, [...(groups.get(key) ?? []), line])
  }
  return [...groups.values()]
}
