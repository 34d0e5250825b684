import { forecastPlan } from './plan-forecast.ts'
import { isFixed, type PlanFile, type PlanLine } from './plan-line.ts'

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
