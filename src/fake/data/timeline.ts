import type { WorldToken } from './tokens.ts'

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

/** A straight line from `usd` to `toUsd`. */
export interface Ramp {
  kind: 'ramp'
  from: number
  usd: bigint
  toUsd: bigint
  /** The moment at which `toUsd` is reached. */
  until: number
}

/** The source of a price from `from` (unix seconds) to the next segment. */
export type Segment =
  | { kind: 'computed'; from: number }
  | { kind: 'none'; from: number }
  | { kind: 'fixed'; from: number; usd: bigint }
  | { kind: 'row'; from: number; row: Row }
  | Ramp

/** A trade that was added by hand. */
export interface AddedTrade {
  time: number
  id: number
  /** Price of the token and value of the trade in USD, as fixed point. */
  price: bigint
  usd: bigint
}

/** A segment clipped to a range; both ends in unix seconds, included. */
export interface Piece<Of extends Segment = Segment> {
  segment: Of
  from: number
  until: number
}

/** What a timeline is made of; plain data for snapshots. */
export interface TimelineState {
  readonly segments: readonly Segment[]
  readonly trades: readonly AddedTrade[]
}

const START = Number.NEGATIVE_INFINITY
const NOTHING: Segment = { kind: 'none', from: START }
const COMPUTED: readonly Segment[] = [{ kind: 'computed', from: START }]

/** The changes of one price over time. Its lists are replaced and never changed, so that saved states share them. */
export class Timeline implements TimelineState {
  #segments: readonly Segment[]
  #trades: readonly AddedTrade[]
  #isChanged: boolean

  /** A saved state counts as a change. */
  constructor(state: TimelineState | { segments: readonly Segment[]; trades?: undefined }) {
    this.#segments = state.segments
    this.#trades = state.trades ?? []
    this.#isChanged = state.trades !== undefined
  }

  get segments(): readonly Segment[] {
    return this.#segments
  }

  get trades(): readonly AddedTrade[] {
    return this.#trades
  }

  get isChanged(): boolean {
    return this.#isChanged
  }

  at(time: number): Segment {
    return this.#segments[this.#indexAt(time)] ?? NOTHING
  }

  /** The segment whose prices the trades of a second have: a change counts for later trades. */
  forTrade(time: number): Segment {
    return this.at(time - 1)
  }

  pieces(from: number, until: number): Piece[] {
    const found: Piece[] = []
    for (let i = this.#indexAt(from); i < this.#segments.length; i++) {
      const segment = this.#segments[i] ?? NOTHING
      if (segment.from > until) break
      const next = this.#segments[i + 1]?.from ?? Number.POSITIVE_INFINITY
      found.push({ segment, from: Math.max(from, segment.from), until: Math.min(until, next - 1) })
    }
    return found
  }

  /** Replaces everything from the start of a segment on. */
  set(segment: Segment): void {
    const before = this.#segments.filter(({ from }) => from < segment.from)
    const after: Segment[] =
      segment.kind === 'ramp' ? [segment, { kind: 'fixed', from: segment.until, usd: segment.toUsd }] : [segment]
    const trades = this.#trades.filter(({ time }) => time <= segment.from)
    this.#replace([...before, ...after], trades)
  }

  /** Replaces the time of a row, and nothing after it. */
  insertRow(row: Row): void {
    const after = continueAt(this.at(row.until), row.until)
    const isKept = ({ from }: Segment) => from < row.from || from > row.until
    const changed = [...this.#segments.filter(isKept), { kind: 'row' as const, from: row.from, row }, after]
    const trades = this.#trades.filter(({ time }) => time < row.from || time >= row.until)
    this.#replace(changed.sort(byStart), trades)
  }

  addTrade(trade: Omit<AddedTrade, 'id'>): void {
    // The number comes from the state, so that a restored state continues as it did before.
    const id = 1 + Math.max(0, ...this.#trades.map((one) => one.id))
    const trades = [...this.#trades, { ...trade, id }].sort((a, b) => a.time - b.time || a.id - b.id)
    this.#replace(this.#segments, trades)
  }

  #replace(segments: readonly Segment[], trades: readonly AddedTrade[]): void {
    this.#segments = segments
    this.#trades = trades
    this.#isChanged = true
  }

  #indexAt(time: number): number {
    let index = this.#segments.length - 1
    while (index > 0 && (this.#segments[index]?.from ?? 0) > time) index--
    return index
  }
}

const byStart = (a: Segment, b: Segment) => a.from - b.from

/** The same source of a price, from a later moment on. */
function continueAt(segment: Segment, from: number): Segment {
  return segment.kind === 'ramp' ? { ...segment, from, usd: rampAt(segment, from) } : { ...segment, from }
}

/** The price of a ramp at a moment. */
export function rampAt({ from, until, usd, toUsd }: Ramp, time: number): bigint {
  if (time >= until) return toUsd
  return usd + ((toUsd - usd) * BigInt(time - from)) / BigInt(until - from)
}

/** The changes of all prices so far; plain data for snapshots. */
export interface TimelinesState {
  etn: TimelineState
  tokens: Readonly<Record<string, TimelineState>>
}

/** The timelines of all tokens, and that of the price of ETN. */
export class Timelines {
  readonly #wetn: () => WorldToken
  #etn: Timeline | undefined
  readonly #tokens = new Map<string, Timeline>()

  constructor(wetn: () => WorldToken) {
    this.#wetn = wetn
  }

  /** The timeline of the price of ETN. */
  etn(): Timeline {
    this.#etn ??= new Timeline({ segments: etnSegments(this.#wetn()) })
    return this.#etn
  }

  of(token: WorldToken): Timeline {
    const known = this.#tokens.get(token.key)
    if (known) return known
    const made = new Timeline({ segments: token.key === this.#wetn().key ? COMPUTED : initialSegments(token) })
    this.#tokens.set(token.key, made)
    return made
  }

  /** The changes so far. */
  save(): TimelinesState {
    const changed = [...this.#tokens].filter(([, { isChanged }]) => isChanged)
    return {
      etn: stateOf(this.etn()),
      tokens: Object.fromEntries(changed.map(([key, timeline]) => [key, stateOf(timeline)])),
    }
  }

  /** Replaces all changes; without an argument it drops them. */
  load(state?: TimelinesState): void {
    this.#etn = state && new Timeline(state.etn)
    this.#tokens.clear()
    for (const [key, saved] of Object.entries(state?.tokens ?? {})) this.#tokens.set(key, new Timeline(saved))
  }
}

const stateOf = ({ segments, trades }: Timeline): TimelineState => ({ segments, trades })

function etnSegments({ fixedUsd }: WorldToken): readonly Segment[] {
  return fixedUsd === undefined ? COMPUTED : [{ kind: 'fixed', usd: fixedUsd, from: START }]
}

function initialSegments(token: WorldToken): readonly Segment[] {
  const { launchedAt } = token
  return launchedAt === undefined ? [usualSegment(token, START)] : [NOTHING, usualSegment(token, launchedAt)]
}

/** Where the price of a token comes from unless it is changed. */
export function usualSegment({ anchor, fixedUsd }: WorldToken, from: number): Segment {
  if (fixedUsd !== undefined) return { kind: 'fixed', usd: fixedUsd, from }
  return anchor === null ? { kind: 'none', from } : { kind: 'computed', from }
}
