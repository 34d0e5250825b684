import { operations } from 'etn-market'

const { base, perItem = 0, maxItems } = operations['token.candles'].credits
const DEFAULT_BUCKET = '1h'
/** Lengths of buckets, in seconds. */
export const BUCKET_SECONDS: Readonly<Record<string, number>> = {
  '1m': 60,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
}

/**
 * Credits that it takes to bring a series up to date once in `everyMs`: the candles since the last time, and the one that was open then. The
 * first time costs more, because it buys the beginning of the series.
 */
export function costOfSync({ bucket = DEFAULT_BUCKET }: Readonly<Record<string, unknown>>, everyMs: number): number {
  const candles = everyMs / 1_000 / (BUCKET_SECONDS[String(bucket)] ?? 1) + 1
  return base + perItem * Math.min(maxItems, candles)
}
