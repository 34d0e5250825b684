import { existsSync } from 'node:fs'
import type { Candle } from 'etn-market'
import { toIsoTime } from './candle-csv.ts'
import { usageError } from './failure.ts'
import { reasonOf } from './files.ts'
import { requireSame, type Series, type SeriesId } from './series.ts'
import { loadSqlite, type SqliteDatabase } from './sqlite.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS series (token TEXT, bucket TEXT, currency TEXT);
  CREATE TABLE IF NOT EXISTS candles (time INTEGER PRIMARY KEY, open REAL, high REAL, low REAL, close REAL, volume REAL, count INTEGER);`

/** A series in a SQLite file: the table `candles`, and `series` with what it is of. @throws CommandError where there is no SQLite */
export async function openSqlite(name: string, path: string, id: SeriesId): Promise<Series> {
  const sqlite = await loadSqlite(name)
  const known = existsSync(path) ? readSeries(name, () => sqlite.read(path, readAll)) : { candles: [] }
  if (known.id) requireSame(name, known.id, id)
  const bad = known.candles.find((candle) => !Object.values(candle).every(Number.isFinite))
  if (bad) throw usageError(`--sync ${name}: the candle of ${toIsoTime(bad.time)} cannot be read.`)
  return {
    candles: known.candles,
    merge(fresh, gone) {
      sqlite.write(path, (database) => {
        database.exec(SCHEMA)
        database.exec('BEGIN')
        for (const { time, open, high, low, close, volume, count } of fresh)
          database.run('INSERT OR REPLACE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?)', [
            time,
            open,
            high,
            low,
            close,
            volume,
            count,
          ])
        if (gone !== undefined) database.run('DELETE FROM candles WHERE time = ?', [gone])
        database.exec('DELETE FROM series')
        database.run('INSERT INTO series (token, bucket, currency) VALUES (?, ?, ?)', [
          id.token,
          id.bucket,
          id.currency,
        ])
        database.exec('COMMIT')
      })
    },
  }
}

function readAll(database: SqliteDatabase): { id?: SeriesId; candles: Candle[] } {
  const tables = database.all("SELECT name FROM sqlite_master WHERE name IN ('series', 'candles')")
  if (tables.length < 2) return { candles: [] }
  const [id] = database.all('SELECT token, bucket, currency FROM series') as SeriesId[]
  const candles = database.all('SELECT time, open, high, low, close, volume, count FROM candles ORDER BY time')
  return { ...(id && { id }), candles: candles as Candle[] }
}

function readSeries<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw usageError(`--sync ${name}: ${reasonOf(error)}.`, error)
  }
}
