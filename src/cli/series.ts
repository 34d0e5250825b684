import type { Candle } from 'etn-market'
import { usageError } from './failure.ts'

/** What a series is of. A file holds one. */
export interface SeriesId {
  /** In EIP-55 form. */
  readonly token: string
  readonly bucket: string
  readonly currency: string
}

/** A series as a file holds it. */
export interface Series {
  /** Oldest first. */
  readonly candles: readonly Candle[]
  /** Adds candles, replaces those of the same times, and removes the one of the time `gone`. @throws the error of the system */
  merge(candles: readonly Candle[], gone?: number): void
}

/** A series in a file that no other run uses meanwhile. */
export interface SeriesFile extends Series {
  close(): void
}

/** Oldest first, with the newer of two candles of the same time, and without the one of the time `gone`. */
export function mergeCandles(known: readonly Candle[], fresh: readonly Candle[], gone?: number): Candle[] {
  const byTime = new Map([...known, ...fresh].map((candle) => [candle.time, candle]))
  if (gone !== undefined) byTime.delete(gone)
  return [...byTime.values()].sort((one, other) => one.time - other.time)
}

/** @throws CommandError naming what the file holds */
export function requireSame(name: string, found: Partial<SeriesId>, id: SeriesId): void {
  if (found.token === id.token && found.bucket === id.bucket && found.currency === id.currency) return
  const held = `${found.token ?? 'no token'}, ${found.bucket ?? '-'}, ${found.currency ?? '-'}`
  throw usageError(`--sync ${name}: it holds another series (${held}). Nothing was sent.`)
}
