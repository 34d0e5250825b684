import type { Clock } from 'etn-market'
import { monotonicNow } from '../../concurrency/clock.ts'
import { DAY_MS, MINUTE_MS } from '../../utils/time-units.ts'
import { type LineTimes, untilActive } from '../line-times.ts'
import type { LineState } from './run-state.ts'

/**
 * When a line is due. Intervals are elapsed time, which no step of the wall clock changes. Times of a day are those of the wall clock: one
 * that is set back repeats none within half a day. What was missed is made up for once.
 */
export class DueTime {
  readonly #times: LineTimes
  readonly #clock: Clock
  /** The moment from which the next time is sought: monotonic, and on the wall clock. */
  #at: number
  #from: number
  #wasDue: boolean
  #dueAt: number

  constructor(times: LineTimes, known: LineState | undefined, clock: Clock) {
    this.#times = times
    this.#clock = clock
    const now = clock.now()
    this.#from = Math.min(known?.last ?? now, now)
    this.#at = monotonicNow(clock) - (now - this.#from)
    this.#wasDue = known !== undefined && known.isFirst !== true
    this.#dueAt = this.#wasDue ? Math.max(this.#at + times.everyMs, monotonicNow(clock)) : monotonicNow(clock)
  }

  /** Milliseconds until then; 0 or less when it is due. */
  wait(): number {
    const { once, span } = this.#times
    const now = this.#clock.now()
    const elapsed = monotonicNow(this.#clock)
    if (once !== undefined) return this.#nextOnce(once) - now
    if (this.#dueAt > elapsed) return this.#dueAt - elapsed
    const closed = untilActive(span, now)
    if (closed > 0) this.#dueAt = elapsed
    return closed
  }

  /** Takes the time that is due, unix milliseconds, and goes on to the next one. */
  take(): number {
    const { once, everyMs } = this.#times
    const now = this.#clock.now()
    const elapsed = monotonicNow(this.#clock)
    const due = once === undefined ? now - Math.max(0, elapsed - this.#dueAt) : this.#nextOnce(once)
    this.#wasDue = true
    this.#from = due
    this.#at = elapsed - (now - due)
    this.#dueAt = this.#at + everyMs
    return due
  }

  #nextOnce(once: number): number {
    const now = this.#clock.now()
    this.#from = Math.min(this.#from, now)
    const due = Math.max(nextDaily(once, this.#from), nextDaily(once, now) - DAY_MS)
    const isRepeated = this.#wasDue && monotonicNow(this.#clock) + due - now - this.#at < DAY_MS / 2
    return isRepeated ? due + DAY_MS : due
  }
}

function nextDaily(minutes: number, after: number): number {
  const atTime = after - (after % DAY_MS) + minutes * MINUTE_MS
  return atTime > after ? atTime : atTime + DAY_MS
}
