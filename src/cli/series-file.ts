import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Candle } from 'etn-market'
import { parseCsv, toCsv } from './candle-csv.ts'
import { usageError } from './failure.ts'
import { reasonOf, requireWritable } from './files.ts'

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

/** Opens the series of a file, or a new one. @throws CommandError if the file cannot be written or is of another series */
export async function openSeriesFile(path: string, id: SeriesId): Promise<SeriesFile> {
  if (/\.csv$/i.test(path)) return openCsv(path, id)
  if (!/\.(sqlite3?|db)$/i.test(path)) throw usageError(`--sync ${path}: it must end in .csv, .sqlite or .db.`)
  const { openSqlite } = await import('./series-sqlite.ts')
  return openSqlite(path, id)
}

/** Oldest first, with the newer of two candles of the same time. */
export function mergeCandles(known: readonly Candle[], fresh: readonly Candle[]): Candle[] {
  const byTime = new Map([...known, ...fresh].map((candle) => [candle.time, candle]))
  return [...byTime.values()].sort((one, other) => one.time - other.time)
}

/** @throws CommandError naming what the file holds */
export function requireSame(path: string, found: Partial<SeriesId>, id: SeriesId): void {
  if (found.token === id.token && found.bucket === id.bucket && found.currency === id.currency) return
  const held = `${found.token ?? 'no token'}, ${found.bucket ?? '-'}, ${found.currency ?? '-'}`
  throw usageError(`--sync ${path}: it holds another series (${held}). Nothing was sent.`)
}

/** A CSV file has no place for its token and bucket: they are in a file beside it. */
function openCsv(path: string, id: SeriesId): SeriesFile {
  const about = `${path}.json`
  requireWritable('--sync', path)
  requireWritable('--sync', about)
  const isNew = !existsSync(path)
  const stored = isNew ? undefined : readAbout(path, about)
  if (stored) requireSame(path, stored, id)
  const known = isNew ? [] : parseCsv(readFileSync(path, 'utf8'))
  if (known === undefined) throw usageError(`--sync ${path}: it is no CSV file with candles.`)
  return {
    candles: mergeCandles([], known),
    savedAt: stored?.savedAt ?? 0,
    merge(candles, savedAt) {
      replaceFile(path, toCsv(mergeCandles(known, candles)))
      replaceFile(about, `${JSON.stringify({ ...id, savedAt })}\n`)
    },
    close() {},
  }
}

function readAbout(path: string, about: string): SeriesId & { savedAt: number } {
  try {
    return JSON.parse(readFileSync(about, 'utf8'))
  } catch (error) {
    throw usageError(
      `--sync ${path}: ${about}, which says of which token it is, cannot be read (${reasonOf(error)}).`,
      error,
    )
  }
}

/** A crash leaves the old file or the new one. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}
