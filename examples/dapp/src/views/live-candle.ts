import type { Candle } from 'etn-market'
import type { FeedPrice } from 'etn-market/feed'
import type { CandleChoice } from '../purchases.ts'

const BUCKET_SECONDS = { '1m': 60, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const

/**
 * The newest candle as the live price continues it: the one that was bought last, or one that has begun since. A chart then ends at the price
 * that stands beside it. Undefined where there is no price, or only one from before the newest candle.
 */
export function continueCandles(
  rows: readonly Candle[],
  price: Pick<FeedPrice, 'usd' | 'etn' | 'at'> | undefined,
  { bucket, currency }: CandleChoice,
): Candle | undefined {
  const last = rows.at(-1)
  const text = currency === 'USD' ? price?.usd : price?.etn
  if (last === undefined || price === undefined || typeof text !== 'string') return undefined
  const close = Number(text)
  const begun = Math.floor((price.at / 1_000 - last.time) / BUCKET_SECONDS[bucket])
  if (begun < 0) return undefined
  if (begun === 0) return { ...last, high: Math.max(last.high, close), low: Math.min(last.low, close), close }
  const open = last.close
  const time = last.time + begun * BUCKET_SECONDS[bucket]
  return { ...last, time, open, high: Math.max(open, close), low: Math.min(open, close), close, volume: 0, count: 0 }
}
