import { closeSync, copyFileSync, existsSync, openSync, rmSync } from 'node:fs'
import type { Candle } from 'etn-market'
import { replaceFileSync } from '../file-store/replace-file.ts'
import { CommandError, EXIT, usageError } from './failure.ts'
import { reasonOf } from './files.ts'
import { applyChange, requireSame, type Series, type SeriesAbout, type SeriesId, toIsoTime } from './series.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS series (token TEXT, bucket TEXT, currency TEXT);
  CREATE TABLE IF NOT EXISTS completeness (since INTEGER, count INTEGER);
  CREATE TABLE IF NOT EXISTS candles (time INTEGER PRIMARY KEY, open REAL, high REAL, low REAL, close REAL, volume REAL, count INTEGER);`

/** A series in a SQLite file: the table `candles`, and `series` with what it is of. @throws CommandError where there is no SQLite */
export async function openSqlite(name: string, path: string, id: SeriesId): Promise<Series> {
  const sqlite = await loadSqlite(name)
  const { about, candles } = existsSync(path) ? readSeries(name, () => sqlite.read(path, readAll)) : NOTHING
  if (about !== undefined) requireSame(name, about, id)
  const bad = candles.find((candle) => !Object.values(candle).every(Number.isFinite))
  if (bad) throw usageError(`--sync ${name}: the candle of ${toIsoTime(bad.time)} cannot be read.`)
  return {
    candles,
    since: about?.count === candles.length ? (about.since ?? undefined) : undefined,
    merge(change) {
      const { token, bucket, currency } = id
      sqlite.write(path, (database) => {
        database.exec(SCHEMA)
        database.exec('BEGIN')
        for (const { time, open, high, low, close, volume, count } of change.fresh)
          database.run('INSERT OR REPLACE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?)', [
            time,
            open,
            high,
            low,
            close,
            volume,
            count,
          ])
        if (change.gone !== undefined) database.run('DELETE FROM candles WHERE time = ?', [change.gone])
        database.exec('DELETE FROM series; DELETE FROM completeness')
        database.run('INSERT INTO series (token, bucket, currency) VALUES (?, ?, ?)', [token, bucket, currency])
        if (change.since !== undefined)
          database.run('INSERT INTO completeness VALUES (?, ?)', [change.since, applyChange(candles, change).length])
        database.exec('COMMIT')
      })
    },
  }
}

const NOTHING: { about?: SeriesAbout; candles: Candle[] } = { candles: [] }

function readAll(database: SqliteDatabase): typeof NOTHING {
  const tables = database.all("SELECT name FROM sqlite_master WHERE name IN ('series', 'candles', 'completeness')")
  if (!['series', 'candles'].every((table) => tables.some((found) => (found as { name: string }).name === table)))
    return NOTHING
  const [id] = database.all('SELECT token, bucket, currency FROM series') as SeriesId[]
  const [completeness] =
    tables.length === 3 ? (database.all('SELECT since, count FROM completeness') as SeriesAbout[]) : []
  const candles = database.all('SELECT time, open, high, low, close, volume, count FROM candles ORDER BY time')
  return { ...(id && { about: { ...id, ...completeness } }), candles: candles as Candle[] }
}

function readSeries<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw usageError(`--sync ${name}: ${reasonOf(error)}.`, error)
  }
}

/** An open database. */
export interface SqliteDatabase {
  exec(sql: string): void
  all(sql: string): unknown[]
  run(sql: string, values: readonly (string | number)[]): void
}

/** Opens databases in files, for one use each. */
export interface Sqlite {
  read<T>(path: string, use: (database: SqliteDatabase) => T): T
  write(path: string, use: (database: SqliteDatabase) => void): void
}

/** The parts of `node:sqlite` that are used here. */
interface NodeDatabase {
  exec(sql: string): void
  prepare(sql: string): { all(): unknown[]; run(...values: readonly (string | number)[]): unknown }
  close(): void
}

/** SQLite of Node 22.13 or newer, else the package `node-sqlite3-wasm`. @throws CommandError without both */
export async function loadSqlite(name: string): Promise<Sqlite> {
  return findNodeSqlite() ?? (await loadWasm(name))
}

function findNodeSqlite(): Sqlite | undefined {
  const found = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as
    | { DatabaseSync: new (path: string) => NodeDatabase }
    | undefined
  if (found === undefined) return undefined
  const access = <T>(path: string, use: (database: SqliteDatabase) => T): T => {
    const database = new found.DatabaseSync(path)
    try {
      return use({
        exec: (sql) => database.exec(sql),
        all: (sql) => database.prepare(sql).all(),
        run: (sql, values) => void database.prepare(sql).run(...values),
      })
    } finally {
      database.close()
    }
  }
  return { read: access, write: access }
}

/**
 * The package knows no locks of the system: another program that reads the file meanwhile would take a change for one that a crash broke
 * off. So it works on a copy, which then replaces the file.
 */
async function loadWasm(name: string): Promise<Sqlite> {
  const { Database } = await importWasm(name)
  const access = <T>(path: string, use: (database: SqliteDatabase) => T): T => {
    const database = new Database(path)
    try {
      // A crash must leave no journal beside the copy: the next copy would be taken for what it belongs to.
      database.exec('PRAGMA journal_mode = MEMORY')
      return use({
        exec: (sql) => database.exec(sql),
        all: (sql) => database.all(sql),
        run: (sql, values) => void database.run(sql, [...values]),
      })
    } finally {
      database.close()
    }
  }
  const copy = (path: string, temporary: string) => {
    for (const rest of [`${path}-journal`, `${path}-wal`])
      if (existsSync(rest)) throw new Error(`another program has changed it and not finished: there is ${rest}`)
    for (const old of [temporary, `${temporary}.lock`]) rmSync(old, { recursive: true, force: true })
    if (existsSync(path)) copyFileSync(path, temporary)
    else closeSync(openSync(temporary, 'w'))
  }
  return {
    read(path, use) {
      const temporary = `${path}.new`
      try {
        copy(path, temporary)
        return access(temporary, use)
      } finally {
        rmSync(temporary, { force: true })
      }
    },
    write(path, use) {
      replaceFileSync(path, (temporary) => {
        copy(path, temporary)
        access(temporary, use)
      })
    },
  }
}

async function importWasm(name: string): Promise<typeof import('node-sqlite3-wasm')> {
  try {
    return (await import('node-sqlite3-wasm')).default
  } catch (cause) {
    const message = `--sync ${name}: Node ${process.versions.node} has no SQLite. Install it beside etn-market with \`npm install node-sqlite3-wasm\`, use Node 22.13 or newer, or name a .csv file. Nothing was sent.`
    throw new CommandError(message, 'sqlite_missing', EXIT.usage, cause)
  }
}
