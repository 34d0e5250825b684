import type { Candle } from '../../generated/types.ts'

/** Options of `feed.watchCandles`. */
export interface CandleWatchOptions {
  /** Length of one candle. */
  bucket: '1m' | '15m' | '1h' | '4h' | '1d'
  /** Milliseconds between requests, above 0. A budget that is too small makes it longer. */
  everyMs: number
  /** Number of newest candles in the series, 1 to 500. @default 100 */
  limit?: number | undefined
  /** Quote currency. @default 'USD' */
  currency?: 'USD' | 'ETN' | undefined
  /** Ends the iteration. It rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/**
 * The newest candles of a token, oldest first. The last one may still be open. Buckets without a trade are missing where the
 * service leaves them out.
 */
export type CandleSeries = readonly Candle[]
