import { lockFile } from '../file-store/file-lock.ts'
import { resolveFile } from '../file-store/resolve-file.ts'
import { refusal, usageError } from './failure.ts'
import type { NamedFile } from './host.ts'
import { requireReplaceable } from './replace-file.ts'
import type { SeriesFile, SeriesId } from './series.ts'
import { openCsv } from './series-csv.ts'

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
