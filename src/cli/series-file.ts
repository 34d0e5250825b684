import { usageError } from './failure.ts'
import type { NamedFile } from './host.ts'
import type { SeriesFile, SeriesId } from './series.ts'
import { openCsv } from './series-csv.ts'

/** Opens the series of a file, or a new one. @throws CommandError if the file cannot be written or is of another series */
export async function openSeriesFile(file: NamedFile, id: SeriesId): Promise<SeriesFile> {
  const { name } = file
  if (/\.csv$/i.test(name)) return openCsv(file, id)
  if (!/\.(sqlite3?|db)$/i.test(name)) throw usageError(`--sync ${name}: it must end in .csv, .sqlite or .db.`)
  const { openSqlite } = await import('./series-sqlite.ts')
  return openSqlite(file, id)
}
