import type { Candle } from '../generated/types.ts'
import { requireKnown } from '../utils/known-options.ts'
import { BUCKET_SECONDS, type CandleBucket } from './buckets.ts'

/** A candle of the service, or one that stands for a period without a trade. */
export interface FilledCandle extends Candle {
  /** True for a candle that `fillGaps` added: the service has none for this period. */
  filled: boolean
}

/** A row of ccxt: the start of the period in unix milliseconds, four prices in the quote currency, and the volume. */
export type OhlcvRow = [time: number, open: number, high: number, low: number, close: number, volume: number]

/** More candles than this from one call are a mistake in a time or a bucket. It is about two years of minutes. */
const MAX_FILLED = 1_000_000

/**
 * Joins candles: oldest first, each time once, with the later one of two of the same time. For a series that is kept:
 * `mergeCandles([...series, ...page])`.
 */
export function mergeCandles<C extends Pick<Candle, 'time'>>(candles: readonly C[]): C[] {
  return [...new Map(candles.map((candle) => [candle.time, candle])).values()].sort(
    (one, other) => one.time - other.time,
  )
}

/**
 * Adds a candle for each period between the first and the last one that has none, because nothing was traded in it. All four prices of such a
 * candle are the close before it, `volume` and `count` are 0, and `filled` is true. Nothing is added after the last candle.
 *
 * Indicators count rows: without these candles an average of 14 hours covers 14 hours with trades.
 * The convention is that of [freqtrade](https://github.com/freqtrade/freqtrade/blob/develop/freqtrade/data/converter/converter.py)
 * (`ohlcv_fill_up_missing_data`).
 * @param bucket the length with which the candles were bought
 * @throws TypeError with the code `invalid_option` for an unknown bucket, RangeError beyond 1,000,000 candles
 * @example
 * const candles = await client.token.candles({ address, bucket: '1h', limit: 200 })
 * const hours = fillGaps(candles, '1h')
 */
export function fillGaps(candles: readonly Candle[], bucket: CandleBucket): FilledCandle[] {
  const seconds = secondsOf(bucket)
  const filled: FilledCandle[] = []
  for (const candle of mergeCandles(candles)) {
    const { time: last = Number.POSITIVE_INFINITY, close = 0 } = filled.at(-1) ?? {}
    // The next one may begin late, where the service counts its periods otherwise: none may overlap it.
    const missing = Math.floor((candle.time - last) / seconds) - 1
    if (filled.length + missing >= MAX_FILLED)
      throw new RangeError(
        `More than ${MAX_FILLED} candles of ${bucket}: check the bucket, and the time of each candle.`,
      )
    for (let number = 1; number <= missing; number++) {
      const prices = { open: close, high: close, low: close, close }
      filled.push({ time: last + number * seconds, ...prices, volume: 0, count: 0, filled: true })
    }
    filled.push({ ...candle, filled: false })
  }
  return filled
}

/**
 * Leaves out what is not over: the newest candle of an answer usually changes until its period ends. As in
 * [OANDA's API](https://developer.oanda.com/rest-live-v20/instrument-df/#Candlestick), a candle is complete if its end is not in the future.
 *
 * A candle does not say how long it is, so `bucket` is needed.
 * @param bucket the length with which the candles were bought
 * @param now when they were **requested**, in unix milliseconds: a candle that was open then stays unfinished, however late it is. Where this
 * machine's clock may be wrong, the `date` of `meta.headers` is the service's time.
 * @throws TypeError with the code `invalid_option` for an unknown bucket
 * @example
 * const candles = await client.token.candles({ address, bucket: '1h' })
 * const closed = closedOnly(candles, '1h', requestedAt)
 */
export function closedOnly<C extends Pick<Candle, 'time'>>(
  candles: readonly C[],
  bucket: CandleBucket,
  now: number,
): C[] {
  const seconds = secondsOf(bucket)
  return mergeCandles(candles).filter(({ time }) => (time + seconds) * 1_000 <= now)
}

/**
 * The rows that [ccxt](https://github.com/ccxt/ccxt/wiki/Manual#ohlcv-structure) returns and that many libraries read:
 * `[time, open, high, low, close, volume]`, with the time in unix milliseconds. `count` and `filled` have no column.
 *
 * The prices of candles are JSON numbers, unlike the decimal texts of `token.price`. They stay as they were read: up to 17 significant digits,
 * however small the price is. Digits beyond them are lost when the answer is read.
 * @example
 * toOhlcv(await client.token.candles({ address })) // [[1763798400000, 0.0193, 0.0195, 0.0192, 0.0194, 5120.5], …]
 */
export function toOhlcv(candles: readonly Candle[]): OhlcvRow[] {
  return mergeCandles(candles).map(({ time, open, high, low, close, volume }) => [
    time * 1_000,
    open,
    high,
    low,
    close,
    volume,
  ])
}

function secondsOf(bucket: CandleBucket): number {
  requireKnown('bucket', { [bucket]: bucket }, Object.keys(BUCKET_SECONDS))
  return BUCKET_SECONDS[bucket]
}
