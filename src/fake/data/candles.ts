import type { Bucket, Currency, Duration } from '../rules/parse-query.ts'
import { ONE, toDecimal } from './decimal.ts'
import { dayOf, LEVELS, SLOT_LEVEL, SLOT_SECONDS } from './market.ts'
import { type Prices, rowMinutes, type Source } from './prices.ts'
import type { AddedTrade, Piece, Row } from './timeline.ts'
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

/** Length of a bucket in seconds. */
export function secondsOf(bucket: Bucket): number {
  return LEVELS[LEVEL_OF[bucket]] ?? 60
}

/** Selects candles: the periods of a bucket from `from` (the start of one) to the one of `until`, at most `now`. Unix seconds. */
interface Range {
  bucket: Bucket
  currency: Currency
  from: number
  until: number
  now: number
  /** Whether past periods without a trade are included. */
  includeEmpty: boolean
}

/** What happened to a price within a period, as fixed point; `time` lies in the period. */
interface Bar {
  time: number
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  volume: number
  count: number
  /** The row of the user that it is. */
  row?: Row
}

/**
 * The candles of a range, oldest first. The range is divided where the source of the price changes, of the token or of ETN; what each source
 * gives is joined in the period in which it lies. So a change leaves the candles of other periods as they were.
 */
function candlesOf(prices: Prices, token: WorldToken, range: Range): FakeCandle[] {
  const { currency, from, until } = range
  const length = secondsOf(range.bucket)
  const timeline = prices.timeline(token)
  const pieces = timeline.pieces(from, until)
  const added = timeline.trades.filter(({ time }) => time >= from && time <= until)
  const rates =
    currency === 'USD' || pieces.some(({ segment }) => isConverted(token, segment, currency))
      ? prices.rates.pieces(from, until)
      : []
  // Where the source changes within a period, the price counts there without a trade too.
  const isPlain = pieces.length === 1 && rates.length < 2 && added.length === 0
  const source = new BarSource(prices, token, isPlain ? range : { ...range, includeEmpty: true })
  const candles = new Map<number, Bar>()
  for (const bar of pieces.flatMap((piece) => source.barsOf(piece, rates))) {
    const time = startOf(bar.time, length)
    const known = candles.get(time)
    if (known) extend(known, bar)
    else candles.set(time, { ...bar, time })
  }
  for (const trade of added) {
    const time = startOf(trade.time, length)
    const bar = barOfTrade(trade, prices, currency)
    const known = candles.get(time)
    // The price goes on from where it was.
    if (known) extend(known, { ...bar, close: known.close })
    else candles.set(time, { ...bar, time })
  }
  const shown = [...candles.values()].filter((bar) => isShown(bar, length, range))
  return shown.sort((a, b) => a.time - b.time).map((bar) => toCandle(bar, length, range))
}

const startOf = (time: number, length: number) => time - (((time % length) + length) % length)

function isShown({ time, count }: Bar, length: number, { includeEmpty, now }: Range): boolean {
  return includeEmpty || count > 0 || now < time + length
}

function isConverted(token: WorldToken, { kind }: { kind: string }, currency: Currency): boolean {
  return kind === 'computed' ? token.anchor !== currency : currency !== 'USD'
}

function extend(bar: Bar, next: Bar): void {
  if (next.high > bar.high) bar.high = next.high
  if (next.low < bar.low) bar.low = next.low
  bar.close = next.close
  bar.count += next.count
  bar.volume += next.volume
}

function barOfTrade({ time, price: usd, usd: value }: AddedTrade, prices: Prices, currency: Currency): Bar {
  const price = currency === 'USD' ? usd : prices.inEtn(usd, time)
  const rate = currency === 'USD' ? 1 : prices.rates.number(time)
  const volume = Number(value) / Number(ONE) / rate
  return { time, open: price, high: price, low: price, close: price, count: 1, volume }
}

function toCandle({ time, row, volume, count, ...bar }: Bar, length: number, { currency, now }: Range): FakeCandle {
  const isWhole = row?.from === time && row.until === time + length
  if (isWhole && currency === 'USD' && now >= time + length) return { ...row.given }
  const number = (price: bigint) => Number(toDecimal(price))
  const { open, high, low, close } = bar
  return { time, open: number(open), high: number(high), low: number(low), close: number(close), volume, count }
}

/** A computed level and the moment that determines its value in the other currency. */
type Point = { level: number; time: number; rank: number }

/** Gives the bars of a range, one or more for each period and source of the price. */
class BarSource {
  readonly #prices: Prices
  readonly #token: WorldToken
  readonly #range: Range
  readonly #length: number

  constructor(prices: Prices, token: WorldToken, range: Range) {
    this.#prices = prices
    this.#token = token
    this.#range = range
    this.#length = secondsOf(range.bucket)
  }

  /** The bars of a piece of the token's timeline; `rates` are the pieces of the price of ETN, none if it does not matter. */
  barsOf({ segment, from, until }: Piece, rates: readonly Piece[]): Bar[] {
    if (segment.kind === 'none') return []
    if (segment.kind === 'row') return this.#barsOfRow(segment.row, from, until)
    if (rates.length === 0) return this.#steadyBars(segment, from, until)
    return rates.flatMap((rate) => {
      const part = [Math.max(from, rate.from), Math.min(until, rate.until)] as const
      if (part[0] > part[1]) return []
      const isMoving = segment.kind === 'ramp' || rate.segment.kind === 'ramp'
      return isMoving ? this.#movingBars(segment, ...part) : this.#steadyBars(segment, ...part)
    })
  }

  /** The price changes with the trades, and every 15 minutes with that of ETN. A part that begins after a change has the trades after it. */
  #steadyBars(segment: Source, from: number, until: number): Bar[] {
    const { bucket, currency, includeEmpty } = this.#range
    const isConvertedHere = isConverted(this.#token, segment, currency)
    const level = LEVEL_OF[bucket]
    const bySlot = (currency === 'USD' || isConvertedHere) && level < SLOT_LEVEL
    const view = { level: bySlot ? SLOT_LEVEL : level, includeEmpty: bySlot || includeEmpty }
    const bars: Bar[] = []
    let group: { open: Point; high: Point; low: Point; close: Point; volume: number; count: number } | undefined
    const end = () => {
      if (!group) return
      const price = ({ level, time }: Point) => this.#price(segment, time, level)
      const { open, high, low, close, volume, count } = group
      bars.push({
        time: open.time,
        open: price(open),
        high: price(high),
        low: price(low),
        close: price(close),
        volume,
        count,
      })
    }
    for (const period of this.#market.periods({ from, until: this.#lastTrade(until), ...view })) {
      const { time, count } = period
      const point = (of: number): Point => ({ level: of, time, rank: this.#rank(segment, of, time, isConvertedHere) })
      const [open, high, low, close] = [point(period.open), point(period.high), point(period.low), point(period.close)]
      const volume = this.#volume(period.volume, time)
      if (group && startOf(group.open.time, this.#length) === startOf(time, this.#length)) {
        if (high.rank > group.high.rank) group.high = high
        if (low.rank < group.low.rank) group.low = low
        group.close = close
        group.count += count
        group.volume += volume
      } else {
        end()
        group = { open, high, low, close, volume, count }
      }
    }
    end()
    return bars
  }

  /** The price changes with each second: between two trades, within 15 minutes, only up or only down. */
  #movingBars(segment: Source, from: number, until: number): Bar[] {
    const fills = this.#market.fills(from + 1, this.#lastTrade(until))
    const step = Math.min(this.#length, SLOT_SECONDS)
    const bars: Bar[] = []
    let level = segment.kind === 'computed' ? this.#market.priceAt(from) : 0
    let next = 0
    for (let start = from; start <= until; start = startOf(start, step) + step) {
      const last = Math.min(until, startOf(start, step) + step - 1)
      const open = this.#price(segment, start, level)
      let at = start
      const bar = { time: start, open, high: open, low: open, close: open, volume: 0, count: 0 }
      const move = (time: number, count: number, volume: number) => {
        const price = this.#price(segment, time, level)
        extend(bar, { time, open: price, high: price, low: price, close: price, count, volume })
      }
      for (let fill = fills[next]; fill && (fill.time <= last || last === until); fill = fills[++next]) {
        if (fill.time > at) move(fill.time - 1, 0, 0)
        at = fill.time
        level = fill.price
        move(fill.time, 1, this.#volume(fill.volume, fill.time))
      }
      move(last, 0, 0)
      bars.push(bar)
    }
    return bars
  }

  /** A row is converted with the price of ETN at its start. */
  #barsOfRow(row: Row, from: number, until: number): Bar[] {
    const convert = (usd: bigint) => (this.#range.currency === 'USD' ? usd : this.#prices.inEtn(usd, row.from))
    const rate = this.#range.currency === 'USD' ? 1 : this.#prices.rates.number(row.from)
    const isWhole = row.until - row.from <= this.#length && from === row.from && until === row.until - 1
    const parts = isWhole ? [{ ...row, time: row.from }] : rowMinutes(row, from, until)
    return parts.map(({ time, open, high, low, close, count, volume }) => ({
      time,
      open: convert(open),
      high: convert(high),
      low: convert(low),
      close: convert(close),
      count,
      volume: volume / rate,
      ...(isWhole ? { row } : {}),
    }))
  }

  get #market() {
    return this.#prices.market(this.#token)
  }

  #price(segment: Source, time: number, level: number): bigint {
    return this.#prices.of(this.#token, segment, time, level, this.#range.currency)
  }

  /** A number that orders the prices of a segment exactly, while that of ETN is no ramp. It is cheaper than the price. */
  #rank({ kind }: Source, level: number, time: number, isConvertedHere: boolean): number {
    const own = kind === 'computed' ? level : 1
    if (!isConvertedHere) return own
    const rate = this.#prices.rates.rank(time)
    return kind === 'computed' && this.#token.anchor === 'ETN' ? own * rate : own / rate
  }

  #volume(millionths: number, time: number): number {
    const inEtn = millionths / 1e6
    return this.#range.currency === 'ETN' ? inEtn : inEtn * this.#prices.rates.number(time)
  }

  /** A change counts for the trades after its second. At a full minute there are none. */
  #lastTrade(until: number): number {
    return until === this.#range.until || (until + 1) % 60 === 0 ? until : until + 1
  }
}

/** The bucket and the length of each history window. */
const WINDOWS: Record<Duration, { bucket: Bucket; seconds: number }> = {
  HOUR: { bucket: '1m', seconds: 3_600 },
  DAY: { bucket: '15m', seconds: 86_400 },
  WEEK: { bucket: '1h', seconds: 7 * 86_400 },
  MONTH: { bucket: '4h', seconds: 30 * 86_400 },
  YEAR: { bucket: '1d', seconds: 365 * 86_400 },
}

const DAY_SECONDS = LEVELS[0]
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

/** The candles of all tokens. Past days are kept. */
export class Candles {
  readonly #prices: Prices
  /** Days of candles, by token, bucket and currency. */
  readonly #series = new Map<string, Map<number, FakeCandle[]>>()
  #cached = 0

  constructor(prices: Prices) {
    this.#prices = prices
  }

  /** Forgets the cached days, because prices of the past have changed. */
  clear(): void {
    this.#series.clear()
    this.#cached = 0
  }

  /** The newest candles of a token, oldest first. Past periods without a trade are omitted, the current one is not. */
  newest(token: WorldToken, query: CandleQuery & { limit: number }): FakeCandle[] {
    const { bucket, now, limit } = query
    const isShown = ({ count, time }: FakeCandle) => count > 0 || now < time + secondsOf(bucket)
    const days: FakeCandle[][] = []
    let found = 0
    const oldest = Math.max(dayOf(now) - MAX_DAYS, dayOf(this.#firstPrice(token)) - 1)
    for (let day = dayOf(now); day > oldest && found < limit; day--) {
      const candles = CACHED.includes(bucket)
        ? this.#ofDay(token, day, query).filter(isShown)
        : this.#compute(token, query, day * DAY_SECONDS, false)
      days.push(candles)
      found += candles.length
    }
    return days.reverse().flat().slice(-limit)
  }

  /** The price over a window that ends now: the opening price of every period, and the last price. */
  history(token: WorldToken, { duration, currency, now }: { duration: Duration; currency: Currency; now: number }) {
    const { bucket, seconds } = WINDOWS[duration]
    const from = Math.ceil((now - seconds) / secondsOf(bucket)) * secondsOf(bucket)
    const query = { bucket, currency, now }
    const candles: FakeCandle[] = []
    for (let day = Math.max(dayOf(from), dayOf(this.#firstPrice(token))); day <= dayOf(now); day++) {
      const start = Math.max(from, day * DAY_SECONDS)
      candles.push(
        ...(CACHED.includes(bucket) ? this.#ofDay(token, day, query) : this.#compute(token, query, start, true)),
      )
    }
    const shown = candles.filter(({ time }) => time >= from)
    return summaryOf(shown, now, this.#prices.quote(token, now) !== undefined)
  }

  /** The candles of a day, periods without trades included. */
  #ofDay(token: WorldToken, day: number, query: CandleQuery): FakeCandle[] {
    const start = day * DAY_SECONDS
    if (start + DAY_SECONDS > query.now) return this.#compute(token, query, start, true)
    const days = this.#daysOf(`${token.key} ${query.bucket} ${query.currency}`)
    const known = days.get(day)
    if (known) return known
    const made = this.#compute(token, query, start, true)
    days.set(day, made)
    this.#cached++
    return made
  }

  #daysOf(series: string): Map<number, FakeCandle[]> {
    if (this.#cached >= MAX_CACHED_DAYS) this.clear()
    const days = this.#series.get(series) ?? new Map<number, FakeCandle[]>()
    this.#series.set(series, days)
    return days
  }

  /** The candles from a moment to the end of its day. */
  #compute(token: WorldToken, query: CandleQuery, from: number, includeEmpty: boolean): FakeCandle[] {
    const until = Math.min(query.now, (dayOf(from) + 1) * DAY_SECONDS - 1)
    return candlesOf(this.#prices, token, { ...query, from, until, includeEmpty })
  }

  /** The moment before which the token has no price. */
  #firstPrice(token: WorldToken): number {
    const first = this.#prices.timeline(token).segments.find(({ kind }) => kind !== 'none')
    return first?.from ?? Number.POSITIVE_INFINITY
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
