import { join } from 'node:path'
import type { SeriesId } from './series.ts'

/** Whether a name is that of a file with one series; another one is a folder. */
export const isSeriesFile = (name: string): boolean => /\.(csv|sqlite3?|db)$/i.test(name)

/** The file of a series: a file that is named, or a CSV file in a folder. A name for several series is a folder. */
export function seriesName(name: string, { token, bucket, currency }: SeriesId, isOneOfSeveral: boolean): string {
  if (isSeriesFile(name) && !isOneOfSeveral) return name
  return join(name, `${token}-${bucket}-${currency}.csv`)
}
