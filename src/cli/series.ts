import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Candle, OperationParams } from 'etn-market'
import { mergeCandles } from 'etn-market/candles'
import { parseCsv, toCsv, toIsoTime } from '../candles/csv.ts'
import {
  applyChange,
  type KeptSeries,
  type SeriesChange,
  type SeriesNow,
  updateSeries,
} from '../candles/keep-series.ts'
import type { SeriesId } from '../candles/series.ts'
import { type FileLock, lockFile } from '../file-store/file-lock.ts'
import { resolveFile } from '../file-store/replace-file.ts'
import { isLocked, openSqliteFile, type SqliteDatabase } from '../file-store/sqlite-file.ts'
import { defaultOf } from '../operations/validate-params.ts'
import { CommandError, EXIT, refusal, usageError } from './failure.ts'
import { type NamedFile, reasonOf, requireWritable, savePaidFor, statPath, tryAccess, writeWhole } from './files.ts'
import { formatItems } from './output.ts'

export const DEFAULT_BUCKET = defaultOf('token.candles', 'bucket')
export const DEFAULT_CURRENCY = defaultOf('token.candles', 'currency')

/** The series that the parameters of a purchase ask for. */
export function seriesIdOf(params: OperationParams['token.candles']): SeriesId {
  const { address, bucket = DEFAULT_BUCKET, currency = DEFAULT_CURRENCY } = params
  return { address, bucket, currency }
}

/** Whether a name is that of a file with one series; another one is a folder. */
export const isSeriesFile = (name: string): boolean => /\.(csv|sqlite3?|db)$/i.test(name)

/** The file of a series: a file that is named, or a CSV file in a folder. A name for several series is a folder. */
export function seriesName(name: string, { address, bucket, currency }: SeriesId, isOneOfSeveral: boolean): string {
  if (isSeriesFile(name) && !isOneOfSeveral) return name
  return join(name, `${address}-${bucket}-${currency}.csv`)
}

/** What a file says of its series: `since` holds for as many candles as there were then. */
interface SeriesAbout {
  readonly token?: string
  readonly bucket?: string
  readonly currency?: string
  readonly since?: number | undefined
  readonly count?: number
}

interface StoredSeries {
  /** Undefined for a file that is new. */
  readonly about: SeriesAbout | undefined
  readonly candles: readonly Candle[]
  /** @throws the error of the system */
  write(change: SeriesChange, about: Required<SeriesAbout>, merged: readonly Candle[]): void
  /** Lets other programs have the file. */
  close?(): void
}

/** What became of a series, as `--json` prints it. */
export type Synced = Readonly<Awaited<ReturnType<SeriesFile['sync']>>>

export class SeriesFile implements KeptSeries {
  readonly bucket: SeriesId['bucket']
  candles: readonly Candle[]
  since: number | undefined
  readonly #id: SeriesId
  readonly #name: string
  /** What names the file, and the file, for messages. */
  readonly #what: string
  readonly #stored: StoredSeries
  readonly #lock: FileLock

  /** @throws CommandError naming what the file holds */
  constructor(name: string, what: string, id: SeriesId, stored: StoredSeries, lock: FileLock) {
    const { about, candles } = stored
    const { token, bucket, currency } = about ?? { ...id, token: id.address }
    if (token !== id.address || bucket !== id.bucket || currency !== id.currency) {
      const held = `${token ?? 'no token'}, ${bucket ?? '-'}, ${currency ?? '-'}`
      throw usageError(`${what}: it holds another series (${held}). Nothing was sent.`)
    }
    const bad = candles.find((candle) => !Object.values(candle).every(Number.isFinite))
    if (bad) throw usageError(`${what}: the candle of ${toIsoTime(bad.time)} cannot be read.`)
    this.bucket = id.bucket
    this.candles = candles
    this.since = about?.count === candles.length ? (about.since ?? undefined) : undefined
    this.#id = id
    this.#name = name
    this.#what = what
    this.#stored = stored
    this.#lock = lock
  }

  /** Buys what is missing. Rejects with the error of `buy`, or with one that says where the candles are that the file did not take. */
  async sync({ limit, now, buy }: SeriesNow & { buy(limit: number): Promise<readonly Candle[]> }) {
    const { added, updated, gap } = await updateSeries(this, {
      limit,
      now: () => now,
      buy: (count) => buy(count()),
      save: (change) => savePaidFor(this.#what, 'candles.csv', toCsv(change.fresh), () => this.#merge(change)),
    })
    return { file: this.#name, added, updated, total: this.candles.length, ...(gap && { gap }) }
  }

  #merge(change: SeriesChange): void {
    if (!this.#lock.isHeld()) throw new Error('another run has taken it over')
    const merged = applyChange(this.candles, change)
    const { address: token, bucket, currency } = this.#id
    this.#stored.write(change, { token, bucket, currency, since: change.since, count: merged.length }, merged)
    this.candles = merged
    this.since = change.since
  }

  [Symbol.dispose](): void {
    this.#stored.close?.()
    this.#lock.release()
  }
}

export function describeSync({ file, added, updated, total }: Synced): string {
  return `${file}: ${added} added, ${updated} updated, ${formatItems(total, 'candle')}.`
}

export function describeGap({ file, gap }: Pick<Synced, 'file' | 'gap'>): string[] {
  if (gap === undefined) return []
  const times = `from ${toIsoTime(gap.from)} to ${toIsoTime(gap.to)}`
  return [`warning: ${file}: a gap stays ${times}: the service returns no older candles.`]
}

/**
 * Opens the series of a file, or a new one.
 * @param by what names the file, for messages: an option, or a line of a plan
 * @throws CommandError if it is unusable, of another series, or in use
 */
export async function openSeriesFile(
  by: string,
  file: NamedFile,
  id: SeriesId,
  signal?: AbortSignal,
): Promise<SeriesFile> {
  const { name } = file
  const what = `${by} ${name}`
  if (!isSeriesFile(name)) throw usageError(`${what}: it must end in .csv, .sqlite or .db.`)
  requireWritable(by, file, 'replaced')
  const path = resolveFile(file.path)
  // Not `<path>.lock`: a folder of that name is the lock by which programs with `node-sqlite3-wasm` read the file.
  const { lock } = tryAccess(what, () => lockFile(`${path}.sync`))
  if (lock === undefined) throw refusal(`${what}: another run is using it. Nothing was sent.`, 'series_in_use')
  let stored: StoredSeries | undefined
  try {
    stored = /\.csv$/i.test(name) ? openCsv(by, { name, path }) : await openSqlite(what, path, signal)
    return new SeriesFile(name, what, id, stored, lock)
  } catch (error) {
    stored?.close?.()
    lock.release()
    throw error
  }
}

/** A CSV file has no place for its token and bucket: they are in a file beside it. */
function openCsv(by: string, { name, path }: NamedFile): StoredSeries {
  const what = `${by} ${name}`
  const beside = { name: `${name}.json`, path: `${path}.json` }
  requireWritable(by, beside, 'replaced')
  const isNew = !statPath(path)?.size
  const readAbout = () => Object(JSON.parse(readFileSync(beside.path, 'utf8'))) as SeriesAbout
  const problem = `${what}: ${beside.name}, which says of which token it is, cannot be read`
  return {
    about: isNew ? undefined : tryAccess(problem, readAbout),
    candles: isNew ? [] : tryAccess(what, () => mergeCandles(parseCsv(readFileSync(path, 'utf8')))),
    write(_, about, merged) {
      // Candles without a token would be of no use, and a token without candles does no harm.
      writeWhole(beside.path, `${JSON.stringify(about)}\n`)
      writeWhole(path, toCsv(merged))
    },
  }
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS series (token TEXT, bucket TEXT, currency TEXT, since INTEGER, count INTEGER);
  CREATE TABLE IF NOT EXISTS candles (time INTEGER PRIMARY KEY, open REAL, high REAL, low REAL, close REAL, volume REAL, count INTEGER);`
const INSERT = 'INSERT OR REPLACE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?)'
const SELECT = 'SELECT time, open, high, low, close, volume, count FROM candles ORDER BY time'

/**
 * A series in a SQLite file: the table `candles`, and `series` with what it is of. Nobody else has the file until it is closed.
 * @throws CommandError where there is no SQLite, or where another program uses the file for 5 seconds; the signal's reason
 */
async function openSqlite(what: string, path: string, signal?: AbortSignal): Promise<StoredSeries> {
  const file = await openSqliteFile(path, signal).catch((error) => {
    const problem = `${what}: ${reasonOf(error)}.`
    if (isLocked(error)) throw refusal(`${problem} Another program uses it. Nothing was sent.`, 'series_in_use')
    throw signal?.aborted ? error : usageError(problem, error)
  })
  if (file === undefined) {
    const problem = `${what}: Node ${process.versions.node} has no SQLite.`
    const advice = `Install it beside etn-market with \`npm install node-sqlite3-wasm\`, use Node 22.13 or newer, or name a .csv file.`
    throw new CommandError(`${problem} ${advice} Nothing was sent.`, 'sqlite_missing', EXIT.usage)
  }
  try {
    const { about, candles = [] } = tryAccess(what, () => file.read(readAll))
    return {
      about,
      candles,
      write({ fresh, gone }, { token, bucket, currency, since, count }) {
        file.write((database) => {
          database.exec(SCHEMA)
          for (const { time, open, high, low, close, volume, count } of fresh)
            database.run(INSERT, [time, open, high, low, close, volume, count])
          if (gone !== undefined) database.run('DELETE FROM candles WHERE time = ?', [gone])
          database.exec('DELETE FROM series')
          database.run('INSERT INTO series VALUES (?, ?, ?, ?, ?)', [token, bucket, currency, since ?? null, count])
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
  const [about] = database.all('SELECT * FROM series') as SeriesAbout[]
  return { ...(about && { about }), candles: database.all(SELECT) as Candle[] }
}
