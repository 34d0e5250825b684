import { usageError } from './failure.ts'
import type { SeriesFile, SeriesId } from './series.ts'
import { openCsv } from './series-csv.ts'

/** Opens the series of a file, or a new one. @throws CommandError if the file cannot be written or is of another series */
export async function openSeriesFile(path: string, id: SeriesId): Promise<SeriesFile> {
  if (/\.csv$/i.test(path)) return openCsv(path, id)
  if (!/\.(sqlite3?|db)$/i.test(path)) throw usageError(`--sync ${path}: it must end in .csv, .sqlite or .db.`)
  const { openSqlite } = await import('./series-sqlite.ts')
  return openSqlite(path, id)
}
