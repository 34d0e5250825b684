import { type CreditPlan, planCredits } from 'etn-market'
import { type DailyCost, type PlannedCost, sumSpending } from '../credits/plan.ts'
import { planTimetable, type Timetable } from '../credits/timetable.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { activeHoursOf, isFixed, kindOf, type PlanFile, type PlanLine } from './plan-line.ts'
import { costOfSync } from './sync-series.ts'

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

/** A change of one line after which the plan fits its limit. */
export interface SlowerLine {
  /** The position of the line, from 0. */
  readonly call: number
  readonly everyMs: number
  /** The shortest usual interval that fits. */
  readonly insteadEveryMs: number
  /** Credits a day that the change saves. */
  readonly saves: number
}

const SECOND_MS = 1_000
/** Intervals that people choose, in seconds. */
const USUAL_S = [
  ...[1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 360, 480, 600, 720, 900, 1_200, 1_800, 2_700],
  ...[3_600, 5_400, 7_200, 10_800, 14_400, 21_600, 28_800, 43_200, 86_400],
]
/** Only lines that cost much save enough. */
const MAX_LINES = 8
/** A line that is slower than this is no longer what it was. */
const MAX_FACTOR = 12

/**
 * The line to slow so that the plan fits: the one whose interval grows least. Lines with times of their own are left alone. Undefined if no
 * line is enough by itself.
 */
export async function findSlowerLine({ lines }: PlanFile, limit: number): Promise<SlowerLine | undefined> {
  const { creditsPerDay: before, calls } = await forecastPlan({ lines })
  const costOf = ({ index }: PlanLine) => calls[index]?.creditsPerDay ?? 0
  const costliestFirst = lines.filter((line) => !isFixed(line)).sort((one, other) => costOf(other) - costOf(one))
  const found: SlowerLine[] = []
  for (const line of costliestFirst.slice(0, MAX_LINES)) {
    const usual = USUAL_S.map((seconds) => SECOND_MS * seconds).filter(
      (ms) => ms > line.times.everyMs && ms <= MAX_FACTOR * line.times.everyMs,
    )
    const slower = await findFirst(usual, async (everyMs) => {
      const { creditsPerDay } = await forecastPlan({
        lines: lines.map((one) => (one === line ? withInterval(one, everyMs) : one)),
      })
      return creditsPerDay <= limit ? before - creditsPerDay : undefined
    })
    if (slower)
      found.push({ call: line.index, everyMs: line.times.everyMs, insteadEveryMs: slower.item, saves: slower.result })
  }
  const factorOf = ({ everyMs, insteadEveryMs }: SlowerLine) => insteadEveryMs / everyMs
  return found.sort((one, other) => factorOf(one) - factorOf(other))[0]
}

function withInterval(line: PlanLine, everyMs: number): PlanLine {
  if (line.times.once !== undefined) return line
  const { every: _, ...call } = line.call
  return { ...line, times: { ...line.times, everyMs }, call: { ...call, everyMs } as PlanLine['call'] }
}

/** The first item with a result, of a list in which all later ones have one, too. */
async function findFirst<Item, Result>(
  items: readonly Item[],
  test: (item: Item) => Promise<Result | undefined>,
): Promise<{ item: Item; result: Result } | undefined> {
  let found: { item: Item; result: Result } | undefined
  let [low, high] = [0, items.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const item = items[middle] as Item
    const result = await test(item)
    if (result === undefined) low = middle + 1
    else {
      found = { item, result }
      high = middle - 1
    }
  }
  return found
}
