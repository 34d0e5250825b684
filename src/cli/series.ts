import { join } from 'node:path'
import type { Candle, OperationParams } from 'etn-market'
import type { Bucket } from '../feed/candles/buckets.ts'
import { mergeCandles } from '../feed/candles/buckets.ts'
import { defaultOf } from '../operations/validate-params.ts'
import { usageError } from './failure.ts'

export const DEFAULT_BUCKET = defaultOf('token.candles', 'bucket')
export const DEFAULT_CURRENCY = defaultOf('token.candles', 'currency')

/** What a series is of. A file holds one. */
export interface SeriesId {
  /** In EIP-55 form. */
  readonly token: string
  readonly bucket: Bucket
  readonly currency: NonNullable<OperationParams['token.candles']['currency']>
}

/** A series as a file holds it. */
export interface Series {
  /** Oldest first. */
  readonly candles: readonly Candle[]
  /** From this time on no candle is missing, unix seconds; undefined where that is not known. Periods without a trade have no candle. */
  readonly since: number | undefined
  /** @throws the error of the system */
  merge(change: SeriesChange): void
}

export interface SeriesChange {
  /** They replace those of the same times. */
  readonly fresh: readonly Candle[]
  /** The time of a candle that is removed. */
  readonly gone: number | undefined
  readonly since: number | undefined
}

/** A series in a file that no other run uses meanwhile. */
export interface SeriesFile extends Series {
  /** As the user named it. */
  readonly name: string
  close(): void
}

/** A series with what a file says of it: `since` holds for as many candles as there were then. */
export interface SeriesAbout extends Partial<SeriesId> {
  readonly since?: number
  readonly count?: number
}

/** The series after a change. */
export function applyChange(known: readonly Candle[], { fresh, gone }: SeriesChange): readonly Candle[] {
  return mergeCandles(known, fresh).filter(({ time }) => time !== gone)
}

/** What the parameters of a purchase ask for. */
export function seriesIdOf(
  params: Pick<OperationParams['token.candles'], 'address' | 'bucket' | 'currency'>,
): SeriesId {
  const { address: token, bucket = DEFAULT_BUCKET, currency = DEFAULT_CURRENCY } = params
  return { token, bucket, currency }
}

/** @throws CommandError naming what the file holds */
export function requireSame(name: string, found: SeriesAbout, id: SeriesId): void {
  if (found.token === id.token && found.bucket === id.bucket && found.currency === id.currency) return
  const held = `${found.token ?? 'no token'}, ${found.bucket ?? '-'}, ${found.currency ?? '-'}`
  throw usageError(`--sync ${name}: it holds another series (${held}). Nothing was sent.`)
}

/** Whether a name is that of a file with one series; another one is a folder. */
export const isSeriesFile = (name: string): boolean => /\.(csv|sqlite3?|db)$/i.test(name)

/** The file of a series: a file that is named, or a CSV file in a folder. A name for several series is a folder. */
export function seriesName(name: string, { token, bucket, currency }: SeriesId, isOneOfSeveral: boolean): string {
  if (isSeriesFile(name) && !isOneOfSeveral) return name
  return join(name, `${token}-${bucket}-${currency}.csv`)
}

/** The columns, in this order. */
const COLUMNS = ['open', 'high', 'low', 'close', 'volume', 'count'] as const
const HEADER = ['time', ...COLUMNS].join(',')
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i
const MAX_SHOWN = 60

/** Candles as CSV, oldest first, with ISO times and all digits of each number. */
export function toCsv(candles: readonly Candle[]): string {
  const lines = candles.map((candle) =>
    [toIsoTime(candle.time), ...COLUMNS.map((name) => toPlainNumber(candle[name]))].join(','),
  )
  return `${[HEADER, ...lines].join('\n')}\n`
}

/**
 * The candles of such a file. A last line that is torn, without its end, is left out: the next purchase writes it again.
 * @throws Error with the number of a line that cannot be read
 */
export function parseCsv(text: string): Candle[] {
  const [header, ...lines] = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (header !== HEADER) throw new Error(`it is no CSV file with candles: line 1 must be ${HEADER}`)
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const candle = parseLine(line)
    if (candle !== undefined) return [candle]
    if (index === lines.length - 1) return []
    throw new Error(`line ${index + 2} cannot be read: ${JSON.stringify(line.slice(0, MAX_SHOWN))}. Mend or delete it`)
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

/** The shortest digits that are this number, without an exponent. */
export function toPlainNumber(number: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? []
  if (exponent === undefined) return String(number)
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return point >= digits.length
    ? sign + digits.padEnd(point, '0')
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
