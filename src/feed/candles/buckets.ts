import { operations } from '../../generated/operations.ts'
import type { OperationParams } from '../../generated/types.ts'

// What the feed and the command know of a series of candles.

export type Bucket = NonNullable<OperationParams['token.candles']['bucket']>

/** The largest page. */
export const MAX_CANDLES = operations['token.candles'].credits.maxItems
/** Length of each bucket in seconds. */
export const BUCKET_SECONDS: Readonly<Record<Bucket, number>> = {
  '1m': 60,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
}

/** How many candles there are from one moment to another, unix seconds, with the one that is still open. */
export function countCandles(from: number, to: number, bucketSeconds: number, max: number): number {
  return Math.min(max, Math.max(0, Math.floor((to - from) / bucketSeconds)) + 1)
}

/** Oldest first, with the newer of two candles of the same time. */
export function mergeCandles<Candle extends { readonly time: number }>(
  known: readonly Candle[],
  fresh: readonly Candle[],
): Candle[] {
  const byTime = new Map([...known, ...fresh].map((candle) => [candle.time, candle]))
  return [...byTime.values()].sort((one, other) => one.time - other.time)
}
