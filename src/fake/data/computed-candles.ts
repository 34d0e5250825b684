import type { Currency } from '../rules/parse-query.ts'
import { type CandleRange, type FakeCandle, levelOf, secondsOf } from './candle.ts'
import { toDecimal } from './decimal.ts'
import { SLOT_LEVEL } from './market.ts'
import { isConverted, type Prices } from './prices.ts'
import type { Span } from './span.ts'
import type { WorldToken } from './tokens.ts'

/** A price level and the moment that determines its value in the other currency. */
type Point = { level: number; time: number; rank: number }

interface Group {
  time: number
  open: Point
  high: Point
  low: Point
  close: Point
  volume: number
  count: number
}

/** Candles of a range in which every price is computed, oldest first. */
export function computedCandles(prices: Prices, token: WorldToken, range: CandleRange): FakeCandle[] {
  const { bucket, currency, from, until, now, includeEmpty } = range
  const level = levelOf(bucket)
  const length = secondsOf(bucket)
  // The price of ETN changes every 15 minutes even without trades, so converted prices are computed per 15 minutes.
  const bySlot = (currency === 'USD' || isConverted(token, currency)) && level < SLOT_LEVEL
  const view = { from, until, level: bySlot ? SLOT_LEVEL : level, includeEmpty: bySlot || includeEmpty }
  const groups: Group[] = []
  for (const period of prices.market(token).periods(view)) {
    const next = groupOf(prices, token, period, currency)
    const current = groups.at(-1)
    if (current && period.time < current.time + length) extend(current, next)
    else groups.push(next)
  }
  const isShown = ({ count, time }: Group) => includeEmpty || count > 0 || now < time + length
  return groups.filter(isShown).map((group) => toCandle(prices, token, group, currency))
}

function groupOf(prices: Prices, token: WorldToken, period: Span, currency: Currency): Group {
  const { time, count } = period
  const point = (level: number) => ({ level, time, rank: prices.rank(token, level, time, currency) })
  const inEtn = period.volume / 1e6
  return {
    time,
    count,
    volume: currency === 'ETN' ? inEtn : inEtn * prices.rates.number(time),
    open: point(period.open),
    high: point(period.high),
    low: point(period.low),
    close: point(period.close),
  }
}

function extend(group: Group, next: Group): void {
  if (next.high.rank > group.high.rank) group.high = next.high
  if (next.low.rank < group.low.rank) group.low = next.low
  group.close = next.close
  group.count += next.count
  group.volume += next.volume
}

function toCandle(prices: Prices, token: WorldToken, group: Group, currency: Currency): FakeCandle {
  const price = ({ level, time }: Point) => Number(toDecimal(prices.ofLevel(token, level, time, currency)))
  const { time, volume, count, open, high, low, close } = group
  return { time, open: price(open), high: price(high), low: price(low), close: price(close), volume, count }
}
