import type { AgeClock } from '../concurrency/clock.ts'
import { DAY_MS, MINUTE_MS } from '../utils/time-units.ts'
import type { LineState } from './run-plan/run-state.ts'

const MINUTES_PER_DAY = 1_440

/** Minutes since midnight; a span may go over midnight. */
interface Span {
  readonly from: number
  readonly length: number
}

/** When the calls of a line are made. All times are in UTC. */
export type LineTimes =
  | {
      readonly everyMs: number
      readonly span: Span
      readonly once?: undefined
    }
  | {
      /** Minutes since midnight at which the calls of a day begin. */
      readonly once: number
      readonly everyMs: typeof DAY_MS
      readonly span?: undefined
    }

/** A night begins at this time, when most of the service's users sleep. */
const NIGHT = '02:00'

/** `night`, `day` or a time such as `03:30`, in minutes since midnight. */
export function parseOnce(text: string): number {
  return parseTime(text === 'night' ? NIGHT : text === 'day' ? '00:00' : text)
}

/** A span such as `22:00-06:00`. One that ends where it begins is a whole day. */
export function parseSpan(text: string): Span {
  const [from = 0, to = 0] = text.split('-').map(parseTime)
  return { from, length: (to - from + MINUTES_PER_DAY) % MINUTES_PER_DAY || MINUTES_PER_DAY }
}

function parseTime(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return 60 * hours + minutes
}

/** Milliseconds until the span begins; 0 within it. */
export function untilActive({ from, length }: Span, at: number): number {
  const since = sinceStart(from, at)
  return since < length * MINUTE_MS ? 0 : DAY_MS - since
}

/** Milliseconds that are left of the span; 0 outside it, Infinity for a whole day. */
export function leftOfActive({ from, length }: Span, at: number): number {
  if (length === MINUTES_PER_DAY) return Number.POSITIVE_INFINITY
  return Math.max(0, length * MINUTE_MS - sinceStart(from, at))
}

const sinceStart = (from: number, at: number) => (((at - from * MINUTE_MS) % DAY_MS) + DAY_MS) % DAY_MS

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
