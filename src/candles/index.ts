/**
 * Candles for charts, indicators and databases: gaps filled, open candles left out, the rows of ccxt; and candles that stay up to date, over
 * a price feed.
 *
 * Each function except `watchCandles` is pure: it takes candles in any order, changes none of them, and returns them oldest first, each time once. Of
 * two candles with the same time, the later one in the list counts.
 *
 * @module etn-market/candles
 */

export type { CandleBucket } from './buckets.ts'
export { closedOnly, type FilledCandle, fillGaps, mergeCandles, type OhlcvRow, toOhlcv } from './ohlcv.ts'
export { type CandleSeries, type CandleWatchOptions, watchCandles } from './watch-candles.ts'
