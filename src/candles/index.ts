/**
 * Candles for charts, indicators and databases: gaps filled, open candles left out, the rows of ccxt; and candles that stay up to date, over
 * a price feed.
 *
 * Each function but `watchCandles` is pure: it takes candles in any order, changes none of them, and returns them oldest first, each time
 * once. Of two candles of the same time the one that stands later counts.
 *
 * @module etn-market/candles
 */

export type { CandleBucket } from './buckets.ts'
export { closedOnly, type FilledCandle, fillGaps, mergeCandles, type OhlcvRow, toOhlcv } from './ohlcv.ts'
export { type CandleSeries, type CandleWatchOptions, watchCandles } from './watch-candles.ts'
