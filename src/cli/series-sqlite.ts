import type { Candle } from 'etn-market'
import { isLocked, openSqliteFile, type SqliteDatabase } from '../file-store/sqlite-file.ts'
import { CommandError, EXIT, refusal, usageError } from './failure.ts'
import { reasonOf, tryAccess } from './files.ts'
import type { SeriesAbout, StoredSeries } from './series.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS series (token TEXT, bucket TEXT, currency TEXT);
  CREATE TABLE IF NOT EXISTS completeness (since INTEGER, count INTEGER);
  CREATE TABLE IF NOT EXISTS candles (time INTEGER PRIMARY KEY, open REAL, high REAL, low REAL, close REAL, volume REAL, count INTEGER);`
const INSERT = 'INSERT OR REPLACE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?)'
const SELECT = 'SELECT time, open, high, low, close, volume, count FROM candles ORDER BY time'

/**
 * A series in a SQLite file: the table `candles`, and `series` with what it is of. Nobody else has the file until it is closed.
 * @throws CommandError where there is no SQLite, or where another program uses the file for 5 seconds; the signal's reason
 */
export async function openSqlite(name: string, path: string, signal?: AbortSignal): Promise<StoredSeries> {
  const file = await openSqliteFile(path, signal).catch((error) => {
    const problem = `--sync ${name}: ${reasonOf(error)}.`
    if (isLocked(error)) throw refusal(`${problem} Another program uses it. Nothing was sent.`, 'series_in_use')
    throw signal?.aborted ? error : usageError(problem, error)
  })
  if (file === undefined) throw missingError(name)
  try {
    const { about, candles = [] } = tryAccess(`--sync ${name}`, () => file.read(readAll))
    return {
      about,
      candles,
      write({ fresh, gone }, { token, bucket, currency, since, count }) {
        file.write((database) => {
          database.exec(SCHEMA)
          for (const { time, open, high, low, close, volume, count } of fresh)
            database.run(INSERT, [time, open, high, low, close, volume, count])
          if (gone !== undefined) database.run('DELETE FROM candles WHERE time = ?', [gone])
          database.exec('DELETE FROM series; DELETE FROM completeness')
          database.run('INSERT INTO series (token, bucket, currency) VALUES (?, ?, ?)', [token, bucket, currency])
          if (since !== undefined) database.run('INSERT INTO completeness VALUES (?, ?)', [since, count])
        })
      },
      close: file.close,
    }
  } catch (error) {
    file.close()
    throw error
  }
}

function readAll(database: SqliteDatabase): { about?: SeriesAbout; candles?: Candle[] } {
  const tables = database.all('SELECT name FROM sqlite_master') as { name: string }[]
  const hasTable = (name: string) => tables.some((table) => table.name === name)
  if (!hasTable('series') || !hasTable('candles')) return {}
  const [id] = database.all('SELECT token, bucket, currency FROM series') as SeriesAbout[]
  const [completeness] = hasTable('completeness') ? database.all('SELECT since, count FROM completeness') : []
  return {
    ...(id && { about: { ...id, ...(completeness as SeriesAbout) } }),
    candles: database.all(SELECT) as Candle[],
  }
}

function missingError(name: string): CommandError {
  const message = `--sync ${name}: Node ${process.versions.node} has no SQLite. Install it beside etn-market with \`npm install node-sqlite3-wasm\`, use Node 22.13 or newer, or name a .csv file. Nothing was sent.`
  return new CommandError(message, 'sqlite_missing', EXIT.usage)
}
