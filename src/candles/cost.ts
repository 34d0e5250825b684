import { operations } from '../generated/operations.ts'
import { BUCKET_SECONDS, type CandleBucket } from './buckets.ts'

// Functions, so that a bundle without them has no table of operations either.

/** How many candles the service returns at most. */
export function maxCandles(): number {
  return operations['token.candles'].credits.maxItems
}

export function candleCredits(count: number): number {
  const { base, perItem } = operations['token.candles'].credits
  return base + perItem * count
}

/** Credits to bring a series up to date once in `everyMs`: for the open candle, and for those that have ended since the time before. */
export function updateCredits(bucket: CandleBucket, everyMs: number, most = maxCandles()): number {
  return candleCredits(Math.min(most, 1 + everyMs / 1_000 / BUCKET_SECONDS[bucket]))
}
