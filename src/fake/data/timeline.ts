/** A row of candles given by the user, in USD as fixed point. */
export interface Row {
  from: number
  /** The end, exclusive. */
  until: number
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  volume: number
  count: number
  /** The row as it was given. */
  given: { time: number; open: number; high: number; low: number; close: number; volume: number; count: number }
}

/** The source of a price from `from` (unix seconds) to the next segment. */
export type Segment = { from: number } & (
  | { kind: 'computed' }
  | { kind: 'none' }
  | { kind: 'fixed'; usd: bigint }
  | { kind: 'ramp'; usd: bigint; toUsd: bigint; until: number }
  | { kind: 'row'; row: Row }
)

/** A trade that was added by hand. */
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

/** The price sources of one token over time. */
export interface Timeline {
  at(time: number): Segment
  /** The segment whose prices the trades of a second have: a change counts for later trades. */
  forTrade(time: number): Segment
  pieces(from: number, until: number): Piece[]
  /** Whether every price of the range is computed, and no trade was added. */
  isComputed(from: number, until: number): boolean
  readonly segments: readonly Segment[]
  readonly trades: readonly AddedTrade[]
  /** Replaces everything from the start of a segment on. */
  set(segment: Segment): void
  /** Replaces the time of a row, and nothing after it. */
  insertRow(row: Row): void
  addTrade(trade: AddedTrade): void
}

/** What a timeline is made of; plain data for snapshots. */
export interface TimelineState {
  readonly segments: readonly Segment[]
  readonly trades: readonly AddedTrade[]
}

export function createTimeline({ segments: initial, trades: added }: TimelineState): Timeline {
  // Both are replaced and never changed, so that saved states share them.
  let segments = initial
  let trades = added

  function indexAt(time: number): number {
    let index = segments.length - 1
    while (index > 0 && (segments[index]?.from ?? 0) > time) index--
    return index
  }

  const at = (time: number) => segments[indexAt(time)] ?? NOTHING
  return {
    at,
    forTrade: (time) => at(time - 1),
    pieces(from, until) {
      const found: Piece[] = []
      for (let i = indexAt(from); i < segments.length; i++) {
        const segment = segments[i] ?? NOTHING
        if (segment.from > until) break
        const next = segments[i + 1]?.from ?? Number.POSITIVE_INFINITY
        found.push({ segment, from: Math.max(from, segment.from), until: Math.min(until, next - 1) })
      }
      return found
    },
    isComputed(from, until) {
      if (trades.some(({ time }) => time >= from && time <= until)) return false
      for (let i = indexAt(from); i < segments.length && (segments[i]?.from ?? 0) <= until; i++) {
        if (segments[i]?.kind !== 'computed') return false
      }
      return true
    },
    get segments() {
      return segments
    },
    get trades() {
      return trades
    },
    set(segment) {
      segments = [...segments.filter(({ from }) => from < segment.from), segment]
      trades = trades.filter(({ time }) => time <= segment.from)
    },
    insertRow(row) {
      const after = continueAt(at(row.until), row.until)
      const isKept = ({ from }: Segment) => from < row.from || from > row.until
      const changed = [...segments.filter(isKept), { kind: 'row' as const, from: row.from, row }, after]
      segments = changed.sort((a, b) => a.from - b.from)
      trades = trades.filter(({ time }) => time < row.from || time >= row.until)
    },
    addTrade(trade) {
      trades = [...trades, trade].sort((a, b) => a.time - b.time || a.id - b.id)
    },
  }
}

const NOTHING: Segment = { kind: 'none', from: Number.NEGATIVE_INFINITY }

/** The same source of a price, from a later moment on. */
function continueAt(segment: Segment, from: number): Segment {
  if (segment.kind !== 'ramp') return { ...segment, from }
  return { ...segment, from, usd: rampAt(segment, from) }
}

/** The price of a ramp at a moment. */
export function rampAt({ from, until, usd, toUsd }: Segment & { kind: 'ramp' }, time: number): bigint {
  if (time >= until) return toUsd
  return usd + ((toUsd - usd) * BigInt(time - from)) / BigInt(until - from)
}
