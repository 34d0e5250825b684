import type { FeedClock } from '../feed/feed-clock.ts'
import type { Candle } from '../generated/types.ts'
import { every, isInteger, isNumber, isObject } from '../operations/type-guards.ts'
import { type CandleBucket, maxCandles } from './buckets.ts'

export interface KnownSeries {
  /** Oldest first. */
  readonly candles: readonly Candle[]
  readonly depth: number
  /** Candles before this time do not change any longer, unix seconds. */
  readonly finalUntil: number
  /** When the newest candle was requested, by the clock of the feed. */
  readonly at: number
}

/** How long the service may take to compute an answer, in milliseconds. */
const MAX_PROCESSING_MS = 10_000

/**
 * Until when candles do not change any longer. The newest candle may still change, and so may buckets after it that are left out while they are empty. It counts in
 * buckets from the newest candle, because nobody documents at which times buckets begin.
 */
export function finalUntilOf(newest: number, servedAt: number, bucketSeconds: number): number {
  const closed = Math.floor(((servedAt - MAX_PROCESSING_MS) / 1_000 - newest) / bucketSeconds)
  return newest + Math.max(0, closed) * bucketSeconds
}

/** The service's time: the local one, unless the `Date` of an answer or its newest candle shows that the local clock is wrong. */
export function serviceTime(date: string | undefined, newest: Candle | undefined, now: number): number {
  const sentAt = Date.parse(date ?? '')
  const isWrong = Math.abs(sentAt - now) > MAX_PROCESSING_MS
  return Math.max(isWrong ? sentAt : now, (newest?.time ?? 0) * 1_000)
}

export interface SeriesId {
  /** In EIP-55 form. */
  readonly address: string
  readonly bucket: CandleBucket
  readonly currency: 'USD' | 'ETN'
}

/** How far the service's clock may be ahead, in milliseconds. */
const MAX_AHEAD_MS = 3_600_000

/** Returns a series that a store has; undefined if it is not valid. */
export function checkStored(id: SeriesId, value: unknown, clock: FeedClock): KnownSeries | undefined {
  const now = clock.toUnix()
  if (!isObject(value)) return undefined
  const { address, bucket, currency, candles, depth, finalUntil, at } = value
  if (!isCandles(candles) || !isNumber(at) || at > now) return undefined
  if (!isInteger(depth) || depth > maxCandles() || !isInteger(finalUntil)) return undefined
  if (address !== id.address || bucket !== id.bucket || currency !== id.currency) return undefined
  const newest = candles.at(-1)?.time ?? 0
  const isOrdered = candles.every(({ time }, index) => index === 0 || time > (candles[index - 1]?.time ?? 0))
  const isPossible = newest <= finalUntil && finalUntil * 1_000 <= now + MAX_AHEAD_MS && depth >= candles.length
  return isOrdered && isPossible ? { candles, depth, finalUntil, at: clock.fromUnix(at) } : undefined
}

/** With `validate: 'warn'` an answer may have any shape. */
export function isCandles(value: unknown): value is readonly Candle[] {
  return Array.isArray(value) && every(value, isCandle)
}

function isCandle(value: unknown): boolean {
  if (!isObject(value) || !isInteger(value.time)) return false
  const { open, high, low, close, volume, count } = value
  return [open, high, low, close, volume, count].every(isNumber)
}
