import { below, hash, smoothNoise, unit } from './random.ts'
import { baseLiquidity, type WorldToken } from './tokens.ts'

/** Lengths of the periods of a day in seconds. Each divides the previous one. */
export const LEVELS = [86_400, 14_400, 3_600, 900, 60] as const
/** Index of the 15-minute level. The price of ETN is constant within 15 minutes. */
export const SLOT_LEVEL = 3
export const SLOT_SECONDS = LEVELS[SLOT_LEVEL]
const MINUTE_LEVEL = LEVELS.length - 1

/** Price levels are integers, in millionths of the base price. A product of two is exact in a double. */
export const TICKS = 1_000_000

/** A period of one market. `highAt` and `lowAt` number its trades with the highest and the lowest price; 0 is the opening price. */
export interface Span {
  time: number
  open: number
  close: number
  high: number
  low: number
  highAt: number
  lowAt: number
  count: number
  /** Millionths of an ETN. */
  volume: number
}

/** A trade. It is never at a full minute: the price there is the one before the trades of the minute. */
export interface Fill {
  time: number
  price: number
  volume: number
}

/** Periods of a level after `from` and up to `until`, cut at both ends; those without trades need `includeEmpty`. */
interface View {
  from: number
  until: number
  level: number
  includeEmpty: boolean
}

/** The computed trades of a token, at any time, as single trades or as periods: any part is computed from the seed. Only 15 minutes are kept. */
export class Market {
  readonly #noise: number
  readonly #token: WorldToken
  readonly #volatility: number
  /** The minutes of the 15 minutes that were asked for last. */
  #slot: { time: number; minutes: Span[] } | undefined

  /** @param volatility 0 gives all trades the base price, as those of WETN have it */
  constructor(seed: number, token: WorldToken, volatility: 0 | 1 = 1) {
    this.#noise = hash(seed, 10, token.index)
    this.#token = token
    this.#volatility = volatility
  }

  periods(view: View): Span[] {
    return this.#collect(view).map((span) => this.#cut(span, view.level, view.from, view.until))
  }

  fills(from: number, until: number): Fill[] {
    const minutes = this.#collect({ from, until, level: MINUTE_LEVEL, includeEmpty: false })
    return minutes.flatMap((one) => this.#fillsOf(one)).filter(({ time }) => time >= from && time <= until)
  }

  priceAt(time: number): number {
    const start = time - (time % SLOT_SECONDS)
    if (this.#slot?.time !== start) {
      const view = { from: start, until: start + SLOT_SECONDS - 1, level: MINUTE_LEVEL, includeEmpty: true }
      this.#slot = { time: start, minutes: this.#collect(view) }
    }
    const minute = this.#slot.minutes[Math.floor((time - start) / lengthOf(MINUTE_LEVEL))]
    if (!minute?.count) return minute?.open ?? 0
    return (
      this.#fillsOf(minute)
        .filter((fill) => fill.time <= time)
        .at(-1)?.price ?? minute.open
    )
  }

  /** Descends to a level and skips spans that are out of range or without trades. */
  #collect({ from, until, level: target, includeEmpty }: View): Span[] {
    const found: Span[] = []
    const visit = (span: Span, level: number) => {
      const ends = span.time + lengthOf(level)
      if (span.time > until || ends <= from || (span.count === 0 && !includeEmpty && ends <= until)) return
      if (level === target) found.push(span)
      else for (const part of this.#inside(span, level)) visit(part, level + 1)
    }
    for (let day = dayOf(from); day <= dayOf(until); day++)
      visit(daySpan(this.#noise, this.#token, this.#volatility, day), 0)
    return found
  }

  /** The part of a span after `from` and up to `until`, joined from its parts: only those at an end are divided further. */
  #cut(span: Span, level: number, from: number, until: number): Span {
    const ends = span.time + lengthOf(level) - 1
    if (from <= span.time && ends <= until) return span
    const time = Math.max(span.time, from)
    const open = time === span.time ? span.open : this.priceAt(time)
    const cut = { ...span, time, open, high: open, low: open, close: open, count: 0, volume: 0 }
    const parts =
      level === MINUTE_LEVEL
        ? this.fills(time + 1, Math.min(until, ends)).map((fill) => {
            const { price, volume } = fill
            return { high: price, low: price, close: price, count: 1, volume }
          })
        : this.#inside(span, level)
            .filter((part) => part.time <= until && part.time + lengthOf(level + 1) > from)
            .map((part) => this.#cut(part, level + 1, from, until))
    for (const { high, low, close, count, volume } of parts) {
      cut.high = Math.max(cut.high, high)
      cut.low = Math.min(cut.low, low)
      cut.close = close
      cut.count += count
      cut.volume += volume
    }
    return cut
  }

  #fillsOf(minute: Span): Fill[] {
    return fillsOf(minute, this.#noiseOf(MINUTE_LEVEL, minute.time))
  }

  #inside(span: Span, level: number): Span[] {
    const length = lengthOf(level + 1)
    return divide(span, lengthOf(level) / length, length, this.#noiseOf(level, span.time))
  }

  #noiseOf(level: number, time: number): number {
    return hash(this.#noise, level, Math.floor(time / lengthOf(level)))
  }
}

export function dayOf(time: number): number {
  return Math.floor(time / LEVELS[0])
}

function lengthOf(level: number): number {
  return LEVELS[level] ?? 60
}

function daySpan(noise: number, token: WorldToken, volatility: number, day: number): Span {
  const count = Math.max(3, Math.floor(token.activity * (0.5 + unit(noise, 90, day))))
  // A trade moves 0.02 to 1 per cent of the tokens in the pools.
  const size = Math.max(1, baseLiquidity(token) * 0.0002 * (1 + 49 * unit(noise, 91) * unit(noise, 92, day)))
  const open = openingLevel(noise, token, volatility, day)
  const close = openingLevel(noise, token, volatility, day + 1)
  const swing = volatility * (token.anchor === 'USD' ? 0.002 : 0.12)
  const high = Math.floor(Math.max(open, close) * (1 + swing))
  const low = Math.ceil(Math.min(open, close) * (1 - swing))
  const [time, volume] = [day * LEVELS[0], Math.floor(count * size * 1e6)]
  return settleExtremes({ time, open, close, high, low, highAt: 0, lowAt: 0, count, volume }, hash(noise, 93, day))
}

function openingLevel(noise: number, token: WorldToken, volatility: number, day: number): number {
  const swing = volatility * (token.anchor === 'USD' ? 0.004 : 1)
  const slow = 0.3 * smoothNoise(hash(noise, 94), day, 61) + 0.18 * smoothNoise(hash(noise, 95), day, 13)
  const fast = 0.08 * smoothNoise(hash(noise, 96), day, 4) + 0.04 * smoothNoise(hash(noise, 97), day, 1)
  return Math.floor(TICKS * (1 + swing * (slow + fast)))
}

/**
 * Divides a span into `parts` consistent spans of equal length: the first has its open, the last its close, its high and
 * low occur in one of them, trades and volume add up. So the candle of a day is computed without its minutes, and the
 * minutes always agree with it.
 */
function divide(span: Span, parts: number, length: number, noise: number): Span[] {
  const counts = share(span.count, parts, hash(noise, 1))
  const volumes = shareVolume(span, counts, hash(noise, 2))
  const children: Span[] = []
  let before = 0
  let open = span.open
  for (let i = 0; i < parts; i++) {
    const time = span.time + i * length
    const count = counts[i] ?? 0
    if (count === 0) {
      children.push({ time, open, close: open, high: open, low: open, highAt: 0, lowAt: 0, count, volume: 0 })
      continue
    }
    const close = priceAfter(span, before + count, hash(noise, 3, i))
    const highAt = inside(span.highAt - before, count)
    const lowAt = inside(span.lowAt - before, count)
    const child = { time, open, close, high: span.high, low: span.low, highAt, lowAt, count, volume: volumes[i] ?? 0 }
    children.push(settleExtremes(child, hash(noise, 4, i)))
    before += count
    open = close
  }
  return children
}

function inside(at: number, count: number): number {
  return at > 0 && at < count ? at : 0
}

function fillsOf(minute: Span, noise: number): Fill[] {
  const volumes = shareVolume(minute, new Array<number>(minute.count).fill(1), hash(noise, 2))
  return volumes.map((volume, i) => {
    const second = 1 + Math.floor(((i + unit(noise, 5, i)) * 59) / minute.count)
    return { time: minute.time + second, price: priceAfter(minute, i + 1, hash(noise, 3, i)), volume }
  })
}

function priceAfter(span: Span, done: number, noise: number): number {
  if (done === span.count) return span.close
  if (done === span.highAt) return span.high
  if (done === span.lowAt) return span.low
  const straight = span.open + ((span.close - span.open) * done) / span.count
  const wiggle = (unit(noise) - 0.5) * 0.6 * (span.high - span.low)
  return Math.min(span.high, Math.max(span.low, Math.floor(straight + wiggle)))
}

/** Chooses the high and the low of a span within those that it has, and their trades: a trade `highAt` (`lowAt`) above 0 keeps its price. */
function settleExtremes(span: Span, noise: number): Span {
  const { high: ceiling, low: floor, highAt: mustHigh, lowAt: mustLow } = span
  const top = Math.max(span.open, span.close)
  const bottom = Math.min(span.open, span.close)
  span.high = mustHigh > 0 ? ceiling : top
  span.low = mustLow > 0 ? floor : bottom
  span.highAt = mustHigh > 0 ? mustHigh : top === span.open ? 0 : span.count
  span.lowAt = mustLow > 0 ? mustLow : bottom === span.open ? 0 : span.count
  if (mustHigh === 0) {
    const high = top + Math.floor((ceiling - top) * 0.5 * unit(noise, 1))
    const at = freeTrade(span.count - 1, mustLow, hash(noise, 2))
    if (high > top && at > 0) Object.assign(span, { high, highAt: at })
  }
  if (mustLow === 0) {
    const low = bottom - Math.floor((bottom - floor) * 0.5 * unit(noise, 3))
    const at = freeTrade(span.count - 1, inside(span.highAt, span.count), hash(noise, 4))
    if (low < bottom && at > 0) Object.assign(span, { low, lowAt: at })
  }
  return span
}

/** One of the trades 1 to `interior` except `taken`; 0 if there is none. */
function freeTrade(interior: number, taken: number, noise: number): number {
  const choices = interior - (taken > 0 ? 1 : 0)
  if (choices < 1) return 0
  const at = 1 + below(choices, noise)
  return taken > 0 && at >= taken ? at + 1 : at
}

/** Distributes `total` trades over `parts`, unevenly like real trades. */
function share(total: number, parts: number, noise: number): number[] {
  const shares = new Array<number>(parts).fill(0)
  if (total === 0) return shares
  const weights = shares.map((_, i) => 0.15 + unit(noise, i) * unit(noise, i))
  const sum = weights.reduce((a, b) => a + b, 0)
  const phase = unit(noise, parts)
  let weight = 0
  let before = 0
  for (let i = 0; i < parts; i++) {
    weight += weights[i] ?? 0
    const upTo = i === parts - 1 ? total : Math.min(total, Math.floor((total * weight) / sum + phase))
    shares[i] = upTo - before
    before = upTo
  }
  return shares
}

/** Distributes the volume by trades, at least one unit per trade. */
function shareVolume(span: Span, counts: number[], noise: number): number[] {
  const spare = span.volume - span.count
  const weights = counts.map((count, i) => (count === 0 ? 0 : count * (0.25 + 1.5 * unit(noise, i))))
  const sum = weights.reduce((a, b) => a + b, 0)
  let weight = 0
  let before = 0
  let left = span.count
  return counts.map((count, i) => {
    weight += weights[i] ?? 0
    left -= count
    const upTo = count === 0 ? before : left === 0 ? spare : Math.floor(spare * (weight / sum))
    const volume = upTo - before + count
    before = upTo
    return volume
  })
}
