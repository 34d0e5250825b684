import { readFileSync } from 'node:fs'
import type { Candle } from 'etn-market'
import { mergeCandles } from '../feed/candles/buckets.ts'
import { lockFile } from '../file-store/file-lock.ts'
import { resolveFile } from '../file-store/replace-file.ts'
import { refusal, usageError } from './failure.ts'
import { reasonOf, requireReplaceable, requireWritable, statPath, writeWhole } from './files.ts'
import type { NamedFile } from './host.ts'
import {
  applyChange,
  isSeriesFile,
  parseCsv,
  requireSame,
  type Series,
  type SeriesAbout,
  type SeriesFile,
  type SeriesId,
  toCsv,
} from './series.ts'

/**
 * Opens the series of a file, or a new one.
 * @throws CommandError if the file cannot be read or written, is of another series, or is in use
 */
export async function openSeriesFile(file: NamedFile, id: SeriesId): Promise<SeriesFile> {
  const { name, path } = file
  if (!isSeriesFile(name)) throw usageError(`--sync ${name}: it must end in .csv, .sqlite or .db.`)
  requireReplaceable('--sync', file)
  const target = resolveFile(path)
  const { lock } = lockFile(target)
  if (lock === undefined) throw refusal(`--sync ${name}: another run is using it. Nothing was sent.`, 'series_in_use')
  try {
    const series = /\.csv$/i.test(name)
      ? openCsv(name, target, id)
      : await (await import('./series-sqlite.ts')).openSqlite(name, target, id)
    return {
      ...series,
      name,
      merge(change) {
        if (!lock.isHeld()) throw new Error('another run has taken it over')
        series.merge(change)
      },
      close: () => lock.release(),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A CSV file has no place for its token and bucket: they are in a file beside it. */
function openCsv(name: string, path: string, id: SeriesId): Series {
  const about = `${path}.json`
  requireWritable('--sync', { name: `${name}.json`, path: about })
  const isNew = !statPath(path)?.size
  const said = isNew ? {} : readAbout(name, about)
  if (!isNew) requireSame(name, said, id)
  const candles = isNew ? [] : readCandles(name, path)
  return {
    candles,
    since: said.count === candles.length ? said.since : undefined,
    merge(change) {
      const merged = applyChange(candles, change)
      // Candles without a token would be of no use, and a token without candles does no harm.
      writeWhole(about, `${JSON.stringify({ ...id, since: change.since, count: merged.length })}\n`)
      writeWhole(path, toCsv(merged))
    },
  }
}

function readCandles(name: string, path: string): Candle[] {
  try {
    return mergeCandles([], parseCsv(readFileSync(path, 'utf8')))
  } catch (error) {
    throw usageError(`--sync ${name}: ${reasonOf(error)}.`, error)
  }
}

function readAbout(name: string, path: string): SeriesAbout {
  try {
    return Object(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw usageError(
      `--sync ${name}: ${name}.json, which says of which token it is, cannot be read (${reasonOf(error)}).`,
      error,
    )
  }
}
