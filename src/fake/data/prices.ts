import type { Currency } from '../rules/routes.ts'
import { fixedPoint, ONE, toDecimal } from './decimal.ts'
import { Market, SLOT_SECONDS, TICKS } from './market.ts'
import { hash, smoothNoise } from './random.ts'
import { ALWAYS, constant, lineAt, rowPriceAt, type Segment, type Source, Timeline, usualSegment } from './timeline.ts'
import type { WorldToken } from './tokens.ts'

// What makes a price at a moment:
// 1. The timeline of the token says where the price comes from: what the user has set (`line`, `row`, `none`), or `computed`.
// 2. A set price is in USD. A computed one is the level of the token's market at that moment, times its base price, in its anchor currency.
// 3. The price of ETN converts it to the other currency. It has a timeline too; computed, it changes every 15 minutes.

/** A price in both currencies, as fixed point. */
export interface Quote {
  usd: bigint
  etn: bigint
}

/** The last price of a token that was written out, and what it was made of; `level` is the time where the price is set. */
interface Spot {
  segment: Segment
  level: number
  rate: bigint
  price: { usd: string; etn: string } | undefined
}

/** The changed timelines by the key of their token; under that of WETN, the price of ETN. It is replaced and never changed, so that snapshots share it. */
export type Changes = ReadonlyMap<string, Timeline>

const COMPUTED = new Timeline([{ kind: 'computed', from: ALWAYS }])

/** Cached levels of the price of ETN: two years of 15-minute periods. */
const MAX_LEVELS = 70_000
const SCALE = BigInt(TICKS)

export class Prices {
  changes: Changes = new Map()
  readonly #seed: number
  readonly #wetn: WorldToken
  readonly #usdc: WorldToken
  readonly #etnNoise: number
  readonly #etnBase: bigint
  readonly #etnBaseNumber: number
  readonly #etnLevels = new Map<number, number>()
  readonly #markets = new WeakMap<WorldToken, Market>()
  readonly #usual = new WeakMap<WorldToken, Timeline>()
  readonly #spots = new WeakMap<WorldToken, Spot>()

  constructor(seed: number, { wetn, usdc }: { wetn: WorldToken; usdc: WorldToken }) {
    this.#seed = seed
    this.#wetn = wetn
    this.#usdc = usdc
    this.#etnNoise = hash(seed, 20)
    this.#etnBase = fixedPoint(`0.0022${hash(this.#etnNoise, 1)}${hash(this.#etnNoise, 2)}`)
    this.#etnBaseNumber = Number(toDecimal(this.#etnBase))
  }

  isWetn(token: WorldToken): boolean {
    return token.key === this.#wetn.key
  }

  timelineOf(token: WorldToken): Timeline {
    if (this.isWetn(token)) return COMPUTED
    const { key, launchedAt = ALWAYS } = token
    return (
      this.changes.get(key) ??
      kept(this.#usual, token, () => {
        const usual = usualSegment(token, launchedAt)
        return new Timeline(launchedAt === ALWAYS ? [usual] : [{ kind: 'none', from: ALWAYS }, usual])
      })
    )
  }

  etnTimeline(): Timeline {
    const { fixedUsd } = this.#wetn
    return (
      this.changes.get(this.#wetn.key) ??
      (fixedUsd === undefined ? COMPUTED : new Timeline([constant(fixedUsd, ALWAYS)]))
    )
  }

  /** Changes the timeline of a token, for WETN that of the price of ETN. */
  change(token: WorldToken, next: (timeline: Timeline) => Timeline): void {
    const timeline = this.isWetn(token) ? this.etnTimeline() : this.timelineOf(token)
    this.changes = new Map(this.changes).set(token.key, next(timeline))
  }

  /** For a clock that is set back: the prices of a moment go on at an earlier one. */
  setBack(from: number, to: number): void {
    this.changes = new Map(Array.from(this.changes, ([key, timeline]) => [key, timeline.setBack(from, to)]))
  }

  /** The computed market of a token. The trades of WETN are those of USDC. */
  market(token: WorldToken): Market {
    const isWetn = this.isWetn(token)
    return kept(this.#markets, token, () => new Market(this.#seed, isWetn ? this.#usdc : token, isWetn ? 0 : 1))
  }

  quote(token: WorldToken, time: number): Quote | undefined {
    const segment = this.timelineOf(token).at(time)
    return this.ofSegment(token, segment, time, segment.kind === 'computed' ? this.market(token).priceAt(time) : 0)
  }

  spot(token: WorldToken, time: number): { usd: string; etn: string } | undefined {
    const segment = this.timelineOf(token).at(time)
    const level = segment.kind === 'computed' ? this.market(token).priceAt(time) : time
    const rate = this.#etnScaled(time)
    const known = this.#spots.get(token)
    if (known?.segment === segment && known.level === level && known.rate === rate) return known.price
    const found = this.ofSegment(token, segment, time, level)
    const price = found && { usd: toDecimal(found.usd), etn: toDecimal(found.etn) }
    this.#spots.set(token, { segment, level, rate, price })
    return price
  }

  /** The price of a segment at a moment; `level` is the level of the computed market. */
  ofSegment(token: WorldToken, segment: Segment, time: number, level: number): Quote | undefined {
    if (segment.kind === 'none') return undefined
    const priceIn = (currency: Currency) => this.of(token, segment, time, level, currency)
    return { usd: priceIn('USD'), etn: priceIn('ETN') }
  }

  of(token: WorldToken, segment: Source, time: number, level: number, currency: Currency): bigint {
    if (segment.kind !== 'computed') {
      const usd = segment.kind === 'line' ? lineAt(segment, time) : rowPriceAt(segment.row, time)
      return currency === 'USD' ? usd : this.inEtn(usd, time)
    }
    const inAnchor = token.base * BigInt(level)
    if (token.anchor === currency) return inAnchor / SCALE
    const rate = this.#etnScaled(time)
    return token.anchor === 'USD' ? (inAnchor * ONE) / rate : (inAnchor * rate) / (SCALE * SCALE * ONE)
  }

  inEtn(usd: bigint, time: number): bigint {
    return (usd * ONE * SCALE) / this.#etnScaled(time)
  }

  /** USD for one ETN, as fixed point. */
  etnUsd(time: number): bigint {
    return this.#etnScaled(time) / SCALE
  }

  /** The same as a double, for volumes. */
  etnUsdNumber(time: number): number {
    if (this.etnTimeline().at(time).kind !== 'computed') return Number(this.etnUsd(time)) / Number(ONE)
    return (this.#etnBaseNumber * this.#etnLevel(time)) / TICKS
  }

  /** USD for one ETN as fixed point, times `TICKS`: exact. */
  #etnScaled(time: number): bigint {
    const segment = this.etnTimeline().at(time)
    return segment.kind === 'line' ? lineAt(segment, time) * SCALE : this.#etnBase * BigInt(this.#etnLevel(time))
  }

  #etnLevel(time: number): number {
    const slot = Math.floor(time / SLOT_SECONDS)
    const known = this.#etnLevels.get(slot)
    if (known !== undefined) return known
    if (this.#etnLevels.size > MAX_LEVELS) this.#etnLevels.clear()
    const noise = (period: number) => smoothNoise(this.#etnNoise, slot, period)
    const slow = 0.22 * noise(96 * 41) + 0.09 * noise(96 * 9)
    const level = Math.floor(TICKS * (1 + slow + (0.04 * noise(96) + 0.012 * noise(8))))
    this.#etnLevels.set(slot, level)
    return level
  }
}

/** What was made of a token before, as long as the token is used. */
export function kept<T>(known: WeakMap<WorldToken, T>, token: WorldToken, make: () => T): T {
  const found = known.get(token)
  if (found) return found
  const made = make()
  known.set(token, made)
  return made
}
