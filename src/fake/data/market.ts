import { hash, smoothNoise, unit } from './random.ts'
import { divide, type Move, movesOf, type Span, settleExtremes, TICKS } from './span.ts'
import { baseLiquidity, type WorldToken } from './tokens.ts'

/** Lengths of the periods of a day in seconds. Each divides the previous one. */
export const LEVELS = [86_400, 14_400, 3_600, 900, 60] as const
/** Index of the 15-minute level. The price of ETN is constant within 15 minutes. */
export const SLOT_LEVEL = 3
export const SLOT_SECONDS = LEVELS[SLOT_LEVEL]
const MINUTE_LEVEL = LEVELS.length - 1

/** A trade and when it happened, in unix seconds. */
export interface Fill extends Move {
  time: number
}

/** Selects the periods of a level that overlap `from` to `until`. Periods without trades need `includeEmpty`. */
interface View {
  from: number
  until: number
  level: number
  includeEmpty: boolean
}

/** The trades of one token, at any time, as single trades or as periods. */
export interface Market {
  /** Periods, oldest first, each up to `until`. The period of `until` is included even without a trade. */
  periods(view: View): Span[]
  /** Trades from `from` to `until`, both included, oldest first. */
  fills(from: number, until: number): Fill[]
  /** The price level at a moment, after its trades. */
  priceAt(time: number): number
}

export function createMarket(seed: number, token: WorldToken): Market {
  const noise = hash(seed, 10, token.index)
  const noiseOf = (level: number, time: number) => hash(noise, level, Math.floor(time / lengthOf(level)))

  function inside(span: Span, level: number): Span[] {
    const length = lengthOf(level + 1)
    return divide(span, lengthOf(level) / length, length, noiseOf(level, span.time))
  }

  /** The part of a span up to `until`. */
  function untilMoment(span: Span, level: number, until: number): Span {
    if (span.time + lengthOf(level) - 1 <= until) return span
    if (level === MINUTE_LEVEL) return minuteUntil(span, until)
    const [first = span, ...others] = inside(span, level)
      .filter(({ time }) => time <= until)
      .map((part) => untilMoment(part, level + 1, until))
    return joinSpans([first, ...others])
  }

  function minuteUntil(span: Span, until: number): Span {
    const moves = fillsOf(span).filter(({ time }) => time <= until)
    const joined = { ...span, high: span.open, low: span.open, close: moves.at(-1)?.price ?? span.open, volume: 0 }
    for (const { price, volume } of moves) {
      joined.high = Math.max(joined.high, price)
      joined.low = Math.min(joined.low, price)
      joined.volume += volume
    }
    return { ...joined, count: moves.length }
  }

  function fillsOf(minute: Span): Fill[] {
    const moves = movesOf(minute, noiseOf(MINUTE_LEVEL, minute.time))
    return moves.map((move) => ({ ...move, time: minute.time + move.second }))
  }

  /** Descends to a level and skips spans that are out of range or without trades. */
  function collect({ from, until, level: target, includeEmpty }: View): Span[] {
    const found: Span[] = []
    const visit = (span: Span, level: number) => {
      const ends = span.time + lengthOf(level)
      if (span.time > until || ends <= from || (span.count === 0 && !includeEmpty && ends <= until)) return
      if (level === target) found.push(span)
      else for (const part of inside(span, level)) visit(part, level + 1)
    }
    for (let day = dayOf(from); day <= dayOf(until); day++) visit(daySpan(noise, token, day), 0)
    return found
  }

  return {
    periods: (view) => collect(view).map((span) => untilMoment(span, view.level, view.until)),
    fills(from, until) {
      const all = collect({ from, until, level: MINUTE_LEVEL, includeEmpty: false }).flatMap(fillsOf)
      return all.filter(({ time }) => time >= from && time <= until)
    },
    priceAt(time) {
      let span = daySpan(noise, token, dayOf(time))
      for (let level = 0; level < MINUTE_LEVEL; level++) {
        span = inside(span, level)[Math.floor((time - span.time) / lengthOf(level + 1))] ?? span
      }
      return untilMoment(span, MINUTE_LEVEL, time).close
    },
  }
}

export function dayOf(time: number): number {
  return Math.floor(time / LEVELS[0])
}

export function lengthOf(level: number): number {
  return LEVELS[level] ?? 60
}

/** Joins consecutive spans. */
function joinSpans(parts: [Span, ...Span[]]): Span {
  const [first, ...others] = parts
  const joined = { ...first }
  for (const { high, low, count, volume, close } of others) {
    joined.high = Math.max(joined.high, high)
    joined.low = Math.min(joined.low, low)
    joined.close = close
    joined.count += count
    joined.volume += volume
  }
  return joined
}

function daySpan(noise: number, token: WorldToken, day: number): Span {
  const count = Math.max(3, Math.floor(token.activity * (0.5 + unit(noise, 90, day))))
  // A trade moves 0.02 to 1 per cent of the tokens in the pools.
  const size = Math.max(1, baseLiquidity(token) * 0.0002 * (1 + 49 * unit(noise, 91) * unit(noise, 92, day)))
  const open = openingLevel(noise, token, day)
  const close = openingLevel(noise, token, day + 1)
  const swing = token.anchor === 'USD' ? 0.002 : 0.12
  const high = Math.floor(Math.max(open, close) * (1 + swing))
  const low = Math.ceil(Math.min(open, close) * (1 - swing))
  const span = {
    time: day * LEVELS[0],
    open,
    close,
    high,
    low,
    highAt: 0,
    lowAt: 0,
    count,
    volume: Math.floor(count * size * 1e6),
  }
  return settleExtremes(span, { high, low, highAt: 0, lowAt: 0 }, hash(noise, 93, day))
}

/** The price level at the start of a day. */
function openingLevel(noise: number, token: WorldToken, day: number): number {
  const swing = token.anchor === 'USD' ? 0.004 : 1
  const slow = 0.3 * smoothNoise(hash(noise, 94), day, 61) + 0.18 * smoothNoise(hash(noise, 95), day, 13)
  const fast = 0.08 * smoothNoise(hash(noise, 96), day, 4) + 0.04 * smoothNoise(hash(noise, 97), day, 1)
  return Math.floor(TICKS * (1 + swing * (slow + fast)))
}
