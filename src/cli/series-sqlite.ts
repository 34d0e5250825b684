import type { Candle } from 'etn-market'
import { usageError } from './failure.ts'
import { requireWritable } from './files.ts'
import type { NamedFile } from './host.ts'
import { requireSame, type SeriesFile, type SeriesId } from './series.ts'

/** The parts of `node:sqlite` that are used here. */
interface Database {
  exec(sql: string): void
  prepare(sql: string): { all(): unknown[]; get(): unknown; run(...values: (string | number)[]): unknown }
  close(): void
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS series (token TEXT, bucket TEXT, currency TEXT, savedAt INTEGER);
  CREATE TABLE IF NOT EXISTS candles (time INTEGER PRIMARY KEY, open REAL, high REAL, low REAL, close REAL, volume REAL, count INTEGER);`

/** A series in a SQLite file: the table `candles`, and `series` with what it is of. @throws CommandError without `node:sqlite` */
export function openSqlite(file: NamedFile, id: SeriesId): SeriesFile {
  const { name, path } = file
  const sqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as
    | { DatabaseSync: new (path: string) => Database }
    | undefined
  if (sqlite === undefined)
    throw usageError(
      `--sync ${name}: Node ${process.versions.node} has no SQLite: use Node 22.13 or newer, or a .csv file.`,
    )
  requireWritable('--sync', file)
  const database = openDatabase(name, () => new sqlite.DatabaseSync(path))
  const stored = database.prepare('SELECT * FROM series').get() as (SeriesId & { savedAt: number }) | undefined
  if (stored) requireSame(name, stored, id)
  const candles = database.prepare('SELECT * FROM candles ORDER BY time').all() as Candle[]
  return {
    candles,
    savedAt: stored?.savedAt ?? 0,
    merge(fresh, savedAt) {
      const insert = database.prepare('INSERT OR REPLACE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?)')
      database.exec('BEGIN')
      for (const { time, open, high, low, close, volume, count } of fresh)
        insert.run(time, open, high, low, close, volume, count)
      database.exec('DELETE FROM series')
      database.prepare('INSERT INTO series VALUES (?, ?, ?, ?)').run(id.token, id.bucket, id.currency, savedAt)
      database.exec('COMMIT')
    },
    close: () => database.close(),
  }
}

function openDatabase(name: string, open: () => Database): Database {
  try {
    const database = open()
    database.exec(SCHEMA)
    return database
  } catch (error) {
    throw usageError(`--sync ${name}: ${(error as Error).message}.`, error)
  }
}
