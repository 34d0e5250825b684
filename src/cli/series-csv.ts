import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseCsv, toCsv } from './candle-csv.ts'
import { usageError } from './failure.ts'
import { reasonOf, requireWritable } from './files.ts'
import { mergeCandles, requireSame, type SeriesFile, type SeriesId } from './series.ts'

/** A CSV file has no place for its token and bucket: they are in a file beside it. */
export function openCsv(path: string, id: SeriesId): SeriesFile {
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
