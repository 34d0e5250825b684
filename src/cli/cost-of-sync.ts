import { operations } from 'etn-market'
import { BUCKET_SECONDS, type Bucket } from '../feed/candles/buckets.ts'
import { DEFAULT_BUCKET } from './series.ts'

const { base, perItem = 0, maxItems } = operations['token.candles'].credits
/**
 * Credits that it takes to bring a series up to date once in `everyMs`: the candles since the last time, and the one that was open then. The
 * first time costs more, because it buys the beginning of the series.
 */
export function costOfSync({ bucket = DEFAULT_BUCKET }: Readonly<Record<string, unknown>>, everyMs: number): number {
  const candles = everyMs / 1_000 / BUCKET_SECONDS[bucket as Bucket] + 1
  return base + perItem * Math.min(maxItems, candles)
}
