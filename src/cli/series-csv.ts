import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseCsv, toCsv } from './candle-csv.ts'
import { usageError } from './failure.ts'
import { reasonOf, requireWritable } from './files.ts'
import type { NamedFile } from './host.ts'
import { mergeCandles, requireSame, type SeriesFile, type SeriesId } from './series.ts'

/** A CSV file has no place for its token and bucket: they are in a file beside it. */
export function openCsv(file: NamedFile, id: SeriesId): SeriesFile {
  const { name, path } = file
  const about = { name: `${name}.json`, path: `${path}.json` }
  requireWritable('--sync', file)
  requireWritable('--sync', about)
  const isNew = !existsSync(path)
  const stored = isNew ? undefined : readAbout(name, about)
  if (stored) requireSame(name, stored, id)
  const known = isNew ? [] : parseCsv(readFileSync(path, 'utf8'))
  if (known === undefined) throw usageError(`--sync ${name}: it is no CSV file with candles.`)
  return {
    candles: mergeCandles([], known),
    savedAt: stored?.savedAt ?? 0,
    merge(candles, savedAt) {
      replaceFile(path, toCsv(mergeCandles(known, candles)))
      replaceFile(about.path, `${JSON.stringify({ ...id, savedAt })}\n`)
    },
    close() {},
  }
}

function readAbout(name: string, about: NamedFile): SeriesId & { savedAt: number } {
  try {
    return JSON.parse(readFileSync(about.path, 'utf8'))
  } catch (error) {
    throw usageError(
      `--sync ${name}: ${about.name}, which says of which token it is, cannot be read (${reasonOf(error)}).`,
      error,
    )
  }
}

/** A crash leaves the old file or the new one. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}
