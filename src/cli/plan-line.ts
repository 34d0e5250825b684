import type { OperationId, PlannedCall } from 'etn-market'
import { DAY_MS, MINUTE_MS } from '../utils/time-units.ts'
import type { PlanCall } from './plan-file.ts'

/** A line of a plan: one call, or one for each of its addresses, made again and again. */
export interface PlanLine {
  /** Its position, from 0. */
  readonly index: number
  readonly operation: OperationId
  /** Parameters of each call, without the addresses of the line. */
  readonly params: Readonly<Record<string, unknown>>
  readonly times: LineTimes
  /** How the interval is written: `5m`, `night`. */
  readonly every: string
  /** Number of calls each time. */
  readonly count: number
  /** In EIP-55 form, each one once; undefined for a line that calls with `params` alone. */
  readonly addresses: readonly string[] | undefined
  /** The file that has the addresses. */
  readonly source: string | undefined
  /** What the line is for, in a few words. */
  readonly purpose: string
  /** One of its calls, as the library plans it. */
  readonly call: PlannedCall
  /** Where `run` writes what the line buys. */
  readonly file: string | undefined
  readonly alert: PlanCall['alert']
}

/** How `run` carries a line out. */
export type LineKind = 'prices' | 'candles' | 'sweep' | 'call'

export function kindOf({ operation, addresses }: PlanLine): LineKind {
  if (addresses === undefined) return 'call'
  if (isPriceOperation(operation)) return 'prices'
  return operation === 'token.candles' ? 'candles' : 'sweep'
}

export const isPriceOperation = (operation: string): boolean =>
  operation === 'token.price' || operation === 'prices.batch'

/** Whether a line has times of its own, which a plan that costs too much leaves alone. */
export const isFixed = ({ times }: PlanLine): boolean => times.once !== undefined

const MINUTES_PER_DAY = 1_440

/** When the calls of a line are made. All times are in UTC. */
export type LineTimes =
  | {
      /** Milliseconds between calls. */
      readonly everyMs: number
      /** The hours in which they are made, in minutes since midnight; a span may go over midnight. */
      readonly span: { readonly from: number; readonly length: number }
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
export function parseSpan(text: string): { from: number; length: number } {
  const [from = 0, to = 0] = text.split('-').map(parseTime)
  return { from, length: (to - from + MINUTES_PER_DAY) % MINUTES_PER_DAY || MINUTES_PER_DAY }
}

function parseTime(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return 60 * hours + minutes
}

/** Hours of a day in which calls are made. */
export function activeHoursOf(times: LineTimes): number {
  return times.once === undefined ? times.span.length / 60 : 24
}

/** The first moment after `after` at this time of day. */
export function nextDaily(minutes: number, after: number): number {
  const atTime = after - (after % DAY_MS) + minutes * MINUTE_MS
  return atTime > after ? atTime : atTime + DAY_MS
}

/** The moment itself where it is within the span, else the beginning of the next one. */
export function startOfActive({ from, length }: { from: number; length: number }, at: number): number {
  const since = sinceStart(from, at)
  return since < length * MINUTE_MS ? at : at + DAY_MS - since
}

/** When the span that contains a moment ends; Infinity for a whole day. */
export function endOfActive({ from, length }: { from: number; length: number }, at: number): number {
  if (length === MINUTES_PER_DAY) return Number.POSITIVE_INFINITY
  return at - sinceStart(from, at) + length * MINUTE_MS
}

const sinceStart = (from: number, at: number) => (((at - from * MINUTE_MS) % DAY_MS) + DAY_MS) % DAY_MS
