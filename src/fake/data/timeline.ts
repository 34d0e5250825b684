import type { FakeCandle } from './candles.ts'
import type { WorldToken } from './tokens.ts'

/** What happened to a price within a time, as fixed point. */
export interface PriceRange {
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  volume: number
  count: number
}

/** A row of candles given by the user, in USD. */
export interface Row extends PriceRange {
  from: number
  /** The end, exclusive. */
  until: number
  given: FakeCandle
}

/** A price that is set: a straight line from `usd` to `toUsd`, which is reached at `until` and holds. A constant one ends where it begins. */
export interface Line {
  kind: 'line'
  from: number
  usd: bigint
  toUsd: bigint
  until: number
}

export type Source = { kind: 'computed'; from: number } | { kind: 'row'; from: number; row: Row } | Line

/** The source of a price from `from` (unix seconds) to the next segment. */
export type Segment = Source | { kind: 'none'; from: number }

export interface AddedTrade {
  time: number
  id: number
  /** Price of the token and value of the trade in USD, as fixed point. */
  price: bigint
  usd: bigint
}

/** A segment clipped to a range; both ends in unix seconds, included. */
export interface Piece {
  segment: Segment
  from: number
  until: number
}

/** The start of what was always so. */
export const ALWAYS = Number.NEGATIVE_INFINITY
const NOTHING: Segment = { kind: 'none', from: ALWAYS }

/** The changes of one price over time. It never changes itself, so that saved states share it. */
export class Timeline {
  readonly segments: readonly Segment[]
  readonly trades: readonly AddedTrade[]

  constructor(segments: readonly Segment[], trades: readonly AddedTrade[] = []) {
    this.segments = segments
    this.trades = trades
  }

  at(time: number): Segment {
    return this.segments[this.#indexAt(time)] ?? NOTHING
  }

  pieces(from: number, until: number): Piece[] {
    const found: Piece[] = []
    for (let i = this.#indexAt(from); i < this.segments.length; i++) {
      const segment = this.segments[i] ?? NOTHING
      if (segment.from > until) break
      const next = this.segments[i + 1]?.from ?? Number.POSITIVE_INFINITY
      found.push({ segment, from: Math.max(from, segment.from), until: Math.min(until, next - 1) })
    }
    return found
  }

  /** Replaces everything from the start of a segment on. */
  with(segment: Segment): Timeline {
    const before = this.segments.filter(({ from }) => from < segment.from)
    const trades = this.trades.filter(({ time }) => time <= segment.from)
    const after = segment.kind === 'line' && isMoving(segment) ? [constant(segment.toUsd, segment.until)] : []
    return new Timeline([...before, segment, ...after], trades)
  }

  /** For a clock that is set back: what the price is at `from` goes on at `to`, with the trades of between. */
  setBack(from: number, to: number): Timeline {
    const last = this.at(from)
    if (last.from <= to) return this
    const trades = this.trades.map((trade) => ({ ...trade, time: Math.min(trade.time, to) }))
    const line = last.kind === 'line' && { usd: lineAt(last, from), until: Math.max(to, last.until - (from - to)) }
    return new Timeline(this.segments, trades).with({ ...last, ...line, from: to })
  }

  /** Replaces the time of a row, and nothing after it. */
  withRow(row: Row): Timeline {
    const { from, until } = row
    const kept = this.segments.filter((one) => one.from < from || one.from > until)
    const last = this.at(until)
    // The same source of the price goes on after it.
    const next: Segment =
      last.kind === 'line' ? { ...last, from: until, usd: lineAt(last, until) } : { ...last, from: until }
    const changed: Segment[] = [...kept, { kind: 'row', from, row }, next]
    changed.sort((a, b) => a.from - b.from)
    const trades = this.trades.filter(({ time }) => time < from || time >= until)
    return new Timeline(changed, trades)
  }

  withTrade(trade: Omit<AddedTrade, 'id'>): Timeline {
    // The number comes from the state, so that a restored state continues as it did before.
    const id = 1 + Math.max(0, ...this.trades.map((one) => one.id))
    const trades = [...this.trades, { ...trade, id }].sort((a, b) => a.time - b.time || a.id - b.id)
    return new Timeline(this.segments, trades)
  }

  #indexAt(time: number): number {
    let index = this.segments.length - 1
    while (index > 0 && (this.segments[index]?.from ?? 0) > time) index--
    return index
  }
}

export function constant(usd: bigint, from: number): Line {
  return { kind: 'line', from, usd, toUsd: usd, until: from }
}

export function isMoving(segment: Segment): boolean {
  return segment.kind === 'line' && segment.until > segment.from
}

export function lineAt({ from, until, usd, toUsd }: Line, time: number): bigint {
  if (time >= until) return toUsd
  return usd + ((toUsd - usd) * BigInt(time - from)) / BigInt(until - from)
}

/** Where the price of a token comes from unless it is changed. */
export function usualSegment({ anchor, fixedUsd }: WorldToken, from: number): Segment {
  if (fixedUsd !== undefined) return constant(fixedUsd, from)
  return anchor === null ? { kind: 'none', from } : { kind: 'computed', from }
}

/** A minute of a row: its prices and its part of the trades. */
type RowMinute = PriceRange & { time: number }

/** The price inside a row: straight lines from its open to its low and its high, and to its close. */
export function rowPriceAt(row: Row, time: number): bigint {
  const knots = knotsOf(row)
  for (const [i, { at, price }] of knots.entries()) {
    const next = knots[i + 1]
    if (next === undefined || time >= next.at) continue
    return price + ((next.price - price) * BigInt(Math.max(0, time - at))) / BigInt(next.at - at)
  }
  return row.close
}

/** The minutes of a row within a range, both ends included. */
export function rowMinutes(row: Row, from: number, until: number): RowMinute[] {
  const exact = (row.until - row.from) / 60
  const first = Math.max(0, Math.floor((from - row.from) / 60))
  const last = Math.min(Math.ceil(exact) - 1, Math.floor((until - row.from) / 60))
  const knots = knotsOf(row)
  const doneBy = (minute: number) => Math.floor((row.count * Math.min(minute, exact)) / exact)
  const found: RowMinute[] = []
  for (let i = first; i <= last; i++) {
    const time = row.from + i * 60
    const ends = knots.filter(({ at }) => at >= time && at <= time + 60).map(({ price }) => price)
    const [open, close] = [rowPriceAt(row, time), rowPriceAt(row, Math.min(time + 60, row.until))]
    const high = ends.reduce((a, b) => (a > b ? a : b), open > close ? open : close)
    const low = ends.reduce((a, b) => (a < b ? a : b), open < close ? open : close)
    const count = doneBy(i + 1) - doneBy(i)
    found.push({ time, open, close, high, low, count, volume: row.count === 0 ? 0 : (row.volume * count) / row.count })
  }
  return found
}

function knotsOf({ from, until, open, high, low, close }: Row): { at: number; price: bigint }[] {
  const third = Math.floor((until - from) / 3)
  const [first, second] = close >= open ? [low, high] : [high, low]
  return [
    { at: from, price: open },
    { at: from + third, price: first },
    { at: until - third, price: second },
    { at: until, price: close },
  ]
}
