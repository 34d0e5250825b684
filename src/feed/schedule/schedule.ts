import { startTimer } from '../../concurrency/clock.ts'
import { creditsFor } from '../../credits/batch-cost.ts'
import {
  type IntervalDemand,
  lifeOf,
  multipleOf,
  planTimetable,
  planWithPeriods,
  type Timetable,
  type TimetableClass,
} from '../../credits/timetable.ts'
import { createPriorityQueue } from '../../utils/priority-queue.ts'
import type { Failure } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { DailyBudget, StretchedDemand } from '../prices/daily-budget.ts'
import type { PriceBuyer } from '../prices/price-buyer.ts'
import type { TrackedPrice } from '../prices/tracked-price.ts'
import type { Backoff } from '../requests/backoff.ts'

export interface ScheduleParts {
  readonly clock: FeedClock
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly windowMs: number
  /** Buys what is due. */
  buyer(): PriceBuyer
  /** Whether several processes may have the prices. */
  readonly isShared: boolean
  isPaused(): boolean
  /** Where prices come without being bought; undefined without a proxy. */
  stream(): { changed(): void; settle(): void } | undefined
  /** Called when a price is late because its request takes long. */
  onSlow(tracked: TrackedPrice, leadMs: number): void
  /** Called when the stretch has changed. */
  onStretch(): void
}

/** An address at the ticks of its group. */
export interface GroupMember {
  readonly tracked: TrackedPrice
  /** How long a price lasts before its next request is sent, in milliseconds. */
  readonly life: number
  /** It is bought at every nth tick. */
  readonly multiple: number
  /** At which of those, where it has ticks of its own; undefined if its age decides. */
  readonly own: number | undefined
}

/** Addresses that are bought at the ticks of one timer. */
export interface TickGroup {
  readonly periodMs: number
  readonly members: readonly GroupMember[]
  /** Whether some address is bought at each tick. */
  readonly ticksAnyway: boolean
  /** When it ticks the next time. */
  readonly at: number
  /** The number of that tick. */
  readonly tick: number
}

type MutableGroup = { -readonly [Key in keyof TickGroup]: TickGroup[Key] }

const NEVER = Number.POSITIVE_INFINITY
/** The timetable is planned anew at most this often. In between, what joins is added to the groups that there are. */
const MIN_PLAN_MS = 1_000
/** After it has failed alone, an address is requested again for a new watch after this time at most. */
const RETRY_MS = 60_000
/** A new timetable is worth what it changes if it saves a purchase of all within this time. */
const HORIZON_DAYS = 1 / 12

/**
 * Plays the timetable: decides when a price is bought, and why. One timer serves all addresses. A price is bought
 * - at a tick of its group, where it would be too old at the next one;
 * - at once, where a watch joins and it would be too old at the next tick, or where it failed and the wait is over;
 * - on request, and then a group's next tick may go with it, where that costs less.
 */
export class Schedule {
  readonly #parts: ScheduleParts
  readonly #watched = new Set<TrackedPrice>()
  /** Watched or requested, and bought outside of the ticks, by `dueAt`. */
  readonly #urgent = createPriorityQueue<TrackedPrice>(({ dueAt }) => dueAt)
  /** Those whose price may become older than a watcher accepts, by the time when it does. */
  readonly #late = createPriorityQueue<TrackedPrice>(({ lateAt }) => lateAt)
  readonly #requested = new Set<TrackedPrice>()
  readonly #inFlight = new Set<Promise<void>>()
  readonly #lead = createLeadTime(() => this.#changeLead())
  #groups: MutableGroup[] = []
  #wanted: readonly StretchedDemand[] = []
  #timetable: Timetable = planTimetable([])
  #windowEndsAt = NEVER
  /** When the watches that have changed get their places. */
  #changesAt = NEVER
  #plannedAt = Number.NEGATIVE_INFINITY
  #plannedLeadMs = 0
  #isStretchNew = false
  #slowLeadMs: number | undefined
  #timer = { at: NEVER, stop: () => {} }
  #isStopped = false

  constructor(parts: ScheduleParts) {
    this.#parts = parts
  }

  get watched(): ReadonlySet<TrackedPrice> {
    return this.#watched
  }
  /** What is watched and no stream brings. */
  get bought(): TrackedPrice[] {
    return [...this.#watched].filter(({ paceMs }) => paceMs === 0)
  }
  get leadMs(): number {
    return this.#lead.ms
  }
  get groups(): readonly TickGroup[] {
    return this.#groups
  }
  /** What is bought again and again, with the stretch. */
  get timetable(): Timetable {
    return this.#timetable
  }

  /** Gives the watches that have just changed their places, as they will have them at the end of the window. */
  settle(): void {
    if (this.#changesAt === NEVER || this.#isStopped) return
    const { clock, windowMs } = this.#parts
    const now = Math.max(clock.now(), Math.min(this.#changesAt, clock.now() + windowMs))
    this.#parts.stream()?.settle()
    this.#updateStretch(true)
    this.#plan(now)
    this.#setTimer()
  }

  /** A watch wants an address, or wants it at another interval: then it is not new. */
  join(tracked: TrackedPrice, isNew: boolean): void {
    const { clock, windowMs, dailyBudget } = this.#parts
    this.#watched.add(tracked)
    tracked.intervalMs = tracked.stretchedInterval(dailyBudget)
    this.#changesAt = Math.min(this.#changesAt, clock.now() + windowMs)
    // A new watch does not wait for what others have lost; what fails alone is not asked for again and again.
    if (isNew && tracked.dueAt < NEVER)
      this.#setDue(tracked, tracked.failures === 0 ? NEVER : Math.min(tracked.dueAt, clock.now() + RETRY_MS))
    this.#setLate(tracked)
  }

  /** A watch no longer wants an address. */
  leave(tracked: TrackedPrice): void {
    const { clock, windowMs, dailyBudget, buyer } = this.#parts
    tracked.intervalMs = tracked.stretchedInterval(dailyBudget)
    this.#changesAt = Math.min(this.#changesAt, clock.now() + windowMs)
    this.#setLate(tracked)
    if (tracked.watchers.size > 0) return
    this.#watched.delete(tracked)
    if (this.#watched.size === 0) this.#plan(clock.now())
    if (tracked.isWanted) return
    this.#setDue(tracked, NEVER)
    buyer().withdraw()
  }

  /** Buys an address, together with everything else requested in the same window. */
  request(tracked: TrackedPrice): void {
    const { clock, windowMs } = this.#parts
    if (tracked.inFlight || this.#requested.has(tracked)) return
    if (this.#requested.size === 0) this.#windowEndsAt = clock.now() + windowMs
    this.#requested.add(tracked)
    this.#setTimer()
  }

  /** Withdraws a request. */
  cancel(tracked: TrackedPrice): void {
    this.#requested.delete(tracked)
    if (tracked.watchers.size === 0) this.#setDue(tracked, NEVER)
    this.#parts.buyer().withdraw()
    this.#setTimer()
  }

  /** An address is awaited, released or delivered. */
  changed(tracked: TrackedPrice): void {
    if (tracked.dueAt < NEVER) this.#setDue(tracked, NEVER)
    this.#setLate(tracked)
  }

  /** An address has failed. Without a failure, it is bought again at once. */
  failed(tracked: TrackedPrice, failure: Failure | undefined): void {
    const now = this.#parts.clock.now()
    this.#setLate(tracked)
    // Those who request a price decide themselves whether to try again, and those who watch it may have it from a stream.
    const isBought = tracked.watchers.size > 0 && tracked.paceMs === 0
    if (!isBought && (failure || tracked.requesters.size === 0)) return
    const waitMs = failure?.maybeCharged ? Math.max(failure.waitMs, tracked.intervalMs) : (failure?.waitMs ?? 0)
    this.#setDue(tracked, now + waitMs)
  }

  /** The service answers again: what may have been charged in vain need not wait for its interval. */
  recovered(): void {
    const now = this.#parts.clock.now()
    for (const tracked of [...this.#urgent.items()]) if (tracked.forgiveCharge()) this.#setDue(tracked, now)
  }

  /** What earlier processes have spent is known. */
  loaded(): void {
    this.#updateStretch(true)
  }

  /** Records the milliseconds from the decision to buy to the answer. */
  recordLatency(ms: number): void {
    this.#lead.record(ms)
  }

  /** Call it when something may be due. */
  wake(): void {
    this.#parts.stream()?.changed()
    this.#setTimer()
  }

  #setTimer(): void {
    const { clock, backoff, dailyBudget, windowMs, isPaused } = this.#parts
    const next = this.#isStopped || isPaused() ? NEVER : this.#nextAt()
    // A new day of the budget may end the stretch, or the wait for it.
    const renewsAt = dailyBudget.isLimited && next < NEVER ? dailyBudget.renewsAt : NEVER
    const at = next === NEVER ? NEVER : Math.min(Math.max(next, backoff.until), renewsAt)
    if (at === NEVER) {
      this.#stopTimer()
      return
    }
    // A timer that fires too early sets another; that is cheaper than replacing it each time.
    if (this.#timer.at <= at) return
    this.#stopTimer()
    const current = { at, stop: () => {} }
    this.#timer = current
    const onTimer = () => {
      if (this.#timer !== current) return
      this.#timer = { at: NEVER, stop: () => {} }
      this.#run()
    }
    const waitMs = at - clock.now()
    if (waitMs <= 0 && windowMs === 0) queueMicrotask(onTimer)
    else current.stop = startTimer(clock, Math.max(0, Math.ceil(waitMs)), onTimer)
  }

  /** Makes no further call. Resolves when no request is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer()
    await Promise.all(this.#inFlight)
  }

  #nextAt(): number {
    let at = Math.min(this.#changesAt, this.#requested.size > 0 ? this.#windowEndsAt : NEVER)
    at = Math.min(at, this.#urgent.peek()?.dueAt ?? NEVER, this.#late.peek()?.lateAt ?? NEVER)
    for (const group of this.#groups) at = Math.min(at, group.at)
    return at
  }

  #stopTimer(): void {
    this.#timer.stop()
    this.#timer = { at: NEVER, stop: () => {} }
  }

  #run(): void {
    const { clock, backoff, isPaused, stream } = this.#parts
    if (this.#isStopped || isPaused()) return
    const now = clock.now()
    if (now >= this.#changesAt) stream()?.settle()
    this.#updateStretch(now >= this.#changesAt)
    if (now >= this.#changesAt) this.#plan(now)
    this.#reportLate(now)
    if (now >= backoff.until) this.#buy(now)
    this.#setTimer()
  }

  /** Everything that is due at this moment goes into one purchase. */
  #buy(now: number): void {
    const due = new Set<TrackedPrice>()
    const early = new Set<TrackedPrice>()
    if (this.#requested.size > 0 && now >= this.#windowEndsAt) {
      const requested = [...this.#requested]
      this.#requested.clear()
      for (const tracked of this.#parts.buyer().admit(requested)) due.add(tracked)
    }
    const isLookUp = due.size > 0
    for (let tracked = this.#urgent.peek(); tracked && tracked.dueAt <= now; tracked = this.#urgent.peek()) {
      this.#setDue(tracked, NEVER)
      if (!tracked.inFlight) due.add(tracked)
    }
    for (const group of this.#groups) if (group.at <= now) this.#tick(group, now, due)
    if (isLookUp) this.#takeTick(now, due, early)
    if (due.size === 0) return
    const call = this.#parts
      .buyer()
      .buy({ due: [...due], early: [...early] })
      .then(() => {
        this.#inFlight.delete(call)
        if (this.#parts.isShared) for (const group of this.#groups) this.#followOthers(group)
        this.#updateStretch(false)
        this.#setTimer()
      })
    this.#inFlight.add(call)
  }

  /** Adds what is bought at a tick of a group. Ticks are fixed moments: a late timer or a slow answer shifts none. */
  #tick(group: MutableGroup, now: number, due: Set<TrackedPrice>): void {
    const { at, periodMs, tick } = group
    const laterAt = group.ticksAnyway ? laterTick(group) : at
    if (laterAt > at + 1) {
      group.at = laterAt
      if (laterAt > now) return
    }
    for (const member of group.members)
      if (isFree(member) && isDueAt(member, group.at, tick, periodMs, member.tracked.askedAt)) due.add(member.tracked)
    const passed = 1 + Math.floor((now - group.at) / periodMs)
    group.at += passed * periodMs
    group.tick += passed
  }

  /** The next tick of a group goes with a look-up, where that costs less than to send it later. */
  #takeTick(now: number, due: ReadonlySet<TrackedPrice>, early: Set<TrackedPrice>): void {
    let most = 0
    let best: { group: MutableGroup; prices: TrackedPrice[] } | undefined
    for (const group of this.#groups) {
      const { periodMs, at } = group
      if (!group.ticksAnyway || at <= now) continue
      const next = group.members.filter(
        (member) =>
          isFree(member) && !due.has(member.tracked) && isTooOld(member, now + periodMs, member.tracked.askedAt),
      )
      const credits = creditsFor(next.length)
      const saved = creditsFor(due.size) + credits - creditsFor(due.size + next.length)
      const gain = saved - ((at - now) / periodMs) * credits
      if (next.length === 0 || gain <= most) continue
      most = gain
      best = { group, prices: next.map(({ tracked }) => tracked) }
    }
    if (best === undefined) return
    for (const tracked of best.prices) early.add(tracked)
    best.group.tick++
    best.group.at = now + best.group.periodMs
  }

  /** Prices of another process are older than those of a tick. If all are, the group falls into step with it; else each is bought when it is due. */
  #followOthers(group: MutableGroup): void {
    const now = this.#parts.clock.now()
    const older = group.members.filter((member) => isFree(member) && isTooOld(member, group.at, member.tracked.askedAt))
    if (older.length === 0) return
    const isBehind = new Set(older)
    if (group.ticksAnyway && group.members.every((member) => member.multiple > 1 || isBehind.has(member))) {
      const oldest = Math.min(...older.map(({ tracked }) => tracked.askedAt))
      group.at = Math.max(now, oldest + group.periodMs)
    } else for (const { tracked, life } of older) this.#setDue(tracked, Math.max(now, tracked.askedAt + life))
  }

  /** Gives every address its place in a group, and buys at once what would be too old at the next tick. */
  #plan(now: number): void {
    const isFull = this.#groups.length === 0 || this.#isStretchNew || now >= this.#plannedAt + MIN_PLAN_MS
    const isDone = isFull || this.#watched.size === 0
    this.#changesAt = isDone ? NEVER : this.#plannedAt + MIN_PLAN_MS
    const demand = this.#demand()
    const periods = this.#groups.map((group) => this.#periodOf(group))
    this.#plannedLeadMs = this.leadMs
    const shortest = lifeOf(demand[0]?.everyMs ?? NEVER, this.leadMs)
    if (isFull) this.#plannedAt = now
    else if (periods.every((periodMs) => periodMs > shortest)) periods.push(shortest)
    const kept = planWithPeriods(demand, periods, this.leadMs)
    const planned = isFull || kept === undefined ? planTimetable(demand, this.leadMs) : kept
    const saved = (kept?.creditsPerDay ?? NEVER) - planned.creditsPerDay
    const isKept = kept && !this.#isStretchNew && saved * HORIZON_DAYS < creditsFor(this.#watched.size)
    this.#timetable = isKept ? kept : planned
    this.#isStretchNew = false
    this.#place(now)
  }

  /** The period of a group with the lead of now, so that no slower answer takes it apart. */
  #periodOf({ periodMs, members }: TickGroup): number {
    const before = this.#plannedLeadMs
    if (this.leadMs === before) return periodMs
    let period = NEVER
    for (const { tracked, life, multiple } of members)
      if (life === lifeOf(tracked.intervalMs, before))
        period = Math.min(period, Math.floor(lifeOf(tracked.intervalMs, this.leadMs) / multiple))
    return period < NEVER ? Math.max(1, period) : periodMs
  }

  #place(now: number): void {
    const before = new Map<TrackedPrice, MutableGroup>()
    for (const group of this.#groups) for (const { tracked } of group.members) before.set(tracked, group)
    const sorted = this.bought.sort((one, other) => one.intervalMs - other.intervalMs)
    let first = 0
    this.#groups = this.#timetable.groups.map(({ periodMs, classes }, index, groups) => {
      const longerFrom = groups[index + 1]?.classes[0]?.everyMs ?? NEVER
      const start = first
      while (first < sorted.length && (sorted[first] as TrackedPrice).intervalMs < longerFrom) first++
      return this.#openGroup(periodMs, classes, sorted.slice(start, first), before, now)
    })
  }

  #openGroup(
    periodMs: number,
    classes: readonly TimetableClass[],
    prices: readonly TrackedPrice[],
    before: ReadonlyMap<TrackedPrice, MutableGroup>,
    now: number,
  ): MutableGroup {
    const { leadMs } = this
    const earlier = new Set(prices.map((tracked) => before.get(tracked)))
    earlier.delete(undefined)
    const same = [...earlier].find((group) => group?.periodMs === periodMs)
    const [scaled] = same ? [same] : earlier
    let tick = scaled?.tick ?? 0
    const waiting = prices.filter(({ dueAt, inFlight }) => dueAt < NEVER || inFlight).length
    const lives = prices.map(({ intervalMs }) => lifeOf(intervalMs, leadMs))
    let at = now + periodMs
    if (same) at = Math.min(at, same.at)
    else
      for (const [index, { askedAt }] of prices.entries()) {
        const deadline = askedAt + (lives[index] as number)
        if (deadline >= now) at = Math.min(at, deadline)
      }
    const missing = prices.filter(
      ({ askedAt, dueAt, inFlight }, index) => !inFlight && dueAt === NEVER && askedAt + (lives[index] as number) < at,
    )
    for (const tracked of missing) this.#setDue(tracked, now)
    if (missing.length > 0 && missing.length + waiting === prices.length) {
      // All are bought now, which is a tick.
      at = now + periodMs
      tick++
    }
    const ticksAnyway = classes.some(({ multiple }) => multiple === 1)
    const seats = classes.map(({ spread }) => spread && [...spread])
    let current = 0
    const unseated: MutableMember[] = []
    const members = prices.map((tracked, index): MutableMember => {
      while (current + 1 < classes.length && tracked.intervalMs >= (classes[current + 1] as TimetableClass).everyMs)
        current++
      const { multiple, spread } = classes[current] as TimetableClass
      const life = lives[index] as number
      if (spread === undefined)
        return {
          tracked,
          life,
          multiple: multipleOf(tracked.intervalMs, periodMs, leadMs),
          own: ticksAnyway ? undefined : 0,
          class: current,
        }
      const member: MutableMember = { tracked, life, multiple, own: undefined, class: current }
      // Where it is already, so that few are bought early to change their ticks.
      const ticksAgo = tracked.dueAt <= now ? 1 : Math.round((at - tracked.askedAt) / periodMs)
      const own = (((tick - ticksAgo) % multiple) + multiple) % multiple
      if (takeSeat(seats[current], own)) member.own = own
      else unseated.push(member)
      return member
    })
    for (const member of unseated) {
      const free = seats[member.class]?.findIndex((count) => count > 0) ?? -1
      if (takeSeat(seats[member.class], free)) member.own = free
    }
    return { periodMs, members, ticksAnyway, at, tick }
  }

  #demand(): IntervalDemand[] {
    const counts = new Map<number, number>()
    for (const { intervalMs } of this.bought) counts.set(intervalMs, (counts.get(intervalMs) ?? 0) + 1)
    const demand = Array.from(counts, ([everyMs, addresses]) => ({ everyMs, addresses }))
    return demand.sort((one, other) => one.everyMs - other.everyMs)
  }

  /** @param isNew whether the demand has changed */
  #updateStretch(isNew: boolean): void {
    const { dailyBudget, onStretch } = this.#parts
    if (!dailyBudget.isLimited) return
    if (isNew) this.#wanted = this.#unstretchedDemand()
    if (!dailyBudget.update(this.#wanted, this.leadMs, isNew)) return
    for (const tracked of this.#watched) {
      tracked.intervalMs = tracked.stretchedInterval(dailyBudget)
      this.#setLate(tracked)
    }
    this.#changesAt = Number.NEGATIVE_INFINITY
    this.#isStretchNew = true
    onStretch()
  }

  #unstretchedDemand(): StretchedDemand[] {
    const demand = new Map<string, { everyMs: number; atLeastEveryMs: number; addresses: number }>()
    for (const { shortestInterval: everyMs, longestInterval: atLeastEveryMs } of this.bought) {
      const key = `${everyMs} ${atLeastEveryMs}`
      const one = demand.get(key) ?? { everyMs, atLeastEveryMs, addresses: 0 }
      one.addresses++
      demand.set(key, one)
    }
    return [...demand.values()]
  }

  #changeLead(): void {
    if (this.#watched.size > 0) this.#changesAt = Math.min(this.#changesAt, this.#parts.clock.now())
    this.#setTimer()
  }

  #setDue(tracked: TrackedPrice, at: number): void {
    this.#urgent.delete(tracked)
    tracked.dueAt = at
    if (at < NEVER) this.#urgent.put(tracked)
  }

  /** In time, a new price arrives before; only under a stretch, from a stream, or while its request is in flight, it may not. */
  #setLate(tracked: TrackedPrice): void {
    this.#late.delete(tracked)
    const isInTime = this.#parts.dailyBudget.stretch === 1 && !tracked.inFlight && tracked.paceMs === 0
    if (tracked.price === undefined || isInTime) return
    tracked.lateAfter(ageAbove(tracked, tracked.reportedLateMs))
    if (tracked.lateAt < NEVER) this.#late.put(tracked)
  }

  #reportLate(now: number): void {
    const { dailyBudget, backoff, onSlow } = this.#parts
    for (let tracked = this.#late.peek(); tracked && tracked.lateAt <= now; tracked = this.#late.peek()) {
      const isSlow = tracked.inFlight && dailyBudget.stretch === 1 && backoff.state === 'none'
      if (isSlow && this.#slowLeadMs !== this.leadMs) {
        this.#slowLeadMs = this.leadMs
        onSlow(tracked, this.leadMs)
      }
      // Fractions of a millisecond get lost in a difference of times.
      tracked.reportLate(Math.max(tracked.lateAfterMs, now - tracked.at - 1))
      this.#setLate(tracked)
      for (const watcher of [...tracked.watchers.items()])
        if (tracked.maxAge(watcher.everyMs) <= tracked.reportedLateMs) watcher.onLate(tracked)
    }
  }
}

type MutableMember = { -readonly [Key in keyof GroupMember]: GroupMember[Key] } & { class: number }

function takeSeat(seats: number[] | undefined, own: number): boolean {
  const left = seats?.[own] ?? 0
  if (seats === undefined || left === 0) return false
  seats[own] = left - 1
  return true
}

/** Whether the tick decides when it is bought: nothing is on its way, and no wait of its own is. */
export function isFree({ tracked }: GroupMember): boolean {
  return tracked.dueAt === NEVER && !tracked.inFlight && tracked.watchers.size > 0
}

/** Whether a price that was requested at `askedAt` is too old at that time. */
export function isTooOld({ life }: GroupMember, at: number, askedAt: number): boolean {
  return askedAt + life < at
}

/** Whether an address is bought at this tick: it would be too old at the next one, or at the next one of its own. */
export function isDueAt(member: GroupMember, at: number, tick: number, periodMs: number, askedAt: number): boolean {
  const { own, multiple } = member
  const isOwn = own !== undefined && (tick - own) % multiple === 0
  return isTooOld(member, at + (isOwn ? multiple : 1) * periodMs, askedAt)
}

/** When a group has to tick whose prices were bought since its last tick, by look-ups or by another process. */
function laterTick({ at, members, periodMs }: TickGroup): number {
  let oldest = NEVER
  let deadline = NEVER
  for (const { tracked, life, multiple } of members) {
    if (tracked.dueAt < NEVER || tracked.watchers.size === 0) continue
    const { askedAt } = tracked
    if (multiple === 1) oldest = Math.min(oldest, askedAt)
    deadline = Math.min(deadline, askedAt + life)
  }
  const later = Math.min(oldest + periodMs, deadline)
  return later < NEVER ? later : at
}

/** The shortest age above `ms` at which the price is stale for a watcher. */
function ageAbove(tracked: TrackedPrice, ms: number): number {
  const shortest = tracked.maxAge(tracked.shortestInterval)
  if (shortest > ms) return shortest
  let next = NEVER
  for (const { everyMs } of tracked.watchers.items()) {
    const age = tracked.maxAge(everyMs)
    if (age > ms) next = Math.min(next, age)
  }
  return next
}

/** How long before its due time a request is sent, because the answer takes time. */
export interface LeadTime {
  readonly ms: number
  /** Records the milliseconds from the decision to buy to the answer. */
  record(tookMs: number): void
}

/** Room for an answer that takes longer than any before. */
const MARGIN = 1.25
/** The lead time covers the slowest of the last 50 to 100 answers. */
const WINDOW_SIZE = 50

/** Rises immediately with a slow answer, and falls when that answer leaves the window. */
export function createLeadTime(onChange: () => void): LeadTime {
  let ms = 0
  let slowestBefore = 0
  let slowest = 0
  let count = 0
  return {
    get ms() {
      return ms
    },
    record(tookMs) {
      if (count++ === WINDOW_SIZE) [slowestBefore, slowest, count] = [slowest, 0, 1]
      slowest = Math.max(slowest, tookMs)
      // Each change recomputes every due time, so small changes are skipped.
      const wanted = Math.ceil(Math.max(slowestBefore, slowest) * MARGIN)
      if (tookMs <= ms && wanted >= ms / 2) return
      ms = wanted
      onChange()
    },
  }
}
