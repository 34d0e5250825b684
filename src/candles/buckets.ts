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
