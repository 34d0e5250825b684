import type { Bucket, Currency, Duration } from '../check.ts'
import { toDecimal } from './decimal.ts'
import { dayOf, LEVELS, lengthOf, SLOT_LEVEL } from './market.ts'
import { isConverted, type Prices } from './prices.ts'
import type { Span } from './span.ts'
import type { WorldToken } from './tokens.ts'

/** A candle as the service returns it. */
export interface Candle {
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  count: number
}

const LEVEL_OF: Record<Bucket, number> = { '1d': 0, '4h': 1, '1h': 2, '15m': SLOT_LEVEL, '1m': 4 }

/** What a window of the history is made of: so many buckets of that length. */
const WINDOWS: Record<Duration, { bucket: Bucket; seconds: number }> = {
  HOUR: { bucket: '1m', seconds: 3_600 },
  DAY: { bucket: '15m', seconds: 86_400 },
  WEEK: { bucket: '1h', seconds: 7 * 86_400 },
  MONTH: { bucket: '4h', seconds: 30 * 86_400 },
  YEAR: { bucket: '1d', seconds: 365 * 86_400 },
}

/** How far back it looks for enough candles of a token that rarely trades. */
const MOST_DAYS = 1_000

/** The newest candles of a token, oldest first. Past periods without a trade are left out; the current one never is. */
export function newestCandles(prices: Prices, token: WorldToken, ask: Ask & { limit: number }): Candle[] {
  if (token.anchor === null) return []
  const today = dayOf(ask.now)
  let found: Group[] = []
  for (let day = today; day > today - MOST_DAYS && found.length < ask.limit; day--) {
    const range = { from: day * LEVELS[0], until: Math.min(ask.now, (day + 1) * LEVELS[0] - 1) }
    const groups = groupsOf(prices, token, ask, { ...range, quiet: false })
    found = [...groups.filter((one) => one.count > 0 || holds(one, ask)), ...found]
  }
  return found.slice(-ask.limit).map((group) => toCandle(prices, token, group, ask.currency))
}

/** The price over a window looking back from now: every period's opening price, and the last price at the end. */
export function priceHistory(
  prices: Prices,
  token: WorldToken,
  ask: { duration: Duration; currency: Currency; now: number },
) {
  const { bucket, seconds } = WINDOWS[ask.duration]
  if (token.anchor === null) return { prices: [], volume: 0, high: null, low: null }
  const length = lengthOf(LEVEL_OF[bucket])
  const from = Math.ceil((ask.now - seconds) / length) * length
  const groups = groupsOf(prices, token, { ...ask, bucket }, { from, until: ask.now, quiet: true })
  const candles = groups.map((group) => toCandle(prices, token, group, ask.currency))
  const points = candles.map(({ time, open }) => ({ timestamp: time, value: open }))
  const last = candles.at(-1)
  if (last && last.time < ask.now) points.push({ timestamp: ask.now, value: last.close })
  return {
    prices: points,
    volume: candles.reduce((sum, { volume }) => sum + volume, 0),
    high: Math.max(...candles.map(({ high }) => high)),
    low: Math.min(...candles.map(({ low }) => low)),
  }
}

interface Ask {
  bucket: Bucket
  currency: Currency
  now: number
}

/** A price level and the moment that decides what it is worth in the other currency. */
type Point = { ticks: number; time: number; rank: number }

interface Group {
  time: number
  open: Point
  high: Point
  low: Point
  close: Point
  volume: number
  count: number
}

function holds({ time }: Group, { bucket, now }: Ask): boolean {
  return now < time + lengthOf(LEVEL_OF[bucket])
}

interface Range {
  from: number
  until: number
  quiet: boolean
}

function groupsOf(prices: Prices, token: WorldToken, { bucket, currency }: Ask, range: Range): Group[] {
  const level = LEVEL_OF[bucket]
  const length = lengthOf(level)
  // The price of ETN moves every quarter of an hour, trade or no trade: what is converted by it is looked at that closely.
  const byQuarter = (currency === 'USD' || isConverted(token, currency)) && level < SLOT_LEVEL
  const groups: Group[] = []
  const zoom = byQuarter ? { ...range, level: SLOT_LEVEL, quiet: true } : { ...range, level }
  for (const period of prices.market(token).periods(zoom)) {
    const next = groupOf(prices, token, period, currency)
    const current = groups.at(-1)
    if (current && period.time < current.time + length) extend(current, next)
    else groups.push(next)
  }
  return groups
}

function groupOf(prices: Prices, token: WorldToken, period: Span, currency: Currency): Group {
  const point = (ticks: number) => ({
    ticks,
    time: period.time,
    rank: prices.rank(token, ticks, period.time, currency),
  })
  const etn = period.volume / 1e6
  const worth = currency === 'ETN' ? etn : etn * prices.etnUsdNumber(period.time)
  const { time, count } = period
  return {
    time,
    count,
    volume: worth,
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

function toCandle(prices: Prices, token: WorldToken, group: Group, currency: Currency): Candle {
  const price = ({ ticks, time }: Point) => Number(toDecimal(prices.quote(token, ticks, time, currency)))
  const { time, volume, count } = group
  return {
    time,
    open: price(group.open),
    high: price(group.high),
    low: price(group.low),
    close: price(group.close),
    volume,
    count,
  }
}
