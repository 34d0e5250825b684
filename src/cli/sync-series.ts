import type { Candle } from 'etn-market'
import { mergeCandles, type SeriesFile } from './series.ts'

const BUCKET_SECONDS: Readonly<Record<string, number>> = {
  '1m': 60,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
}

/**
 * Brings a series up to date: buys the candles after the last one, and the last one anew if it was open when it was written. Empty
 * buckets that the service leaves out make an answer reach further back; what is known by then is replaced by the same.
 */
export async function syncSeries(
  file: SeriesFile,
  { bucket = '1h', limit }: { bucket?: string | undefined; limit: number },
  now: number,
  buy: (limit: number) => Promise<readonly Candle[]>,
): Promise<{ candles: readonly Candle[]; added: number; updated: number }> {
  const last = file.candles.at(-1)
  const fresh = await buy(
    last === undefined ? limit : countMissing(last.time, file.savedAt, BUCKET_SECONDS[bucket] ?? 1, now),
  )
  file.merge(fresh, Math.floor(now))
  const before = new Map(file.candles.map((candle) => [candle.time, JSON.stringify(valuesOf(candle))]))
  const added = fresh.filter(({ time }) => !before.has(time)).length
  const updated = fresh.filter((candle) => {
    const known = before.get(candle.time)
    return known !== undefined && known !== JSON.stringify(valuesOf(candle))
  }).length
  return { candles: mergeCandles(file.candles, fresh), added, updated }
}

/** Buckets from the last known candle to now; the last one counts if it was still open when it was written. */
function countMissing(lastTime: number, savedAt: number, seconds: number, now: number): number {
  const after = Math.max(0, Math.floor((now - lastTime) / seconds))
  const wasOpen = lastTime + seconds > savedAt
  return Math.max(1, wasOpen ? after + 1 : after)
}

function valuesOf({ time, open, high, low, close, volume, count }: Candle): number[] {
  return [time, open, high, low, close, volume, count]
}
