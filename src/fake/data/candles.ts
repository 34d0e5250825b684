import type { Bucket, Currency, Duration } from '../rules/parse-query.ts'
import { type CandleRange, type FakeCandle, secondsOf } from './candle.ts'
import { changedCandles } from './changed-candles.ts'
import { computedCandles } from './computed-candles.ts'
import { dayOf } from './market.ts'
import { DAY_SECONDS } from './price-events.ts'
import type { Prices } from './prices.ts'
import type { WorldToken } from './tokens.ts'

/** The bucket and the length of each history window. */
const WINDOWS: Record<Duration, { bucket: Bucket; seconds: number }> = {
  HOUR: { bucket: '1m', seconds: 3_600 },
  DAY: { bucket: '15m', seconds: 86_400 },
  WEEK: { bucket: '1h', seconds: 7 * 86_400 },
  MONTH: { bucket: '4h', seconds: 30 * 86_400 },
  YEAR: { bucket: '1d', seconds: 365 * 86_400 },
}

/** Number of days that are searched for candles. */
const MAX_DAYS = 1_000
/** Cached days of candles; past ones do not change. */
const MAX_CACHED_DAYS = 20_000
/** Buckets whose days are cached. */
const CACHED: readonly Bucket[] = ['1d', '4h', '1h']

interface CandleQuery {
  bucket: Bucket
  currency: Currency
  now: number
}

/** The candles of all tokens. */
export interface Candles {
  /** The newest candles of a token, oldest first. Past periods without a trade are omitted, the current one is not. */
  newest(token: WorldToken, query: CandleQuery & { limit: number }): FakeCandle[]
  /** The price over a window that ends now: the opening price of every period, and the last price. */
  history(token: WorldToken, query: { duration: Duration; currency: Currency; now: number }): object
  /** Forgets the cached days, because prices of the past have changed. */
  clear(): void
}

export function createCandles(prices: Prices): Candles {
  /** Days of candles, by token, bucket and currency. */
  const cache = new Map<string, Map<number, FakeCandle[]>>()
  let cached = 0

  function compute(token: WorldToken, range: CandleRange): FakeCandle[] {
    const timeline = prices.timeline(token)
    const isComputed = (from: number, until: number) =>
      timeline.isComputed(from, until) && prices.rates.isComputed(from, until)
    if (isComputed(range.from, range.until)) return computedCandles(prices, token, range)
    // Only the periods that a change touches are computed anew: the others stay as they were.
    const length = secondsOf(range.bucket)
    const candles: FakeCandle[] = []
    let from = range.from
    while (from <= range.until) {
      const isPlain = isComputed(from, from + length - 1)
      let next = from + length
      while (next <= range.until && isComputed(next, next + length - 1) === isPlain) next += length
      const part = { ...range, from, until: Math.min(range.until, next - 1) }
      candles.push(...(isPlain ? computedCandles : changedCandles)(prices, token, part))
      from = next
    }
    return candles
  }

  /** The candles of a day, or of its part from `from` on. */
  function ofDay(token: WorldToken, day: number, query: CandleQuery, from = day * DAY_SECONDS): FakeCandle[] {
    const { bucket, currency, now } = query
    const end = (day + 1) * DAY_SECONDS - 1
    const range = { bucket, currency, from, until: Math.min(now, end), now, includeEmpty: true }
    if (end > now || from > day * DAY_SECONDS) return compute(token, range)
    const days = daysOf(`${token.key} ${bucket} ${currency}`)
    const known = days.get(day)
    if (known) return known
    const made = compute(token, range)
    days.set(day, made)
    cached++
    return made
  }

  function daysOf(series: string): Map<number, FakeCandle[]> {
    if (cached >= MAX_CACHED_DAYS) clear()
    const days = cache.get(series) ?? new Map<number, FakeCandle[]>()
    cache.set(series, days)
    return days
  }

  function clear(): void {
    cache.clear()
    cached = 0
  }

  function uncached(token: WorldToken, { bucket, currency, now }: CandleQuery, day: number): FakeCandle[] {
    const until = Math.min(now, (day + 1) * DAY_SECONDS - 1)
    return compute(token, { bucket, currency, from: day * DAY_SECONDS, until, now, includeEmpty: false })
  }

  /** The moment before which the token has no price. */
  function firstPrice(token: WorldToken): number {
    const first = prices.timeline(token).segments.find(({ kind }) => kind !== 'none')
    return first?.from ?? Number.POSITIVE_INFINITY
  }

  return {
    clear,
    newest(token, query) {
      const { bucket, now, limit } = query
      const isCached = CACHED.includes(bucket)
      const isShown = ({ count, time }: FakeCandle) => count > 0 || now < time + secondsOf(bucket)
      const days: FakeCandle[][] = []
      let found = 0
      const oldest = Math.max(dayOf(now) - MAX_DAYS, dayOf(firstPrice(token)) - 1)
      for (let day = dayOf(now); day > oldest && found < limit; day--) {
        const candles = isCached ? ofDay(token, day, query).filter(isShown) : uncached(token, query, day)
        days.push(candles)
        found += candles.length
      }
      return days.reverse().flat().slice(-limit)
    },
    history(token, { duration, currency, now }) {
      const { bucket, seconds } = WINDOWS[duration]
      const from = Math.ceil((now - seconds) / secondsOf(bucket)) * secondsOf(bucket)
      const candles: FakeCandle[] = []
      for (let day = Math.max(dayOf(from), dayOf(firstPrice(token))); day <= dayOf(now); day++) {
        const start = Math.max(from, day * DAY_SECONDS)
        candles.push(...ofDay(token, day, { bucket, currency, now }, CACHED.includes(bucket) ? undefined : start))
      }
      return summaryOf(
        candles.filter(({ time }) => time >= from),
        now,
        prices.quote(token, now) !== undefined,
      )
    },
  }
}

function summaryOf(candles: FakeCandle[], now: number, hasPrice: boolean) {
  const last = candles.at(-1)
  if (!last) return { prices: [], volume: 0, high: null, low: null }
  const points = candles.map(({ time, open }) => ({ timestamp: time, value: open }))
  if (last.time < now && hasPrice) points.push({ timestamp: now, value: last.close })
  return {
    prices: points,
    volume: candles.reduce((sum, { volume }) => sum + volume, 0),
    high: Math.max(...candles.map(({ high }) => high)),
    low: Math.min(...candles.map(({ low }) => low)),
  }
}
