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
