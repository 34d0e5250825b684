import { creditsFor, MAX_ITEMS, PER_ITEM, requestsFor } from '../credits/cheapest-requests.ts'
import { DAY_MS } from '../utils/time-units.ts'

/** Addresses whose price may be this old. */
export interface IntervalDemand {
  readonly everyMs: number
  readonly addresses: number
}

/** Addresses of a group that have the same interval. */
export interface TimetableClass extends IntervalDemand {
  /** They are bought at every nth tick. */
  readonly multiple: number
}

/** Addresses that are bought at the ticks of one timer. */
export interface TimetableGroup {
  /** Time between two ticks, milliseconds. */
  readonly periodMs: number
  /** The shortest interval first. */
  readonly classes: readonly TimetableClass[]
  readonly creditsPerDay: number
  readonly requestsPerDay: number
}

/** A cyclic schedule: what is bought again and again, and what that costs. */
export interface Timetable {
  /** The shortest intervals first. */
  readonly groups: readonly TimetableGroup[]
  readonly creditsPerDay: number
  readonly requestsPerDay: number
}

/** An interval may be this many ticks, beside those with a longer one. */
const MAX_QUOTIENT = 6
/** No timer is more than this many times as fast as its shortest interval needs. */
const MAX_SPEED = 4
/** The cost of a cycle is the mean over at most this many ticks. */
const MAX_TICKS = 720
/** Beyond this number of intervals, neighbours are planned as one. */
const MAX_CLASSES = 24
/** What each further group has to save: prices that are bought together stay together when the demand changes. */
const GROUP_COST = 1.02

/** How long answers take, in milliseconds. */
export interface Latency {
  /** How much earlier than its price is too old a request is sent. */
  readonly leadMs: number
  /** How long most answers take. */
  readonly medianMs: number
}

export const NO_LATENCY: Latency = { leadMs: 0, medianMs: 0 }

/**
 * How long a price lasts before its next request is sent, in whole milliseconds, like the times of timers. Half an interval at least, so that it is
 * bought at most twice as often; and as long as an answer takes, because an address has one request in flight.
 */
export function lifeOf(everyMs: number, { leadMs, medianMs }: Latency): number {
  return Math.max(1, Math.floor(Math.max(everyMs - leadMs, everyMs / 2, medianMs)))
}

/**
 * The cheapest timetable that keeps every price within its interval: a cyclic schedule for the joint replenishment problem. The intervals are
 * divided into groups of neighbours; each group has one timer, and an address is bought at every nth of its ticks.
 *
 * It is never dearer than one timer for all, one for each interval, or one for each address, because these are among the candidates.
 */
export function planTimetable(demand: readonly IntervalDemand[], latency = NO_LATENCY): Timetable {
  const exact = toClasses(demand)
  const classes = mergeNeighbours(exact)
  const best: { cost: number; groups: Group[] }[] = [{ cost: 0, groups: [] }]
  for (let end = 1; end <= classes.length; end++) {
    let cheapest = { cost: Number.POSITIVE_INFINITY, groups: [] as Group[] }
    for (let start = end - 1; start >= 0; start--) {
      const before = best[start] as (typeof best)[number]
      const factor = start > 0 ? GROUP_COST : 1
      const limit = (cheapest.cost - before.cost) / factor
      const group = limit > 0 ? cheapestGroup(classes.slice(start, end), latency, limit) : undefined
      if (group) cheapest = { cost: before.cost + group.cost * factor, groups: [...before.groups, group] }
    }
    best.push(cheapest)
  }
  const planned = best.at(-1)?.groups ?? []
  // With many intervals the merged ones may cost more than a timer for each, and with large groups the cost of a group hides it.
  const apart = exact.map((one) => groupAt([one], lifeOf(one.everyMs, latency), latency))
  return toTimetable(costOf(apart) < costOf(planned) ? apart : planned)
}

/** The timetable with these periods, each interval in the group with the longest period that suits it; undefined if one is shorter than all. */
export function planWithPeriods(
  demand: readonly IntervalDemand[],
  periods: readonly number[],
  latency: Latency,
): Timetable | undefined {
  const parts = new Map<number, IntervalDemand[]>()
  const longestFirst = [...periods].sort((one, other) => other - one)
  for (const one of toClasses(demand)) {
    const life = lifeOf(one.everyMs, latency)
    const periodMs = longestFirst.find((period) => period <= life)
    if (periodMs === undefined) return undefined
    parts.set(periodMs, [...(parts.get(periodMs) ?? []), one])
  }
  return toTimetable(
    Array.from(parts, ([periodMs, part]) => {
      // Where nothing is bought at each tick, longer periods may do.
      const step = part.reduce((all, { everyMs }) => gcd(multipleOf(everyMs, periodMs, latency), all), 0)
      return groupAt(part, step * periodMs, latency)
    }),
  )
}

/** At which of its ticks a price with this interval is bought again: every nth. */
export function multipleOf(everyMs: number, periodMs: number, latency: Latency): number {
  return Math.max(1, Math.floor(lifeOf(everyMs, latency) / periodMs))
}

interface Group {
  readonly periodMs: number
  readonly classes: readonly TimetableClass[]
  /** Addresses that are bought at each tick of a cycle. */
  readonly counts: readonly number[]
  /** Credits a millisecond. */
  readonly cost: number
}

const costOf = (groups: readonly Group[]) => groups.reduce((sum, { cost }) => sum + cost, 0)

function toTimetable(groups: readonly Group[]): Timetable {
  const planned = groups.map(({ periodMs, classes, counts, cost }): TimetableGroup => {
    const requests = counts.reduce((sum, count) => sum + requestsFor(count), 0)
    return {
      periodMs,
      classes,
      creditsPerDay: cost * DAY_MS,
      requestsPerDay: (requests / counts.length / periodMs) * DAY_MS,
    }
  })
  const sum = (of: 'creditsPerDay' | 'requestsPerDay') => planned.reduce((total, group) => total + group[of], 0)
  return { groups: planned, creditsPerDay: sum('creditsPerDay'), requestsPerDay: sum('requestsPerDay') }
}

/** One for each interval, the shortest first. */
function toClasses(demand: readonly IntervalDemand[]): IntervalDemand[] {
  const counts = new Map<number, number>()
  for (const { everyMs, addresses } of demand)
    if (addresses > 0) counts.set(everyMs, (counts.get(everyMs) ?? 0) + addresses)
  return Array.from(counts, ([everyMs, addresses]) => ({ everyMs, addresses })).sort(
    (one, other) => one.everyMs - other.everyMs,
  )
}

/** Intervals that differ by less than a factor, as the shortest of them. The factor is the smallest that leaves few enough. */
function mergeNeighbours(classes: readonly IntervalDemand[]): IntervalDemand[] {
  let merged = [...classes]
  for (let factor = 1.01; merged.length > MAX_CLASSES; factor *= factor) {
    merged = []
    for (const one of classes) {
      const last = merged.at(-1)
      if (last && one.everyMs < last.everyMs * factor)
        merged[merged.length - 1] = { everyMs: last.everyMs, addresses: last.addresses + one.addresses }
      else merged.push(one)
    }
  }
  return merged
}

/** The group with the best period; undefined if it costs `limit` or more. */
function cheapestGroup(part: readonly IntervalDemand[], latency: Latency, limit: number): Group | undefined {
  const lives = part.map(({ everyMs }) => lifeOf(everyMs, latency))
  const shortest = lives[0] ?? 1
  const lowest = (periodMs: number | undefined) => lowestCost(part, lives, periodMs) * (1 + 1e-12)
  if (lowest(undefined) >= limit) return undefined
  const periods = new Set([shortest])
  for (const life of lives) {
    for (let quotient = Math.ceil(life / shortest); quotient <= MAX_QUOTIENT; quotient++) {
      const periodMs = Math.floor(life / quotient)
      if (periodMs >= Math.max(1, shortest / MAX_SPEED)) periods.add(periodMs)
    }
  }
  let cheapest: Group | undefined
  for (const periodMs of periods) {
    if (lowest(periodMs) >= (cheapest?.cost ?? limit)) continue
    const group = groupAt(part, periodMs, latency)
    if (group.cost < (cheapest?.cost ?? limit)) cheapest = group
  }
  return cheapest
}

/** A cost that no group with this period goes below, in credits a millisecond; without a period, no group at all. */
function lowestCost(part: readonly IntervalDemand[], lives: readonly number[], periodMs: number | undefined): number {
  let prices = 0
  let atEachTick = 0
  for (let index = 0; index < part.length; index++) {
    const { addresses } = part[index] as IntervalDemand
    const life = lives[index] as number
    const boughtEveryMs = periodMs === undefined ? life : Math.max(1, Math.floor(life / periodMs)) * periodMs
    prices += addresses / boughtEveryMs
    if (boughtEveryMs === (periodMs ?? lives[0])) atEachTick += addresses
  }
  // In full requests at best; and what is bought at each tick has a request there.
  const fees = (creditsFor(atEachTick) - PER_ITEM * atEachTick) / (periodMs ?? lives[0] ?? 1)
  return PER_ITEM * prices + Math.max(fees, (creditsFor(MAX_ITEMS) / MAX_ITEMS - PER_ITEM) * prices)
}

const gcd = (one: number, other: number): number => (other === 0 ? one : gcd(other, one % other))

function groupAt(part: readonly IntervalDemand[], periodMs: number, latency: Latency): Group {
  const classes = part.map((one) => ({ ...one, multiple: multipleOf(one.everyMs, periodMs, latency) }))
  const ticks = classes.reduce((all, { multiple }) => Math.min(MAX_TICKS, (all / gcd(all, multiple)) * multiple), 1)
  const counts = new Array<number>(ticks).fill(0)
  for (const { multiple, addresses } of classes)
    for (let tick = 0; tick < ticks; tick += multiple) counts[tick] = (counts[tick] ?? 0) + addresses
  const credits = counts.reduce((sum, count) => sum + creditsFor(count), 0)
  return { periodMs, classes, counts, cost: credits / ticks / periodMs }
}
