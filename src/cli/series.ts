import type { Candle } from 'etn-market'
import { usageError } from './failure.ts'

/** What a series is of. A file holds one. */
export interface SeriesId {
  /** In EIP-55 form. */
  readonly token: string
  readonly bucket: string
  readonly currency: string
}

/** A series in a file. */
export interface SeriesFile {
  /** Oldest first. */
  readonly candles: readonly Candle[]
  /** When it was written last, unix seconds; 0 for a new file. */
  readonly savedAt: number
  /** Adds candles, and replaces those of the same times. */
  merge(candles: readonly Candle[], savedAt: number): void
  close(): void
}

/** Oldest first, with the newer of two candles of the same time. */
export function mergeCandles(known: readonly Candle[], fresh: readonly Candle[]): Candle[] {
  const byTime = new Map([...known, ...fresh].map((candle) => [candle.time, candle]))
  return [...byTime.values()].sort((one, other) => one.time - other.time)
}

/** @throws CommandError naming what the file holds */
export function requireSame(name: string, found: Partial<SeriesId>, id: SeriesId): void {
  if (found.token === id.token && found.bucket === id.bucket && found.currency === id.currency) return
  const held = `${found.token ?? 'no token'}, ${found.bucket ?? '-'}, ${found.currency ?? '-'}`
  throw usageError(`--sync ${name}: it holds another series (${held}). Nothing was sent.`)
}
