import { creditsFor } from '../../credits/cheapest-requests.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { TrackedPrice } from '../prices/tracked-price.ts'
import {
  type Latency,
  lifeOf,
  multipleOf,
  NO_LATENCY,
  planTimetable,
  planWithPeriods,
  type Timetable,
} from '../timetable.ts'
import { isReopened, lastsUntil, MIN_LINEAR, TickGroup } from './tick-group.ts'

const NEVER = Number.POSITIVE_INFINITY
/** The timetable is planned anew at most this often. In between, what joins is added to the groups that there are. */
const MIN_PLAN_MS = 1_000
/** Switch only if it saves half of one full purchase within two hours. */
const CHANGE_SHARE = 1 / 2
const HORIZON_DAYS = 1 / 12

/** The groups of the timetable, and with which periods they tick: the cheapest ones, or those that there are where a change would not pay. */
export class TickPlan {
  groups: readonly TickGroup[] = []
  /** What is bought again and again. */
  timetable: Timetable = planTimetable([])
  /** When to plan again, if nothing changes: when the periods have cost so much that others pay, or when planning was put off. */
  replanAt = NEVER
  #plannedAt = Number.NEGATIVE_INFINITY
  #latency = NO_LATENCY
  /** What the periods of today have cost above the best ones since they were chosen, in credits. */
  #lost = 0
  /** What they cost above them now, in credits a day. */
  #lostPerDay = 0
  #lostSince = 0

  /**
   * Gives every address its place in a group.
   * @param bought the shortest interval first
   * @param isStretched whether the intervals have changed because of the budget
   */
  plan(bought: readonly TrackedPrice[], latency: Latency, now: number, isStretched: boolean): void {
    const isFull = isStretched || this.groups.length === 0 || now >= this.#plannedAt + MIN_PLAN_MS
    const demand = bought.map(({ intervalMs }) => ({ everyMs: intervalMs, addresses: 1 }))
    const periods = this.groups.map((group) => this.#periodOf(group, latency))
    const shortest = demand.reduce((least, { everyMs }) => Math.min(least, lifeOf(everyMs, latency)), NEVER)
    if (!isFull && periods.every((periodMs) => periodMs > shortest)) periods.push(shortest)
    const kept = planWithPeriods(demand, periods, latency)
    const planned = isFull || kept === undefined ? planTimetable(demand, latency) : kept
    this.timetable = kept && !isStretched && this.#isWorthKeeping(kept, planned, bought.length, now) ? kept : planned
    if (this.timetable === planned) {
      this.#lost = 0
      this.#lostPerDay = 0
      this.replanAt = NEVER
    }
    this.#lostSince = now
    if (isFull) this.#plannedAt = now
    else if (bought.length > 0) this.replanAt = Math.min(this.replanAt, this.#plannedAt + MIN_PLAN_MS)
    this.#latency = latency
    this.#place(bought, now)
  }

  /** When the next group ticks. */
  get nextAt(): number {
    let at = NEVER
    for (const group of this.groups) at = Math.min(at, group.at)
    return at
  }

  /** Returns what the ticks of this moment buy. */
  tick(now: number): readonly TrackedPrice[] {
    return this.groups.flatMap((group) => (group.at <= now ? group.tick(now) : []))
  }

  /** The next tick of a group goes with a look-up, where that costs less than to send it later. Returns its addresses. */
  tickEarly(now: number, due: ReadonlySet<TrackedPrice>): readonly TrackedPrice[] {
    let best: { group: TickGroup; next: readonly TrackedPrice[] } | undefined
    let most = 0
    for (const group of this.groups) {
      const { next, gain } = group.early(now, due) ?? { next: [], gain: 0 }
      if (gain > most) best = { group, next }
      most = Math.max(most, gain)
    }
    best?.group.tickEarly(now)
    return best?.next ?? []
  }

  /**
   * The groups follow what was bought. Returns what is too old before the next tick, and when it is bought: when it is too old, so that nobody who comes
   * and goes has it bought again. Several are cheaper in one request.
   */
  follow(now: number): (readonly [tracked: TrackedPrice, at: number])[] {
    const apart = this.groups.flatMap((group) => group.follow(now))
    const firstAt = Math.min(...apart.map(lastsUntil))
    return apart.map((tracked) => {
      const isAlone = apart.length < MIN_LINEAR || isReopened(tracked)
      return [tracked, Math.max(now, isAlone ? lastsUntil(tracked) : firstAt)]
    })
  }

  /**
   * Whether a change to the best periods would cost more than it saves soon. Keep the old timetable until its extra cost equals that of a
   * change.
   */
  #isWorthKeeping(kept: Timetable, planned: Timetable, addresses: number, now: number): boolean {
    const limit = CHANGE_SHARE * creditsFor(addresses)
    this.#lost += (this.#lostPerDay * (now - this.#lostSince)) / DAY_MS
    this.#lostPerDay = Math.max(0, kept.creditsPerDay - planned.creditsPerDay)
    const left = limit - this.#lost - this.#lostPerDay * HORIZON_DAYS
    this.replanAt = now + Math.max(MIN_PLAN_MS, (left / this.#lostPerDay) * DAY_MS)
    return left > 0
  }

  /** The period of a group with the latency of now, so that no slower answer takes it apart. */
  #periodOf({ periodMs, members }: TickGroup, latency: Latency): number {
    const before = this.#latency
    if (latency === before) return periodMs
    let period = NEVER
    for (const { intervalMs, lifeMs, multiple } of members)
      if (lifeMs === lifeOf(intervalMs, before))
        period = Math.min(period, Math.floor(lifeOf(intervalMs, latency) / multiple))
    return period < NEVER ? Math.max(1, period) : periodMs
  }

  #place(bought: readonly TrackedPrice[], now: number): void {
    const before = new Map<TrackedPrice, TickGroup>()
    for (const group of this.groups) for (const tracked of group.members) before.set(tracked, group)
    let first = 0
    this.groups = this.timetable.groups.map(({ periodMs }, index, groups) => {
      const longerFrom = groups[index + 1]?.classes[0]?.everyMs ?? NEVER
      const start = first
      while (first < bought.length && (bought[first] as TrackedPrice).intervalMs < longerFrom) first++
      return this.#openGroup(periodMs, bought.slice(start, first), before, now)
    })
  }

  #openGroup(
    periodMs: number,
    members: readonly TrackedPrice[],
    before: ReadonlyMap<TrackedPrice, TickGroup>,
    now: number,
  ): TickGroup {
    for (const tracked of members) {
      tracked.lifeMs = lifeOf(tracked.intervalMs, this.#latency)
      tracked.multiple = multipleOf(tracked.intervalMs, periodMs, this.#latency)
    }
    const earlier = new Set(members.flatMap((tracked) => before.get(tracked) ?? []))
    const same = [...earlier].find((group) => group.periodMs === periodMs)
    const [scaled] = same ? [same] : earlier
    let at = Math.min(now + periodMs, same?.at ?? NEVER)
    if (!same) for (const lastAt of members.map(lastsUntil)) if (lastAt >= now) at = Math.min(at, lastAt)
    return new TickGroup(periodMs, members, at, scaled?.ticks ?? 0)
  }
}
