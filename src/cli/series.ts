import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Candle, OperationParams } from 'etn-market'
import { type Bucket, mergeCandles } from '../feed/candles/series.ts'
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
  readonly bucket: Bucket
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

/** What a purchase changes in a series. */
export interface SeriesChange {
  /** They replace those of the same times. */
  readonly fresh: readonly Candle[]
  /** The time of a candle that is removed. */
  readonly gone: number | undefined
  readonly since: number | undefined
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
}

export class SeriesFile {
  readonly id: SeriesId
  /** As the user named it. */
  readonly name: string
  /** Oldest first. */
  candles: readonly Candle[]
  /** From this time on no candle is missing, unix seconds; undefined where that is not known. Periods without a trade have no candle. */
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
    this.candles = candles
    this.since = about?.count === candles.length ? (about.since ?? undefined) : undefined
    this.#stored = stored
    this.#lock = lock
  }

  /** Writes the series after a change. @throws the error of the system */
  merge(change: SeriesChange): void {
    if (!this.#lock.isHeld()) throw new Error('another run has taken it over')
    const { fresh, gone, since } = change
    const merged = mergeCandles(this.candles, fresh).filter(({ time }) => time !== gone)
    this.#stored.write(change, { ...this.id, since, count: merged.length }, merged)
    this.candles = merged
    this.since = since
  }

  [Symbol.dispose](): void {
    this.#lock.release()
  }
}

/** Opens the series of a file, or a new one. @throws CommandError if it is unusable, of another series, or in use */
export async function openSeriesFile(file: NamedFile, id: SeriesId): Promise<SeriesFile> {
  const { name } = file
  if (!isSeriesFile(name)) throw usageError(`--sync ${name}: it must end in .csv, .sqlite or .db.`)
  requireWritable('--sync', file, 'replaced')
  const path = resolveFile(file.path)
  const { lock } = tryAccess(`--sync ${name}`, () => lockFile(path))
  if (lock === undefined) throw refusal(`--sync ${name}: another run is using it. Nothing was sent.`, 'series_in_use')
  try {
    const isCsv = /\.csv$/i.test(name)
    const stored = isCsv ? openCsv(name, path) : await (await import('./series-sqlite.ts')).openSqlite(name, path)
    return new SeriesFile(name, id, stored, lock)
  } catch (error) {
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
    candles: isNew ? [] : tryAccess(`--sync ${name}`, () => mergeCandles([], parseCsv(readFileSync(path, 'utf8')))),
    write(_, about, merged) {
      // Candles without a token would be of no use, and a token without candles does no harm.
      writeWhole(beside.path, `${JSON.stringify(about)}\n`)
      writeWhole(path, toCsv(merged))
    },
  }
}

const COLUMNS = ['open', 'high', 'low', 'close', 'volume', 'count'] as const
const HEADER = ['time', ...COLUMNS].join(',')
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** Candles as CSV, oldest first, with ISO times and all digits of each number. */
export function toCsv(candles: readonly Candle[]): string {
  const lines = candles.map((candle) =>
    [toIsoTime(candle.time), ...COLUMNS.map((name) => toPlainNumber(candle[name]))].join(','),
  )
  return `${[HEADER, ...lines].join('\n')}\n`
}

/** The candles of such a file. A last line that is torn is left out: the next purchase writes it again. */
export function parseCsv(text: string): Candle[] {
  const [header, ...lines] = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (header !== HEADER) throw new Error(`it is no CSV file with candles: line 1 must be ${HEADER}`)
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const candle = parseLine(line)
    if (candle !== undefined) return [candle]
    if (index === lines.length - 1) return []
    throw new Error(`line ${index + 2} cannot be read: ${JSON.stringify(line.slice(0, 60))}. Mend or delete it`)
  })
}

function parseLine(line: string): Candle | undefined {
  const [time = '', ...cells] = line.split(',').map((cell) => cell.trim())
  const seconds = Date.parse(time) / 1_000
  // Other forms of a time are read in the time zone of the machine.
  if (!Number.isFinite(seconds) || toIsoTime(seconds) !== time) return undefined
  if (cells.length !== COLUMNS.length || !cells.every((cell) => NUMBER.test(cell))) return undefined
  const [open = 0, high = 0, low = 0, close = 0, volume = 0, count = 0] = cells.map(Number)
  return { time: seconds, open, high, low, close, volume, count }
}

/** Seconds since 1970 as `2026-11-22T07:00:00Z`. */
export function toIsoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
}

const PLAIN = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 21 })

/** The shortest digits that are this number, without an exponent. */
export function toPlainNumber(number: number): string {
  return number === 0 ? '0' : PLAIN.format(number)
}
