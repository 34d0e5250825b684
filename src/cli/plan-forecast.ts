import type { CandleBucket } from 'etn-market/candles'
import { updateCredits } from '../candles/buckets.ts'
import { atTimes, type DailyCost, dailyCost, type PlanAdvice, sumSpending } from '../credits/plan.ts'
import { findAdvice } from '../credits/plan-advice.ts'
import { planTimetable, type Timetable } from '../feed/timetable.ts'
import { DAY_MS } from '../utils/time-units.ts'
import type { PlanFile } from './plan-file.ts'
import type { PlanLine } from './plan-line.ts'
import { DEFAULT_BUCKET } from './series.ts'

export type PlanForecast = ReturnType<typeof forecastPlan>

/** Whether a line has times of its own, which a plan that costs too much leaves alone. */
const isFixed = ({ times }: PlanLine): boolean => times.once !== undefined

interface Cost extends DailyCost {
  readonly credits: number
  readonly minCredits: number
}

/** What the lines of a plan cost, as `run` carries them out. Sends nothing. */
export function forecastPlan({ lines, creditsPerDay: limit, balance }: Pick<PlanFile, 'lines'> & Partial<PlanFile>) {
  const costs = costsOf(lines)
  const total = sumSpending(costs)
  const fixed = sumSpending(costs.filter(({ line }) => isFixed(line))).creditsPerDay
  const stretch = limit === undefined ? undefined : stretchOf(total.creditsPerDay, fixed, limit)
  const withinLimit = limit === undefined || total.creditsPerDay <= limit
  return {
    limit: limit ?? null,
    withinLimit,
    slower: withinLimit ? null : findSlowerLine(costs, limit),
    ...total,
    daysUntilEmpty: balance === undefined ? undefined : balance / total.creditsPerDay,
    stretch,
    calls: costs.map(({ line, credits, minCredits, ...cost }) => ({
      operation: line.operation,
      everyMs: line.rate.everyMs,
      activeHours: line.rate.activeHours,
      credits,
      minCredits,
      ...sumSpending([cost]),
      share: total.creditsPerDay === 0 ? 0 : cost.creditsPerDay / total.creditsPerDay,
      affordableEveryMs: isFixed(line) ? line.rate.everyMs : line.rate.everyMs * (stretch ?? 1),
      for: line.purpose,
      count: line.count,
      fixed: isFixed(line),
    })),
  }
}

interface LineCost extends Cost {
  readonly line: PlanLine
}

function costsOf(lines: readonly PlanLine[]): LineCost[] {
  const prices = forecastPrices(lines.filter((line) => line.kind === 'prices'))
  return lines.map((line) => ({ line, ...(prices.get(line) ?? costOf(line)) }))
}

/** The factor by which the intervals that can be changed have to grow; Infinity where that does not help. */
function stretchOf(total: number, fixed: number, limit: number): number {
  if (total <= limit) return 1
  return fixed >= limit ? Number.POSITIVE_INFINITY : (total - fixed) / (limit - fixed)
}

/** The advice of the library is about calls that are made as they stand. Lines with addresses are bought in the cheapest way already. */
export function adviceFor(lines: readonly PlanLine[], limit: number | undefined): PlanAdvice[] {
  const plain = lines.filter((line) => line.kind === 'call' && line.count === 1)
  return findAdvice(
    plain.map(({ rate }) => rate),
    limit,
  )
}

function costOf({ kind, count, params, rate }: PlanLine): Cost {
  const { everyMs, callsPerDay, cost } = rate
  if (kind === 'candles') {
    // The first time costs more: it buys the beginning of the series.
    const { bucket = DEFAULT_BUCKET } = params as { bucket?: CandleBucket }
    const credits = updateCredits(bucket, everyMs)
    return toCost(credits, count * callsPerDay * credits, count * callsPerDay)
  }
  const ofAll = dailyCost({ callsPerDay: count * callsPerDay, cost })
  return { credits: cost.max, minCredits: cost.min, ...ofAll }
}

function toCost(credits: number, creditsPerDay: number, requestsPerDay: number): Cost {
  return { credits, minCredits: credits, creditsPerDay, minCreditsPerDay: creditsPerDay, requestsPerDay }
}

/** One feed buys the prices of lines of the same hours. What they share is divided in proportion to what each costs alone. */
function forecastPrices(lines: readonly PlanLine[]): Map<PlanLine, Cost> {
  const costs = new Map<PlanLine, Cost>()
  const hoursOf = ({ times }: PlanLine) => JSON.stringify(times.span)
  for (const hours of new Set(lines.map(hoursOf))) {
    const together = lines.filter((line) => hoursOf(line) === hours)
    const all = planPrices(together)
    const alone = together.map((line) => planPrices([line]).creditsPerDay)
    const sumAlone = alone.reduce((total, credits) => total + credits, 0)
    for (const [index, line] of together.entries()) {
      const active = line.rate.activeHours / 24
      const share = ((alone[index] ?? 0) / sumAlone) * active
      const creditsPerDay = all.creditsPerDay * share
      const credits = (creditsPerDay * line.rate.everyMs) / (DAY_MS * active * line.count)
      costs.set(line, toCost(credits, creditsPerDay, all.requestsPerDay * share))
    }
  }
  return costs
}

/** What the timetable of a feed costs that has these lines: each address at the shortest of its intervals. */
function planPrices(lines: readonly PlanLine[]): Pick<Timetable, 'creditsPerDay' | 'requestsPerDay'> {
  const intervals = new Map<string, number>()
  for (const { addresses = [], rate } of lines)
    for (const address of addresses)
      intervals.set(address, Math.min(intervals.get(address) ?? rate.everyMs, rate.everyMs))
  return planTimetable(Array.from(intervals.values(), (everyMs) => ({ everyMs, addresses: 1 })))
}

/** Intervals that people choose, in seconds. */
const USUAL_S = [
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 360, 480, 600, 720, 900, 1_200, 1_800, 2_700],
  ...[3_600, 5_400, 7_200, 10_800, 14_400, 21_600, 28_800, 43_200, 86_400],
]
/** Only lines that cost much save enough. */
const MAX_LINES = 8
/** A line that is slower than this is no longer what it was. */
const MAX_FACTOR = 12

/** The line to slow so that the plan fits: the one whose interval grows least, to a usual one. Null if no line is enough by itself. */
function findSlowerLine(costs: readonly LineCost[], limit: number) {
  const before = sumSpending(costs).creditsPerDay
  const costliest = costs
    .filter(({ line }) => !isFixed(line))
    .sort((one, other) => other.creditsPerDay - one.creditsPerDay)
  const changes = costliest.slice(0, MAX_LINES).flatMap(({ line }) => {
    const slower = USUAL_S.map((seconds) => ({
      line,
      everyMs: 1_000 * seconds,
      factor: (1_000 * seconds) / line.rate.everyMs,
    }))
    return slower.filter(({ factor }) => factor > 1 && factor <= MAX_FACTOR)
  })
  for (const { line, everyMs: insteadEveryMs } of changes.sort((one, other) => one.factor - other.factor)) {
    const { index, rate } = line
    const slower = { ...line, rate: atTimes(rate, insteadEveryMs, rate.activeHours) }
    const changed = costs.map((one) => (one.line === line ? slower : one.line))
    const { creditsPerDay } = sumSpending(costsOf(changed))
    if (creditsPerDay <= limit)
      return { call: index, everyMs: rate.everyMs, insteadEveryMs, saves: before - creditsPerDay }
  }
  return null
}
