import { closeSync, copyFileSync, existsSync, openSync, rmSync } from 'node:fs'
import type { Candle } from 'etn-market'
import { replaceFileSync } from '../file-store/replace-file.ts'
import { CommandError, EXIT } from './failure.ts'
import { tryAccess } from './files.ts'
import type { SeriesAbout, StoredSeries } from './series.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS series (token TEXT, bucket TEXT, currency TEXT);
  CREATE TABLE IF NOT EXISTS completeness (since INTEGER, count INTEGER);
  CREATE TABLE IF NOT EXISTS candles (time INTEGER PRIMARY KEY, open REAL, high REAL, low REAL, close REAL, volume REAL, count INTEGER);`
const INSERT = 'INSERT OR REPLACE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?)'
const SELECT = 'SELECT time, open, high, low, close, volume, count FROM candles ORDER BY time'

/** A series in a SQLite file: the table `candles`, and `series` with what it is of. @throws CommandError where there is no SQLite */
export async function openSqlite(name: string, path: string): Promise<StoredSeries> {
  const sqlite = await loadSqlite(name)
  const { about, candles = [] } = existsSync(path) ? tryAccess(`--sync ${name}`, () => sqlite.read(path, readAll)) : {}
  return {
    about,
    candles,
    write({ fresh, gone }, { token, bucket, currency, since, count }) {
      sqlite.write(path, (database) => {
        database.exec(SCHEMA)
        database.exec('BEGIN')
        for (const { time, open, high, low, close, volume, count } of fresh)
          database.run(INSERT, [time, open, high, low, close, volume, count])
        if (gone !== undefined) database.run('DELETE FROM candles WHERE time = ?', [gone])
        database.exec('DELETE FROM series; DELETE FROM completeness')
        database.run('INSERT INTO series (token, bucket, currency) VALUES (?, ?, ?)', [token, bucket, currency])
        if (since !== undefined) database.run('INSERT INTO completeness VALUES (?, ?)', [since, count])
        database.exec('COMMIT')
      })
    },
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

/** An open database, as `node-sqlite3-wasm` has it. */
export interface SqliteDatabase {
  exec(sql: string): void
  all(sql: string): unknown[]
  run(sql: string, values: (string | number)[]): void
  close(): void
}

export interface Sqlite {
  read<T>(path: string, use: (database: SqliteDatabase) => T): T
  write(path: string, use: (database: SqliteDatabase) => void): void
}

/** SQLite of Node 22.13 or newer, else the package `node-sqlite3-wasm`. @throws CommandError without both */
export async function loadSqlite(name: string): Promise<Sqlite> {
  return findNodeSqlite() ?? (await loadWasm(name))
}

const accessWith =
  (open: (path: string) => SqliteDatabase): Sqlite['read'] =>
  (path, use) => {
    const database = open(path)
    try {
      return use(database)
    } finally {
      database.close()
    }
  }

interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void
    prepare(sql: string): { all(): unknown[]; run(...values: readonly (string | number)[]): unknown }
    close(): void
  }
}

function findNodeSqlite(): Sqlite | undefined {
  const found = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as NodeSqlite | undefined
  if (found === undefined) return undefined
  const access = accessWith((path) => {
    const database = new found.DatabaseSync(path)
    return {
      exec: (sql) => database.exec(sql),
      all: (sql) => database.prepare(sql).all(),
      run: (sql, values) => void database.prepare(sql).run(...values),
      close: () => database.close(),
    }
  })
  return { read: access, write: access }
}

/**
 * The package knows no locks of the system: another program that reads the file meanwhile would take a change for one that a crash broke
 * off. So it works on a copy, which then replaces the file.
 */
async function loadWasm(name: string): Promise<Sqlite> {
  const { Database } = await importWasm(name)
  const access = accessWith((path) => new Database(path))
  function onCopy<T>(path: string, temporary: string, use: (database: SqliteDatabase) => T): T {
    for (const rest of [`${path}-journal`, `${path}-wal`])
      if (existsSync(rest)) throw new Error(`another program has changed it and not finished: there is ${rest}`)
    for (const old of [temporary, `${temporary}.lock`]) rmSync(old, { recursive: true, force: true })
    if (existsSync(path)) copyFileSync(path, temporary)
    else closeSync(openSync(temporary, 'w'))
    return access(temporary, (database) => {
      // A crash must leave no journal beside the copy: the next copy would be taken for what it belongs to.
      database.exec('PRAGMA journal_mode = MEMORY')
      return use(database)
    })
  }
  return {
    read(path, use) {
      const temporary = `${path}.new`
      try {
        return onCopy(path, temporary, use)
      } finally {
        rmSync(temporary, { force: true })
      }
    },
    write: (path, use) => replaceFileSync(path, (temporary) => onCopy(path, temporary, use)),
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
