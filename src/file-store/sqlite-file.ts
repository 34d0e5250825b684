import { copyFileSync, existsSync, mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { pause } from './file-lock.ts'
import { replaceFileSync } from './replace-file.ts'

/** An open database, as `node-sqlite3-wasm` has it. */
export interface SqliteDatabase {
  exec(sql: string): void
  all(sql: string): unknown[]
  run(sql: string, values: (string | number | null)[]): void
  close(): void
}

/** A database that is read and then changed once. */
export interface SqliteFile {
  read<T>(use: (database: SqliteDatabase) => T): T
  /** Writes all that `use` changes, or nothing. Once. */
  write(use: (database: SqliteDatabase) => void): void
  close(): void
}

/** @throws an error that is `isLocked` while another program uses the file */
type OpenFile = (path: string) => SqliteFile

/** How long it waits for another program. */
const WAIT_MS = 5_000
const POLL_MS = 50

/** Whether another program uses the file. */
export const isLocked = (error: unknown): error is Error => /^database is locked|^EEXIST/.test((error as Error).message)

/**
 * Opens a SQLite file, or makes one. Waits 5 seconds for other programs that use it. Undefined where there is no SQLite.
 * @throws the error of SQLite or of the system; the signal's reason
 */
export async function openSqliteFile(path: string, signal?: AbortSignal): Promise<SqliteFile | undefined> {
  const open = findNodeSqlite() ?? (await findWasm())
  for (const begun = performance.now(); ; await setTimeout(POLL_MS, undefined, { signal }))
    try {
      return open?.(path)
    } catch (error) {
      if (!isLocked(error) || performance.now() - begun > WAIT_MS) throw error
    }
}

/** A program with `node-sqlite3-wasm` locks a file by this folder, which SQLite itself does not look at. */
const folderOf = (path: string) => `${path}.lock`

/** @throws an error that is `isLocked` if one of the files is there, by which other programs show that they are at work */
function requireNone(...traces: readonly string[]): void {
  const found = traces.find((trace) => existsSync(trace))
  if (found !== undefined) throw new Error(`database is locked: there is ${found}`)
}

/** Writes while programs with `node-sqlite3-wasm` are locked out. That takes a moment only, because after a kill the folder would stay. */
function withFolder(path: string, traces: readonly string[], write: () => void): void {
  const folder = folderOf(path)
  for (const begun = performance.now(); ; pause())
    try {
      requireNone(folder, ...traces)
      mkdirSync(folder)
      break
    } catch (error) {
      if (!isLocked(error) || performance.now() - begun > WAIT_MS) throw error
    }
  try {
    write()
  } finally {
    rmdirSync(folder)
  }
}

interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    exec(sql: string): void
    prepare(sql: string): { all(): unknown[]; run(...values: readonly (string | number | null)[]): unknown }
    close(): void
  }
}

/** SQLite of Node 22.13 or newer. It locks the file until it is closed, so that the change is not refused later. */
function findNodeSqlite(): OpenFile | undefined {
  const found = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as NodeSqlite | undefined
  if (found === undefined) return undefined
  return (path) => {
    requireNone(folderOf(path))
    const isNew = !existsSync(path)
    const opened = new found.DatabaseSync(path)
    const database: SqliteDatabase = {
      exec: (sql) => opened.exec(sql),
      all: (sql) => opened.prepare(sql).all(),
      run: (sql, values) => void opened.prepare(sql).run(...values),
      close() {
        opened.close()
        // Nothing was written.
        if (isNew && statSync(path).size === 0) rmSync(path)
      },
    }
    try {
      database.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      database.close()
      throw error
    }
    return {
      read: (use) => use(database),
      write(use) {
        withFolder(path, [], () => {
          use(database)
          database.exec('COMMIT')
        })
      },
      close: database.close,
    }
  }
}

/**
 * The package knows no locks of the system: another program that reads the file meanwhile would take a change for one that a crash broke
 * off. So it works on a copy, which then replaces the file.
 */
async function findWasm(): Promise<OpenFile | undefined> {
  const loaded = await import('node-sqlite3-wasm').catch(() => undefined)
  if (loaded === undefined) return undefined
  const { Database } = loaded.default
  function onCopy<T>(path: string, temporary: string, use: (database: SqliteDatabase) => T): T {
    for (const old of [temporary, folderOf(temporary)]) rmSync(old, { recursive: true, force: true })
    if (existsSync(path)) copyFileSync(path, temporary)
    else writeFileSync(temporary, '')
    const database: SqliteDatabase = new Database(temporary)
    try {
      // A crash must leave no journal beside the copy: the next copy would be taken for what it belongs to.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN')
      const result = use(database)
      database.exec('COMMIT')
      return result
    } finally {
      database.close()
    }
  }
  return (path) => {
    const temporary = `${path}.new`
    const traces = [`${path}-journal`, `${path}-wal`]
    requireNone(folderOf(path), ...traces)
    return {
      read(use) {
        try {
          return onCopy(path, temporary, use)
        } finally {
          rmSync(temporary, { force: true })
        }
      },
      write: (use) => withFolder(path, traces, () => replaceFileSync(path, (copy) => onCopy(path, copy, use))),
      close() {},
    }
  }
}
