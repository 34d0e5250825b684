import { readFileSync, writeFileSync } from 'node:fs'
import { mergeCandles } from '../feed/candles/buckets.ts'
import { replaceFileSync } from '../file-store/replace-file.ts'
import { parseCsv, toCsv } from './candle-csv.ts'
import { usageError } from './failure.ts'
import { reasonOf, requireWritable, statPath } from './files.ts'
import { requireSame, type Series, type SeriesId, withoutGone } from './series.ts'

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
