import type { Candle, OperationParams } from 'etn-market'
import type { Bucket } from '../feed/candles/buckets.ts'
import { defaultOf } from '../operations/default-of.ts'
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
  /** Adds candles, replaces those of the same times, and removes the one of the time `gone`. @throws the error of the system */
  merge(candles: readonly Candle[], gone?: number): void
}

/** A series in a file that no other run uses meanwhile. */
export interface SeriesFile extends Series {
  close(): void
}

/** What the parameters of a purchase ask for. */
export function seriesIdOf(
  params: Pick<OperationParams['token.candles'], 'address' | 'bucket' | 'currency'>,
): SeriesId {
  const { address: token, bucket = DEFAULT_BUCKET, currency = DEFAULT_CURRENCY } = params
  return { token, bucket, currency }
}

/** Without the candle of the time `gone`. */
export const withoutGone = (candles: readonly Candle[], gone: number | undefined): readonly Candle[] =>
  gone === undefined ? candles : candles.filter(({ time }) => time !== gone)

/** @throws CommandError naming what the file holds */
export function requireSame(name: string, found: Partial<SeriesId>, id: SeriesId): void {
  if (found.token === id.token && found.bucket === id.bucket && found.currency === id.currency) return
  const held = `${found.token ?? 'no token'}, ${found.bucket ?? '-'}, ${found.currency ?? '-'}`
  throw usageError(`--sync ${name}: it holds another series (${held}). Nothing was sent.`)
}
