import { creditsFor, MAX_ITEMS } from '../../credits/cheapest-requests.ts'
import type { TrackedPrice } from '../prices/tracked-price.ts'

const NEVER = Number.POSITIVE_INFINITY
/** From three addresses on, each further one costs the same: 50, 100, 130, 140, … */
export const MIN_LINEAR = 3
/** A price that is so close to the end of its life, as a share of it, is bought at a tick: timers are late by a moment. */
const TICK_MARGIN = 0.05

/** When the newest price of an address, known or on its way, is so old that the next one has to be requested. */
export const lastsUntil = ({ askedAt, lifeMs }: TrackedPrice): number => askedAt + lifeMs

/** Whether nobody watched an address for a while since it was bought. */
export const isReopened = ({ leftAt, askedAt }: TrackedPrice): boolean => leftAt >= askedAt

/**
 * Addresses that are bought at the ticks of one timer, each at every nth. Ticks are fixed moments, but they follow the purchases between them: what was
 * bought by a look-up or by another process is not bought again before its time.
 */
export class TickGroup {
  readonly periodMs: number
  readonly members: readonly TrackedPrice[]
  /** Whether something is bought at each tick. */
  readonly ticksAnyway: boolean
  /**
   * Whether those with the same multiple stay together: where few addresses are bought at each tick, a request of their own would cost more. At every
   * nth tick what would be too old at the next nth is bought.
   */
  readonly #staysTogether: boolean
  /** The moment of the next tick, and its number. */
  at: number
  ticks: number

  constructor(periodMs: number, members: readonly TrackedPrice[], at: number, ticks: number) {
    this.periodMs = periodMs
    this.members = members
    const atEachTick = members.filter(({ multiple }) => multiple === 1).length
    this.ticksAnyway = atEachTick > 0
    this.#staysTogether = atEachTick % MAX_ITEMS < MIN_LINEAR
    this.at = at
    this.ticks = ticks
  }

  /** The same group, for a forecast. */
  copy(): TickGroup {
    return new TickGroup(this.periodMs, this.members, this.at, this.ticks)
  }

  /** Ticks, unless that has to wait for a slow answer. Returns what is bought. */
  tick(now: number): readonly TrackedPrice[] {
    const laterAt = this.#laterAt(this.#counted(now))
    if (laterAt > this.at + 1) this.at = laterAt
    if (this.at > now) return []
    const due = this.members.filter((tracked) => tracked.waitsForTick && this.isDue(tracked, tracked.askedAt))
    this.advance(now)
    return due
  }

  advance(now: number): void {
    const passed = 1 + Math.floor((now - this.at) / this.periodMs)
    this.at += passed * this.periodMs
    this.ticks += passed
  }

  /** Whether an address that was bought at `askedAt` is bought at the next tick: it would be too old at the one after that. */
  isDue(tracked: TrackedPrice, askedAt: number): boolean {
    const { lifeMs, multiple } = tracked
    const isOwn = this.#staysTogether && this.ticks % multiple === 0
    // So it is bought once an interval.
    if (tracked.leftAt >= askedAt && askedAt + lifeMs >= this.at + lifeMs * TICK_MARGIN) return false
    return askedAt + lifeMs < this.at + (isOwn ? multiple : 1) * this.periodMs
  }

  /**
   * Puts the next tick where what is bought at each tick is a period old, after a purchase or another change. Returns what is too old before that, and
   * is bought when it is. What is on its way follows with its answer.
   */
  follow(now: number): readonly TrackedPrice[] {
    const counted = this.#counted(now)
    const leading = this.ticksAnyway ? counted.filter(({ multiple }) => multiple === 1) : counted
    this.at = this.#laterAt(counted)
    if (leading.length > 0 && leading.every((tracked) => lastsUntil(tracked) < this.at))
      this.at = Math.max(now, Math.min(...leading.map((tracked) => this.#wantedAt(tracked))))
    if (this.at <= now) return []
    return this.members.filter((tracked) => lastsUntil(tracked) < this.at && !tracked.inFlight && tracked.waitsForTick)
  }

  /** What costs less together with `due` now than at the next tick, and how much less; undefined if nothing does. */
  early(now: number, due: ReadonlySet<TrackedPrice>) {
    if (!this.ticksAnyway || this.at <= now) return undefined
    const next = this.members.filter(
      (tracked) =>
        tracked.waitsForTick && !due.has(tracked) && !isReopened(tracked) && lastsUntil(tracked) < now + this.periodMs,
    )
    const credits = creditsFor(next.length)
    const saved = creditsFor(due.size) + credits - creditsFor(due.size + next.length)
    return { next, gain: saved - ((this.at - now) / this.periodMs) * credits }
  }

  /** Counts what was bought early as the next tick. */
  tickEarly(now: number): void {
    this.ticks++
    this.at = now + this.periodMs
  }

  #wantedAt(tracked: TrackedPrice): number {
    return isReopened(tracked) ? lastsUntil(tracked) : tracked.askedAt + tracked.multiple * this.periodMs
  }

  /** Those that ticks buy, but for what is on its way since the last one: the next tick follows its answer. */
  #counted(now: number): readonly TrackedPrice[] {
    return this.members.filter((tracked) => {
      const { dueAt, paceMs, watchers, askedAt } = tracked
      const isSlow = askedAt + this.periodMs <= now + 1 && tracked.inFlight
      return dueAt === NEVER && paceMs === 0 && watchers.size > 0 && !isSlow
    })
  }

  /** When it has to tick whose prices were bought since its last tick. */
  #laterAt(counted: readonly TrackedPrice[]): number {
    if (!this.ticksAnyway || counted.length === 0) return this.at
    const ends = counted.map((tracked) => (tracked.multiple === 1 ? this.#wantedAt(tracked) : lastsUntil(tracked)))
    return Math.max(this.at, Math.min(...ends))
  }
}
