import { below, hash, unit } from './random.ts'

/** Price levels are integers, in millionths of the base price. A product of two is exact in a double. */
export const TICKS = 1_000_000

/**
 * A period of one market: `count` trades moved the price from `open` to `close`. `highAt` and `lowAt` are the numbers of
 * the trades with the highest and the lowest price (0 is the opening price).
 */
export interface Span {
  /** Unix seconds. */
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

/** Bounds of the prices of a span. The trade `highAt` (`lowAt`) has exactly that price; with 0 no trade must. */
export interface Bounds {
  high: number
  low: number
  highAt: number
  lowAt: number
}

/** A trade inside a minute. */
export interface Move {
  /** Second of the minute, 1 to 59: a price at the full minute is the one before its trades. */
  second: number
  price: number
  volume: number
}

/**
 * Divides a span into `parts` consistent spans of equal length: the first has its open, the last its close, its high and
 * low occur in one of them, trades and volume add up. So the candle of a day is computed without its minutes, and the
 * minutes always agree with it.
 */
export function divide(span: Span, parts: number, length: number, noise: number): Span[] {
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
    children.push(settleExtremes(child, child, hash(noise, 4, i)))
    before += count
    open = close
  }
  return children
}

function inside(at: number, count: number): number {
  return at > 0 && at < count ? at : 0
}

/** The trades of a minute. */
export function movesOf(minute: Span, noise: number): Move[] {
  const volumes = shareVolume(minute, new Array<number>(minute.count).fill(1), hash(noise, 2))
  return volumes.map((volume, i) => {
    const second = 1 + Math.floor(((i + unit(noise, 5, i)) * 59) / minute.count)
    return { second, price: priceAfter(minute, i + 1, hash(noise, 3, i)), volume }
  })
}

/** The price after the first `done` trades of a span. */
function priceAfter(span: Span, done: number, noise: number): number {
  if (done === span.count) return span.close
  if (done === span.highAt) return span.high
  if (done === span.lowAt) return span.low
  const straight = span.open + ((span.close - span.open) * done) / span.count
  const wiggle = (unit(noise) - 0.5) * 0.6 * (span.high - span.low)
  return Math.min(span.high, Math.max(span.low, Math.floor(straight + wiggle)))
}

/** Chooses the high and the low of a span within bounds, and their trades. */
export function settleExtremes(span: Span, bounds: Bounds, noise: number): Span {
  const { high: ceiling, low: floor, highAt: mustHigh, lowAt: mustLow } = bounds
  const top = Math.max(span.open, span.close)
  const bottom = Math.min(span.open, span.close)
  const interior = span.count - 1
  span.high = mustHigh > 0 ? ceiling : top
  span.low = mustLow > 0 ? floor : bottom
  span.highAt = mustHigh > 0 ? mustHigh : top === span.open ? 0 : span.count
  span.lowAt = mustLow > 0 ? mustLow : bottom === span.open ? 0 : span.count
  if (mustHigh === 0) {
    const high = top + Math.floor((ceiling - top) * 0.5 * unit(noise, 1))
    const at = freeTrade(interior, mustLow, hash(noise, 2))
    if (high > top && at > 0) {
      span.high = high
      span.highAt = at
    }
  }
  if (mustLow === 0) {
    const low = bottom - Math.floor((bottom - floor) * 0.5 * unit(noise, 3))
    const at = freeTrade(interior, inside(span.highAt, span.count), hash(noise, 4))
    if (low < bottom && at > 0) {
      span.low = low
      span.lowAt = at
    }
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
  let sum = 0
  for (let i = 0; i < parts; i++) sum += weightOf(noise, i)
  const phase = unit(noise, parts)
  let weight = 0
  let before = 0
  for (let i = 0; i < parts; i++) {
    weight += weightOf(noise, i)
    const upTo = i === parts - 1 ? total : Math.min(total, Math.floor((total * weight) / sum + phase))
    shares[i] = upTo - before
    before = upTo
  }
  return shares
}

function weightOf(noise: number, part: number): number {
  const u = unit(noise, part)
  return 0.15 + u * u
}

/** Distributes the volume by trades, at least one unit per trade. */
function shareVolume(span: Span, counts: number[], noise: number): number[] {
  const spare = span.volume - span.count
  const shares: number[] = []
  let sum = 0
  for (let i = 0; i < counts.length; i++) sum += volumeWeightOf(counts[i] ?? 0, noise, i)
  let weight = 0
  let before = 0
  let left = span.count
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? 0
    weight += volumeWeightOf(count, noise, i)
    left -= count
    const upTo = count === 0 ? before : left === 0 ? spare : Math.floor(spare * (weight / sum))
    shares.push(upTo - before + count)
    before = upTo
  }
  return shares
}

function volumeWeightOf(count: number, noise: number, part: number): number {
  return count === 0 ? 0 : count * (0.25 + 1.5 * unit(noise, part))
}
