import type { Bucket, Currency } from '../rules/parse-query.ts'
import { LEVELS, SLOT_LEVEL } from './market.ts'

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

/** Selects candles: the periods of a bucket from `from` (the start of one) to the one of `until`, at most `now`. Unix seconds. */
export interface CandleRange {
  bucket: Bucket
  currency: Currency
  from: number
  until: number
  now: number
  /** Whether past periods without a trade are included. */
  includeEmpty: boolean
}

const LEVEL_OF: Record<Bucket, number> = { '1d': 0, '4h': 1, '1h': 2, '15m': SLOT_LEVEL, '1m': 4 }

export function levelOf(bucket: Bucket): number {
  return LEVEL_OF[bucket]
}

/** Length of a bucket in seconds. */
export function secondsOf(bucket: Bucket): number {
  return LEVELS[LEVEL_OF[bucket]] ?? 60
}
