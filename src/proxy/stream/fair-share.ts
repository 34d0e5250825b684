import { bisect } from '../../utils/bisect.ts'

/** What visitors ask for together: one source is one list of addresses at one interval. */
export interface Demand<Visitor> {
  readonly addresses: readonly string[]
  readonly everyMs: number
  readonly visitors: Iterable<Visitor>
}

export interface FairShareParts<Visitor, Source extends Demand<Visitor>> {
  readonly sources: readonly Source[]
  /** The shortest interval of the operator's own watches of each address. */
  readonly ownIntervals: ReadonlyMap<string, number>
  costPerDay(intervals: Iterable<number>): number
  readonly affordablePerDay: number
}

/** The rest is for forecasts that are too low: the feed would stretch the operator's watches, too. */
const USED_SHARE = 0.9
/** The limit of a stretch. It makes 5 seconds more than half a day, and a longer interval is no price in practice. */
const MAX_STRETCH = 10_000

/**
 * Divides what the budget affords among visitors, after the operator's own watches. Everybody gets what they ask for up to one level,
 * and who asks for more is stretched to that level (max-min fairness): one greedy visitor lengthens nobody's intervals but its own.
 * Returns by how much the intervals of each source are stretched: as much as its most modest visitor.
 */
export function divideFairly<Visitor, Source extends Demand<Visitor>>(
  parts: FairShareParts<Visitor, Source>,
): Map<Source, number> {
  const { sources, ownIntervals, costPerDay } = parts
  const affordablePerDay = USED_SHARE * parts.affordablePerDay
  const modest = lowestDemands(sources)
  const stretchAt = (source: Source, level: number) =>
    Math.min(MAX_STRETCH, Math.max(1, (modest.get(source) ?? 0) / level))
  const costAt = (level: number) => {
    const intervals = new Map(ownIntervals)
    for (const source of sources) {
      const everyMs = source.everyMs * stretchAt(source, level)
      for (const address of source.addresses)
        intervals.set(address, Math.min(everyMs, intervals.get(address) ?? Number.POSITIVE_INFINITY))
    }
    return costPerDay(intervals.values())
  }
  const isAffordable = (level: number) => costAt(level) <= affordablePerDay
  const highest = Math.max(Number.MIN_VALUE, ...modest.values())
  const level = isAffordable(highest) ? highest : bisect(isAffordable, highest / MAX_STRETCH, highest)
  return new Map(sources.map((source) => [source, stretchAt(source, level)]))
}

/**
 * What the most modest visitor of each source asks for, over all sources of that visitor, in purchases per millisecond. An address
 * that several visitors want counts for each of them in part.
 */
function lowestDemands<Visitor, Source extends Demand<Visitor>>(sources: readonly Source[]): Map<Source, number> {
  const wanting = new Map<string, number>()
  for (const { addresses, visitors } of sources) {
    const count = Array.from(visitors).length
    for (const address of addresses) wanting.set(address, (wanting.get(address) ?? 0) + count)
  }
  const demands = new Map<Visitor, number>()
  for (const { addresses, everyMs, visitors } of sources) {
    let rate = 0
    for (const address of addresses) rate += 1 / everyMs / (wanting.get(address) ?? 1)
    for (const visitor of visitors) demands.set(visitor, (demands.get(visitor) ?? 0) + rate)
  }
  return new Map(
    sources.map((source) => {
      let lowest = Number.POSITIVE_INFINITY
      for (const visitor of source.visitors) lowest = Math.min(lowest, demands.get(visitor) ?? lowest)
      return [source, lowest === Number.POSITIVE_INFINITY ? 0 : lowest]
    }),
  )
}
