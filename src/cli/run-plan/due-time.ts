import type { AgeClock } from '../../concurrency/clock.ts'
import { DAY_MS, MINUTE_MS } from '../../utils/time-units.ts'
import { type LineTimes, untilActive } from '../line-times.ts'
import type { LineState } from './run-state.ts'

/**
 * When a line is due. Times of a day are those of the wall clock: one that is set back repeats none within half a day. What was missed, because
 * the machine slept or the clock was set forward, is made up for once.
 */
export class DueTime {
  readonly #times: LineTimes
  readonly #ages: AgeClock
  /** The moment from which the next time is sought: by the age clock, and on the wall clock. */
  #at: number
  #from: number
  #wasDue: boolean
  #dueAt: number

  constructor(times: LineTimes, known: LineState | undefined, ages: AgeClock) {
    this.#times = times
    this.#ages = ages
    const now = ages.toUnix()
    this.#from = Math.min(known?.last ?? now, now)
    this.#at = ages.fromUnix(this.#from)
    this.#wasDue = known !== undefined && known.isFirst !== true
    this.#dueAt = this.#wasDue ? Math.max(this.#at + times.everyMs, ages.now()) : ages.now()
  }

  /** Milliseconds until then; 0 or less when it is due. */
  wait(): number {
    const { once, span } = this.#times
    const now = this.#ages.toUnix()
    if (once !== undefined) return this.#nextOnce(once) - now
    const at = this.#ages.now()
    if (this.#dueAt > at) return this.#dueAt - at
    const closed = untilActive(span, now)
    if (closed > 0) this.#dueAt = at
    return closed
  }

  /** Takes the time that is due, unix milliseconds, and goes on to the next one. */
  take(): number {
    const { once, everyMs } = this.#times
    const missed = Math.max(0, this.#ages.now() - this.#dueAt)
    const dueAt = this.#dueAt + Math.floor(missed / everyMs) * everyMs
    const due = once === undefined ? this.#ages.toUnix(dueAt) : this.#nextOnce(once)
    this.#wasDue = true
    this.#from = due
    this.#at = this.#ages.fromUnix(due)
    this.#dueAt = (once === undefined ? dueAt : this.#at) + everyMs
    return due
  }

  #nextOnce(once: number): number {
    const now = this.#ages.toUnix()
    this.#from = Math.min(this.#from, now)
    const due = Math.max(nextDaily(once, this.#from), nextDaily(once, now) - DAY_MS)
    const isRepeated = this.#wasDue && this.#ages.fromUnix(due) - this.#at < DAY_MS / 2
    return isRepeated ? due + DAY_MS : due
  }
}

function nextDaily(minutes: number, after: number): number {
  const atTime = Math.floor(after / DAY_MS) * DAY_MS + minutes * MINUTE_MS
  return atTime > after ? atTime : atTime + DAY_MS
}
