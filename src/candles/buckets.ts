import { operations } from '../generated/operations.ts'
import type { OperationParams } from '../generated/types.ts'

/** The length of a candle. */
export type CandleBucket = NonNullable<OperationParams['token.candles']['bucket']>

export const BUCKET_SECONDS: Readonly<Record<CandleBucket, number>> = {
  '1m': 60,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
}

/** How many candles there are from one moment to another, unix seconds, with the one that is still open. */
export function countCandles(from: number, to: number, bucket: CandleBucket, max: number): number {
  return Math.min(max, Math.max(0, Math.floor((to - from) / BUCKET_SECONDS[bucket])) + 1)
}

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
