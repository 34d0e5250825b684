import type { Bucket, Currency, Duration } from '../rules/routes.ts'
import { ONE, toDecimal } from './decimal.ts'
import { dayOf, LEVELS, SLOT_LEVEL, SLOT_SECONDS } from './market.ts'
import type { Changes, Prices } from './prices.ts'
import { isMoving, type Piece, type PriceRange, type Row, rowMinutes, type Segment, type Source } from './timeline.ts'
import type { WorldToken } from './tokens.ts'

/** A candle as the service returns it. */
export interface FakeCandle {
  /** Start of the period, unix seconds. */
  time: number
  /** First price. */
  open: number
  /** Highest price. */
  high: number
  /** Lowest price. */
  low: number
  /** Last price. */
  close: number
  /** Value of the trades. */
  volume: number
  /** Number of trades. */
  count: number
}

const LEVEL_OF: Record<Bucket, number> = { '1d': 0, '4h': 1, '1h': 2, '15m': SLOT_LEVEL, '1m': 4 }

export function secondsOf(bucket: Bucket): number {
  return LEVELS[LEVEL_OF[bucket]] ?? 60
}

interface CandleQuery {
  bucket: Bucket
  currency: Currency
  /** Unix seconds. */
  now: number
}

/** Selects candles: the periods of a bucket from `from` (the start of one) to the one of `until`, at most `now`. Unix seconds. */
type Range = CandleQuery & { from: number; until: number; includeEmpty: boolean }

/** What happened to a price within a period; `time` lies in the period. */
interface Bar extends PriceRange {
  time: number
  row?: Row
}

/**
 * Makes the candles of a range, oldest first. The range is divided where the source of the price changes, of the token or of ETN; the bars that
 * each source gives are joined in the period in which they lie. So a change leaves the candles of other periods as they were.
 */
function makeCandles(prices: Prices, token: WorldToken, range: Range): FakeCandle[] {
  const { bucket, currency, from, until, includeEmpty, now } = range
  const length = secondsOf(bucket)
  const isInUsd = currency === 'USD'
  const market = prices.market(token)
  const timeline = prices.timelineOf(token)
  const pieces = timeline.pieces(from, until)
  const added = timeline.trades.filter(({ time }) => time >= from && time <= until)
  const rates = pieces.some(({ segment }) => needsRates(segment)) ? prices.etnTimeline().pieces(from, until) : []
  // Where the source changes within a period, the price counts there without a trade too.
  const isDivided = pieces.length > 1 || rates.length > 1 || added.length > 0
  const bars = new Map<number, Bar>()
  for (const bar of pieces.flatMap(barsOf)) join(bar)
  for (const { time, price: usdPrice, usd } of added) {
    const price = isInUsd ? usdPrice : prices.inEtn(usdPrice, time)
    const volume = Number(usd) / Number(ONE) / (isInUsd ? 1 : prices.etnUsdNumber(time))
    // The price goes on from where it was.
    join({ ...barAt(time, price, 1, volume), close: bars.get(startOf(time, length))?.close ?? price })
  }
  return [...bars.values()]
    .filter(({ time, count }) => includeEmpty || count > 0 || now < time + length)
    .sort((a, b) => a.time - b.time)
    .map(toCandle)

  function join(bar: Bar): void {
    const time = startOf(bar.time, length)
    const known = bars.get(time)
    if (known) extend(known, bar)
    else bars.set(time, { ...bar, time })
  }

  function toCandle({ time, row, volume, count, ...bar }: Bar): FakeCandle {
    const ends = time + length
    if (row?.from === time && row.until === ends && isInUsd && now >= ends) return { ...row.given }
    const number = (price: bigint) => Number(toDecimal(price))
    const { open, high, low, close } = bar
    return { time, open: number(open), high: number(high), low: number(low), close: number(close), volume, count }
  }

  /** The bars of a piece of the token's timeline, divided by the pieces of the price of ETN if that matters. */
  function barsOf({ segment, from, until }: Piece): Bar[] {
    if (segment.kind === 'none') return []
    if (segment.kind === 'row') return barsOfRow(segment.row, from, until)
    if (rates.length === 0) return steadyBars(segment, from, until)
    return rates.flatMap((rate) => {
      const [start, end] = [Math.max(from, rate.from), Math.min(until, rate.until)]
      if (start > end) return []
      const isSteady = !isMoving(segment) && !isMoving(rate.segment)
      return isSteady ? steadyBars(segment, start, end) : movingBars(segment, start, end)
    })
  }

  /** The price changes with the trades, and every 15 minutes with that of ETN. A part that begins after a change has the trades after it. */
  function steadyBars(segment: Source, from: number, until: number): Bar[] {
    const level = LEVEL_OF[bucket]
    const bySlot = needsRates(segment) && level < SLOT_LEVEL
    const view = { level: bySlot ? SLOT_LEVEL : level, includeEmpty: bySlot || includeEmpty || isDivided }
    const found: Bar[] = []
    for (const period of market.periods({ from, until: lastTrade(until), ...view })) {
      const { time, count } = period
      const open = priceAt(segment, time, period.open)
      const price = (level: number) => (level === period.open ? open : priceAt(segment, time, level))
      const all = { open, high: price(period.high), low: price(period.low), close: price(period.close) }
      const bar = { time, ...all, count, volume: worth(period.volume, time) }
      const last = found.at(-1)
      if (last && startOf(last.time, length) === startOf(time, length)) extend(last, bar)
      else found.push(bar)
    }
    return found
  }

  /** The price changes with each second: between two trades, within 15 minutes, only up or only down. */
  function movingBars(segment: Source, from: number, until: number): Bar[] {
    const fills = market.fills(from + 1, lastTrade(until))
    const step = Math.min(length, SLOT_SECONDS)
    const found: Bar[] = []
    let level = segment.kind === 'computed' ? market.priceAt(from) : 0
    let next = 0
    for (let start = from; start <= until; start = startOf(start, step) + step) {
      const last = Math.min(until, startOf(start, step) + step - 1)
      let at = start
      const bar = barAt(start, priceAt(segment, start, level), 0, 0)
      const move = (time: number, count: number, volume: number) =>
        extend(bar, barAt(time, priceAt(segment, time, level), count, volume))
      for (let fill = fills[next]; fill && (fill.time <= last || last === until); fill = fills[++next]) {
        if (fill.time > at) move(fill.time - 1, 0, 0)
        at = fill.time
        level = fill.price
        move(at, 1, worth(fill.volume, at))
      }
      if (at <= last) move(last, 0, 0)
      found.push(bar)
    }
    return found
  }

  /** A row is converted with the price of ETN at its start. */
  function barsOfRow(row: Row, from: number, until: number): Bar[] {
    const convert = (usd: bigint) => (isInUsd ? usd : prices.inEtn(usd, row.from))
    const rate = isInUsd ? 1 : prices.etnUsdNumber(row.from)
    const isWhole = row.until - row.from <= length && from === row.from && until === row.until - 1
    const parts = isWhole ? [{ ...row, time: row.from }] : rowMinutes(row, from, until)
    return parts.map(({ time, open, high, low, close, count, volume }) => {
      const all = { open: convert(open), high: convert(high), low: convert(low), close: convert(close) }
      return { time, ...all, count, volume: volume / rate, ...(isWhole && { row }) }
    })
  }

  function priceAt(segment: Source, time: number, level: number): bigint {
    return prices.of(token, segment, time, level, currency)
  }

  /** Whether the price of ETN determines the prices or the volumes of a segment. */
  function needsRates({ kind }: Segment): boolean {
    return isInUsd || kind !== 'computed' || token.anchor !== 'ETN'
  }

  function worth(millionths: number, time: number): number {
    const inEtn = millionths / 1e6
    return isInUsd ? inEtn * prices.etnUsdNumber(time) : inEtn
  }

  /** A change counts for the trades after its second. At a full minute there are none. */
  function lastTrade(end: number): number {
    return end === until || (end + 1) % 60 === 0 ? end : end + 1
  }
}

function barAt(time: number, price: bigint, count: number, volume: number): Bar {
  return { time, open: price, high: price, low: price, close: price, count, volume }
}

function extend(bar: Bar, { high, low, close, count, volume }: Bar): void {
  if (high > bar.high) bar.high = high
  if (low < bar.low) bar.low = low
  bar.close = close
  bar.count += count
  bar.volume += volume
}

const startOf = (time: number, length: number) => Math.floor(time / length) * length

const WINDOWS: Record<Duration, { bucket: Bucket; seconds: number }> = {
  HOUR: { bucket: '1m', seconds: 3_600 },
  DAY: { bucket: '15m', seconds: 86_400 },
  WEEK: { bucket: '1h', seconds: 7 * 86_400 },
  MONTH: { bucket: '4h', seconds: 30 * 86_400 },
  YEAR: { bucket: '1d', seconds: 365 * 86_400 },
}

const DAY_SECONDS = LEVELS[0]
const MAX_DAYS = 1_000
/** A series that is longer, or that lags more periods behind, is begun anew. It is more than an answer holds. */
const MAX_PERIODS = 2_000
const MAX_SERIES = 500

/** Closed candles, oldest first, from the start of the first period to the end of the last. It grows at both ends: they do not change. */
interface Series {
  from: number
  until: number
  candles: FakeCandle[]
  /** The candle of the current period, as it is at a moment. */
  current: { at: number; candles: FakeCandle[] } | undefined
}

export class Candles {
  readonly #prices: Prices
  readonly #series = new Map<string, Series>()
  /** The changes that the series show. */
  #changes: Changes

  constructor(prices: Prices) {
    this.#prices = prices
    this.#changes = prices.changes
  }

  /** The newest candles of a token, oldest first. Past periods without a trade are omitted, the current one is not. */
  newest(token: WorldToken, query: CandleQuery & { limit: number }): FakeCandle[] {
    const { now, limit } = query
    const { series, current, growTo } = this.#read(token, query, false)
    const oldest = Math.max(dayOf(now) - MAX_DAYS, dayOf(this.#firstPrice(token)) - 1)
    const wanted = limit - current.length
    for (let day = dayOf(series.from - 1); day > oldest && series.candles.length < wanted; day--)
      growTo(day * DAY_SECONDS)
    return [...series.candles.slice(Math.max(0, series.candles.length - wanted)), ...current]
  }

  /** The price over a window that ends now: the opening price of every period, and the last price. */
  history(token: WorldToken, { duration, currency, now }: { duration: Duration; currency: Currency; now: number }) {
    const { bucket, seconds } = WINDOWS[duration]
    const from = Math.ceil((now - seconds) / secondsOf(bucket)) * secondsOf(bucket)
    const { series, current, growTo } = this.#read(token, { bucket, currency, now }, true)
    growTo(Math.max(from, dayOf(this.#firstPrice(token)) * DAY_SECONDS))
    const shown = [...series.candles, ...current].filter(({ time }) => time >= from)
    const last = shown.at(-1)
    if (!last) return { prices: [], volume: 0, high: null, low: null }
    const points = shown.map(({ time, open }) => ({ timestamp: time, value: open }))
    if (last.time < now && this.#prices.quote(token, now)) points.push({ timestamp: now, value: last.close })
    return {
      prices: points,
      volume: shown.reduce((sum, { volume }) => sum + volume, 0),
      high: Math.max(...shown.map(({ high }) => high)),
      low: Math.min(...shown.map(({ low }) => low)),
    }
  }

  /** The closed candles that are known, up to date; the current one; and what adds older ones. */
  #read(token: WorldToken, query: CandleQuery, includeEmpty: boolean) {
    const { bucket, currency, now } = query
    const length = secondsOf(bucket)
    const start = startOf(now, length)
    const make = (from: number, until: number) =>
      from > until ? [] : makeCandles(this.#prices, token, { ...query, from, until, includeEmpty })
    const key = `${token.key} ${bucket} ${currency} ${includeEmpty}`
    if (this.#changes !== this.#prices.changes || this.#series.size > MAX_SERIES) this.#series.clear()
    this.#changes = this.#prices.changes
    let series = this.#series.get(key)
    const isOf = ({ until, candles }: Series) =>
      until <= start && candles.length + (start - until) / length <= MAX_PERIODS
    if (!series || !isOf(series)) {
      series = { from: start, until: start, candles: [], current: undefined }
      this.#series.set(key, series)
    }
    const known = series
    known.candles.push(...make(known.until, start - 1))
    known.until = start
    const growTo = (from: number) => {
      known.candles.unshift(...make(from, known.from - 1))
      known.from = Math.min(known.from, from)
    }
    if (known.current?.at !== now) known.current = { at: now, candles: make(start, now) }
    return { series: known, current: known.current.candles, growTo }
  }

  /** The moment before which the token has no price. */
  #firstPrice(token: WorldToken): number {
    const first = this.#prices.timelineOf(token).segments.find(({ kind }) => kind !== 'none')
    return first?.from ?? Number.POSITIVE_INFINITY
  }
}
