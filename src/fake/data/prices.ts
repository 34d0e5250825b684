import { once } from '../rules/once.ts'
import type { Currency } from '../rules/parse-query.ts'
import { fromDecimal, ONE, toDecimal } from './decimal.ts'
import { ComputedMarket, ConstantMarket, type Market, SLOT_SECONDS, TICKS } from './market.ts'
import { hash, smoothNoise } from './random.ts'
import { type Piece, type Ramp, type Row, rampAt, type Segment, type Timeline, type Timelines } from './timeline.ts'
import type { WorldToken } from './tokens.ts'

// What makes a price at a moment:
// 1. The timeline of the token says where the price comes from: what the user has set (`fixed`, `ramp`, `row`, `none`), or `computed`.
// 2. A set price is in USD. A computed one is the level of the token's market at that moment, times its base price, in its anchor currency.
// 3. The price of ETN converts it to the other currency. It has a timeline too; computed, it changes every 15 minutes.

/** A price in both currencies, as fixed point. */
export interface Quote {
  usd: bigint
  etn: bigint
}

/** A change of the price of ETN, or its absence. */
type RateSegment = Extract<Segment, { kind: 'computed' | 'fixed' }> | Ramp

/** Cached rates: two years of 15-minute periods. */
const MAX_RATES = 70_000
const SCALE = BigInt(TICKS)

/** The price of ETN in USD. */
export class Rates {
  readonly #timeline: () => Timeline
  readonly #noise: number
  readonly #base: bigint
  readonly #baseNumber: number
  readonly #levels = new Map<number, number>()

  constructor(seed: number, timeline: () => Timeline) {
    this.#timeline = timeline
    this.#noise = hash(seed, 20)
    this.#base = fromDecimal(`0.0022${hash(this.#noise, 1)}${hash(this.#noise, 2)}`)
    this.#baseNumber = Number(toDecimal(this.#base))
  }

  /** USD for one ETN as fixed point, times `TICKS`: exact. */
  scaled(time: number): bigint {
    const segment = this.#timeline().at(time)
    if (segment.kind === 'fixed') return segment.usd * SCALE
    if (segment.kind === 'ramp') return rampAt(segment, time) * SCALE
    return this.#base * BigInt(this.#level(time))
  }

  /** USD for one ETN, as fixed point. */
  usd(time: number): bigint {
    return this.scaled(time) / SCALE
  }

  /** The same as a double, for volumes. */
  number(time: number): number {
    const { kind } = this.#timeline().at(time)
    return kind === 'computed' ? (this.#baseNumber * this.#level(time)) / TICKS : Number(this.usd(time)) / Number(ONE)
  }

  /** A number that orders the rates of one segment exactly, unless it is a ramp. */
  rank(time: number): number {
    return this.#timeline().at(time).kind === 'computed' ? this.#level(time) : 1
  }

  /** Where the price of ETN comes from in a range. */
  pieces(from: number, until: number): Piece<RateSegment>[] {
    return this.#timeline().pieces(from, until) as Piece<RateSegment>[]
  }

  #level(time: number): number {
    const slot = Math.floor(time / SLOT_SECONDS)
    const known = this.#levels.get(slot)
    if (known !== undefined) return known
    if (this.#levels.size > MAX_RATES) this.#levels.clear()
    const slow = 0.22 * smoothNoise(this.#noise, slot, 96 * 41) + 0.09 * smoothNoise(this.#noise, slot, 96 * 9)
    const fast = 0.04 * smoothNoise(this.#noise, slot, 96) + 0.012 * smoothNoise(this.#noise, slot, 8)
    const made = Math.floor(TICKS * (1 + slow + fast))
    this.#levels.set(slot, made)
    return made
  }
}

/** The tokens that prices depend on. */
interface Anchors {
  readonly usdc: WorldToken
  readonly wetn: WorldToken
}

/** Exact prices at any moment, in both currencies. */
export class Prices {
  readonly rates: Rates
  readonly #seed: number
  readonly #wetn: WorldToken
  readonly #timelines: Timelines
  readonly #markets = new Map<string, Market>()
  readonly #wetnMarket: () => Market

  constructor(seed: number, { usdc, wetn }: Anchors, timelines: Timelines) {
    this.rates = new Rates(seed, () => timelines.etn())
    this.#seed = seed
    this.#wetn = wetn
    this.#timelines = timelines
    this.#wetnMarket = once(() => new ConstantMarket(new ComputedMarket(seed, usdc)))
  }

  /** The computed market of a token. The trades of WETN are those of USDC. */
  market(token: WorldToken): Market {
    if (token.key === this.#wetn.key) return this.#wetnMarket()
    const known = this.#markets.get(token.key) ?? new ComputedMarket(this.#seed, token)
    this.#markets.set(token.key, known)
    return known
  }

  timeline(token: WorldToken): Timeline {
    return this.#timelines.of(token)
  }

  /** The last price; `undefined` for a token without a price. */
  quote(token: WorldToken, time: number): Quote | undefined {
    const segment = this.timeline(token).at(time)
    return this.ofSegment(token, segment, time, segment.kind === 'computed' ? this.market(token).priceAt(time) : 0)
  }

  /** The last price as decimal strings. */
  spot(token: WorldToken, time: number): { usd: string; etn: string } | undefined {
    const found = this.quote(token, time)
    return found && { usd: toDecimal(found.usd), etn: toDecimal(found.etn) }
  }

  /** The price of a segment at a moment; `level` is the level of the computed market. */
  ofSegment(token: WorldToken, segment: Segment, time: number, level: number): Quote | undefined {
    if (segment.kind === 'none') return undefined
    const priceIn = (currency: Currency) => this.of(token, segment, time, level, currency)
    return { usd: priceIn('USD'), etn: priceIn('ETN') }
  }

  /** The same in one currency. */
  of(token: WorldToken, segment: Source, time: number, level: number, currency: Currency): bigint {
    if (segment.kind !== 'computed') {
      const usd = usdOf(segment, time)
      return currency === 'USD' ? usd : this.inEtn(usd, time)
    }
    const inAnchor = token.base * BigInt(level)
    if (token.anchor === currency) return inAnchor / SCALE
    const rate = this.rates.scaled(time)
    return token.anchor === 'USD' ? (inAnchor * ONE) / rate : (inAnchor * rate) / (SCALE * SCALE * ONE)
  }

  /** A price in USD in both currencies. */
  ofUsd(usd: bigint, time: number): Quote {
    return { usd, etn: this.inEtn(usd, time) }
  }

  inEtn(usd: bigint, time: number): bigint {
    return (usd * ONE * SCALE) / this.rates.scaled(time)
  }
}

/** A segment that has a price. */
export type Source = Exclude<Segment, { kind: 'none' }>

function usdOf(segment: Exclude<Source, { kind: 'computed' }>, time: number): bigint {
  if (segment.kind === 'fixed') return segment.usd
  return segment.kind === 'ramp' ? rampAt(segment, time) : rowPriceAt(segment.row, time)
}

/** A minute of a row: its prices and its part of the trades. */
interface RowMinute {
  time: number
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  count: number
  volume: number
}

/** The price inside a row: straight lines from its open to its low and its high, and to its close. */
function rowPriceAt(row: Row, time: number): bigint {
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
  const minutes = Math.ceil(exact)
  const first = Math.max(0, Math.floor((from - row.from) / 60))
  const last = Math.min(minutes - 1, Math.floor((until - row.from) / 60))
  const knots = knotsOf(row)
  const doneBy = (minute: number) => Math.floor((row.count * Math.min(minute, exact)) / exact)
  const found: RowMinute[] = []
  for (let i = first; i <= last; i++) {
    const time = row.from + i * 60
    const ends = knots.filter(({ at }) => at >= time && at <= time + 60).map(({ price }) => price)
    const [open, close] = [rowPriceAt(row, time), rowPriceAt(row, Math.min(time + 60, row.until))]
    const all = [open, close, ...ends]
    const count = doneBy(i + 1) - doneBy(i)
    found.push({
      time,
      open,
      close,
      high: all.reduce((a, b) => (a > b ? a : b)),
      low: all.reduce((a, b) => (a < b ? a : b)),
      count,
      volume: row.count === 0 ? 0 : (row.volume * count) / row.count,
    })
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
