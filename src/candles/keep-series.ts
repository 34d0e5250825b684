import type { Candle } from '../generated/types.ts'
import { lastIndexWhere } from '../utils/runtime.ts'
import { BUCKET_SECONDS, type CandleBucket, countCandles } from './buckets.ts'
import { maxCandles } from './cost.ts'
import { mergeCandles } from './ohlcv.ts'

/** A series that is kept up to date by purchases. */
export interface KeptSeries {
  /** Oldest first, each time once. */
  readonly candles: readonly Candle[]
  readonly bucket: CandleBucket
  /** From this time on no candle is missing, unix seconds; undefined where that is not known. Periods without a trade have no candle. */
  readonly since: number | undefined
}

/** What a purchase changes in a series. */
export interface SeriesChange {
  /** They replace those of the same times. Oldest first. */
  readonly fresh: readonly Candle[]
  /** The time of the last known candle, if it was open and has stayed empty: the service leaves it out once it is over. */
  readonly gone: number | undefined
  readonly since: number | undefined
}

export interface Purchase extends SeriesChange {
  /** How many of the newest candles reach back to those that are known; 0 if the purchase does. */
  readonly needed: number
  readonly added: number
  readonly updated: number
  /** Between these times, unix seconds, candles stay missing: the service returns no older ones. */
  readonly gap?: { readonly from: number; readonly to: number }
}

/** How many candles a new series begins with, and the unix seconds of this machine, which may be wrong. */
export interface SeriesNow {
  readonly limit: number
  readonly now: number
}

/** How many candles a series misses, the last known one included, which may have been open, if the clock of this machine is right. */
export function countMissing(series: KeptSeries, { limit, now }: SeriesNow): number {
  const { candles } = series
  // A candle that is ahead says nothing of those before it.
  const from = findHole(series, now) ?? candles[lastIndexWhere(candles, ({ time }) => time <= now)] ?? candles.at(-1)
  return from === undefined ? limit : countCandles(from.time, now, series.bucket, maxCandles())
}

/** What the newest candles of the service change in a series. Whether they reach back far enough is seen in them: the clock may be wrong. */
export function planChange(series: KeptSeries, bought: readonly Candle[], now: number): Purchase {
  const { candles: known } = series
  const fresh = mergeCandles(bought)
  const [oldest, newest = 0] = [fresh[0]?.time, fresh.at(-1)?.time]
  // A candle that is newer than all that the service has is none to go on from: a person wrote it, or a service whose time was wrong.
  const last = known[lastIndexWhere(known, ({ time }) => time <= newest)]
  const ahead = known.find(({ time }) => time > newest)
  const hole = findHole(series, now)
  const joint = hole !== undefined && hole.time <= newest ? hole : last
  const reaches = joint === undefined || (oldest ?? 0) <= joint.time
  const kept = joint === last ? series.since : undefined
  return {
    fresh,
    gone: findGone(last, fresh),
    // What lies before a candle that is ahead is a hole once its time has come.
    since: ahead?.time ?? (reaches ? (kept ?? known[0]?.time ?? oldest) : oldest),
    needed: reaches ? 0 : countCandles(joint.time, newest, series.bucket, maxCandles()),
    ...countChanges(known, fresh),
    ...(!reaches && { gap: { from: joint.time, to: oldest ?? 0 } }),
  }
}

/** The series after a change. */
export function applyChange(candles: readonly Candle[], { fresh, gone }: SeriesChange): Candle[] {
  return mergeCandles([...candles, ...fresh]).filter(({ time }) => time !== gone)
}

/** The candle before a hole that a purchase still fills. */
function findHole({ candles, since, bucket }: KeptSeries, now: number): Candle | undefined {
  const seconds = BUCKET_SECONDS[bucket]
  // A clock that is behind would take every hole for a young one.
  const oldest = Math.max(now, candles.at(-1)?.time ?? 0) - (maxCandles() - 1) * seconds
  return candles.find(({ time }, index) => {
    const next = candles[index + 1]?.time ?? 0
    return time >= oldest && next - time > seconds && (since === undefined || (time < since && since <= next))
  })
}

function findGone(last: Candle | undefined, fresh: readonly Candle[]): number | undefined {
  if (last === undefined || last.count > 0 || (fresh[0]?.time ?? Number.POSITIVE_INFINITY) >= last.time)
    return undefined
  return fresh.some(({ time }) => time === last.time) ? undefined : last.time
}

const FIGURES = ['open', 'high', 'low', 'close', 'volume', 'count'] as const

function countChanges(known: readonly Candle[], fresh: readonly Candle[]): { added: number; updated: number } {
  const before = new Map(known.map((candle) => [candle.time, candle]))
  const again = fresh.flatMap((candle) => {
    const old = before.get(candle.time)
    return old === undefined ? [] : [FIGURES.some((name) => old[name] !== candle[name])]
  })
  return { added: fresh.length - again.length, updated: again.filter((isChanged) => isChanged).length }
}
