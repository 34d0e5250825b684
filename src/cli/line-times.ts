import { DAY_MS, MINUTE_MS } from '../utils/time-units.ts'

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

export function activeHoursOf(times: LineTimes): number {
  return times.once === undefined ? times.span.length / 60 : 24
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
