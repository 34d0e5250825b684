import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Candle, OperationParams } from 'etn-market'
import { type CandleBucket, mergeCandles } from 'etn-market/candles'
import { parseCsv, toCsv, toIsoTime } from '../candles/csv.ts'
import { applyChange, type KeptSeries, type SeriesChange } from '../candles/keep-series.ts'
import { type FileLock, lockFile } from '../file-store/file-lock.ts'
import { resolveFile } from '../file-store/replace-file.ts'
import { defaultOf } from '../operations/validate-params.ts'
import { refusal, usageError } from './failure.ts'
import { type NamedFile, requireWritable, statPath, tryAccess, writeWhole } from './files.ts'

export const DEFAULT_BUCKET = defaultOf('token.candles', 'bucket')
export const DEFAULT_CURRENCY = defaultOf('token.candles', 'currency')

export interface SeriesId {
  /** In EIP-55 form. */
  readonly token: string
  readonly bucket: CandleBucket
  readonly currency: NonNullable<OperationParams['token.candles']['currency']>
}

/** What the parameters of a purchase ask for. */
export function seriesIdOf(params: OperationParams['token.candles']): SeriesId {
  const { address: token, bucket = DEFAULT_BUCKET, currency = DEFAULT_CURRENCY } = params
  return { token, bucket, currency }
}

/** Whether a name is that of a file with one series; another one is a folder. */
export const isSeriesFile = (name: string): boolean => /\.(csv|sqlite3?|db)$/i.test(name)

/** The file of a series: a file that is named, or a CSV file in a folder. A name for several series is a folder. */
export function seriesName(name: string, { token, bucket, currency }: SeriesId, isOneOfSeveral: boolean): string {
  if (isSeriesFile(name) && !isOneOfSeveral) return name
  return join(name, `${token}-${bucket}-${currency}.csv`)
}

/** What a file says of its series: `since` holds for as many candles as there were then. */
export interface SeriesAbout extends Partial<SeriesId> {
  readonly since?: number | undefined
  readonly count?: number
}

export interface StoredSeries {
  /** Undefined for a file that is new. */
  readonly about: SeriesAbout | undefined
  readonly candles: readonly Candle[]
  /** @throws the error of the system */
  write(change: SeriesChange, about: Required<SeriesAbout>, merged: readonly Candle[]): void
  /** Lets other programs have the file. */
  close?(): void
}

export class SeriesFile implements KeptSeries {
  readonly id: SeriesId
  readonly bucket: CandleBucket
  /** As the user named it. */
  readonly name: string
  candles: readonly Candle[]
  since: number | undefined
  readonly #stored: StoredSeries
  readonly #lock: FileLock

  /** @throws CommandError naming what the file holds */
  constructor(name: string, id: SeriesId, stored: StoredSeries, lock: FileLock) {
    const { about, candles } = stored
    const { token, bucket, currency } = about ?? id
    if (token !== id.token || bucket !== id.bucket || currency !== id.currency) {
      const held = `${token ?? 'no token'}, ${bucket ?? '-'}, ${currency ?? '-'}`
      throw usageError(`--sync ${name}: it holds another series (${held}). Nothing was sent.`)
    }
    const bad = candles.find((candle) => !Object.values(candle).every(Number.isFinite))
    if (bad) throw usageError(`--sync ${name}: the candle of ${toIsoTime(bad.time)} cannot be read.`)
    this.name = name
    this.id = id
    this.bucket = id.bucket
    this.candles = candles
    this.since = about?.count === candles.length ? (about.since ?? undefined) : undefined
    this.#stored = stored
    this.#lock = lock
  }

  /** Writes the series after a change. @throws the error of the system */
  merge(change: SeriesChange): void {
    if (!this.#lock.isHeld()) throw new Error('another run has taken it over')
    const merged = applyChange(this.candles, change)
    this.#stored.write(change, { ...this.id, since: change.since, count: merged.length }, merged)
    this.candles = merged
    this.since = change.since
  }

  [Symbol.dispose](): void {
    this.#stored.close?.()
    this.#lock.release()
  }
}

/** Opens the series of a file, or a new one. @throws CommandError if it is unusable, of another series, or in use */
export async function openSeriesFile(file: NamedFile, id: SeriesId, signal?: AbortSignal): Promise<SeriesFile> {
  const { name } = file
  if (!isSeriesFile(name)) throw usageError(`--sync ${name}: it must end in .csv, .sqlite or .db.`)
  requireWritable('--sync', file, 'replaced')
  const path = resolveFile(file.path)
  // Not `<path>.lock`: a folder of that name is the lock by which programs with `node-sqlite3-wasm` read the file.
  const { lock } = tryAccess(`--sync ${name}`, () => lockFile(`${path}.sync`))
  if (lock === undefined) throw refusal(`--sync ${name}: another run is using it. Nothing was sent.`, 'series_in_use')
  let stored: StoredSeries | undefined
  try {
    const isCsv = /\.csv$/i.test(name)
    stored = isCsv ? openCsv(name, path) : await (await import('./series-sqlite.ts')).openSqlite(name, path, signal)
    return new SeriesFile(name, id, stored, lock)
  } catch (error) {
    stored?.close?.()
    lock.release()
    throw error
  }
}

/** A CSV file has no place for its token and bucket: they are in a file beside it. */
function openCsv(name: string, path: string): StoredSeries {
  const beside = { name: `${name}.json`, path: `${path}.json` }
  requireWritable('--sync', beside, 'replaced')
  const isNew = !statPath(path)?.size
  const readAbout = () => Object(JSON.parse(readFileSync(beside.path, 'utf8'))) as SeriesAbout
  const problem = `--sync ${name}: ${beside.name}, which says of which token it is, cannot be read`
  return {
    about: isNew ? undefined : tryAccess(problem, readAbout),
    candles: isNew ? [] : tryAccess(`--sync ${name}`, () => mergeCandles(parseCsv(readFileSync(path, 'utf8')))),
    write(_, about, merged) {
      // Candles without a token would be of no use, and a token without candles does no harm.
      writeWhole(beside.path, `${JSON.stringify(about)}\n`)
      writeWhole(path, toCsv(merged))
    },
  }
}
