import { readFileSync, writeFileSync } from 'node:fs'
import { mergeCandles } from '../feed/candles/buckets.ts'
import { lockFile } from '../file-store/file-lock.ts'
import { replaceFileSync, resolveFile } from '../file-store/replace-file.ts'
import { refusal, usageError } from './failure.ts'
import { reasonOf, requireReplaceable, requireWritable, statPath } from './files.ts'
import type { NamedFile } from './host.ts'
import { parseCsv, requireSame, type Series, type SeriesFile, type SeriesId, toCsv, withoutGone } from './series.ts'

/**
 * Opens the series of a file, or a new one.
 * @throws CommandError if the file cannot be read or written, is of another series, or is in use
 */
export async function openSeriesFile(file: NamedFile, id: SeriesId): Promise<SeriesFile> {
  const { name, path } = file
  const isCsv = /\.csv$/i.test(name)
  if (!isCsv && !/\.(sqlite3?|db)$/i.test(name))
    throw usageError(`--sync ${name}: it must end in .csv, .sqlite or .db.`)
  requireReplaceable('--sync', file)
  const target = resolveFile(path)
  const { lock } = lockFile(target)
  if (lock === undefined) throw refusal(`--sync ${name}: another run is using it. Nothing was sent.`, 'series_in_use')
  try {
    const series = isCsv
      ? openCsv(name, target, id)
      : await (await import('./series-sqlite.ts')).openSqlite(name, target, id)
    return { ...series, close: () => lock.release() }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A CSV file has no place for its token and bucket: they are in a file beside it. */
export function openCsv(name: string, path: string, id: SeriesId): Series {
  const about = `${path}.json`
  requireWritable('--sync', { name: `${name}.json`, path: about })
  const isNew = !statPath(path)?.size
  if (!isNew) requireSame(name, readAbout(name, about), id)
  const known = isNew ? [] : readCandles(name, path)
  return {
    candles: mergeCandles([], known),
    merge(candles, gone) {
      // Candles without a token would be of no use, and a token without candles does no harm.
      if (isNew) replaceText(about, `${JSON.stringify(id)}\n`)
      replaceText(path, toCsv(withoutGone(mergeCandles(known, candles), gone)))
    },
  }
}

function readCandles(name: string, path: string) {
  try {
    return parseCsv(readFileSync(path, 'utf8'))
  } catch (error) {
    throw usageError(`--sync ${name}: ${reasonOf(error)}.`, error)
  }
}

function readAbout(name: string, path: string): Partial<SeriesId> {
  try {
    return Object(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw usageError(
      `--sync ${name}: ${name}.json, which says of which token it is, cannot be read (${reasonOf(error)}).`,
      error,
    )
  }
}

const replaceText = (path: string, text: string) => replaceFileSync(path, (temporary) => writeFileSync(temporary, text))
