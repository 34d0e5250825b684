import type { Candle } from '../generated/types.ts'
import { lastIndexWhere } from '../utils/runtime.ts'
import { BUCKET_SECONDS, type CandleBucket, countCandles, maxCandles } from './buckets.ts'
import { mergeCandles } from './ohlcv.ts'

/** A series that is kept up to date by purchases. */
export interface KeptSeries {
  /** Oldest first, each time once. */
  readonly candles: readonly Candle[]
  readonly bucket: CandleBucket
  /** From this time on no candle is missing, unix seconds; undefined where that is not known. Periods without a trade have no candle. */
  readonly since: number | undefined
  /** Candles before this time do not change any longer, unix seconds by the service's clock. Where that is not known, the last one may be open. */
  readonly finalUntil?: number | undefined
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

export interface SeriesNow {
  /** How many candles a new series begins with. */
  readonly limit: number
  /** Unix seconds: the service's where `finalUntil` is known, else those of this machine, which may be wrong. */
  readonly now: number
  /** How many are bought at once. @default as many as the service returns */
  readonly most?: number
}

export interface SeriesUpdate extends Omit<SeriesNow, 'now'> {
  now(): number
  /** Buys the newest candles. @param count how many, when they are requested */
  buy(count: () => number): Promise<readonly Candle[]>
  /** Keeps what was bought. */
  save?(change: Purchase): void
}

/**
 * Brings a series up to date: buys what it misses, and again where that does not reach back far enough. What was bought is saved, also where
 * the second purchase fails.
 */
export async function updateSeries(series: KeptSeries, { now, buy, save, ...limits }: SeriesUpdate): Promise<Purchase> {
  let asked = 0
  const buyNewest = (count: () => number) =>
    buy(() => {
      asked = count()
      return asked
    })
  const plan = (bought: readonly Candle[]) => planChange(series, bought, asked, { ...limits, now: now() })
  const bought = await buyNewest(() => countMissing(series, { ...limits, now: now() }))
  let change = plan(bought)
  try {
    const { needed } = change
    if (needed > asked) change = plan([...bought, ...(await buyNewest(() => needed))])
  } finally {
    save?.(change)
  }
  return change
}

/** How many candles a series misses, the last known one included, which may have been open, if the clock is right. */
export function countMissing(series: KeptSeries, { limit, now, most = maxCandles() }: SeriesNow): number {
  const { candles, finalUntil } = series
  // A candle that is ahead says nothing of those before it.
  const last = candles[lastIndexWhere(candles, ({ time }) => time <= now)] ?? candles.at(-1)
  const from = findHole(series, now)?.time ?? finalUntil ?? last?.time
  return from === undefined ? limit : countCandles(from, now, series.bucket, most)
}

/** What the newest candles of the service change in a series. Whether they reach back far enough is seen in them: the clock may be wrong. */
function planChange(
  series: KeptSeries,
  bought: readonly Candle[],
  asked: number,
  { now, most = maxCandles() }: SeriesNow,
): Purchase {
  const { candles: known, bucket, finalUntil } = series
  const fresh = mergeCandles(bought)
  const [oldest, newest = 0] = [fresh[0]?.time, fresh.at(-1)?.time]
  // A candle that is newer than all that the service has is none to go on from: a person wrote it, or a service whose time was wrong.
  const last = known[lastIndexWhere(known, ({ time }) => time <= newest)]
  const ahead = known.find(({ time }) => time > newest)
  const hole = findHole(series, now)
  const joint = hole !== undefined && hole.time <= newest ? hole : last
  const from = finalUntil ?? joint?.time
  // Periods without a trade are left out: with the service's time the number of requested ones counts, too.
  const isComplete =
    finalUntil !== undefined && fresh.length < asked && (now - finalUntil) / BUCKET_SECONDS[bucket] < asked
  const earliest = finalUntil === undefined ? 0 : Number.POSITIVE_INFINITY
  const reaches = from === undefined || isComplete || (oldest ?? earliest) <= from
  const kept = joint === last ? series.since : undefined
  return {
    fresh,
    gone: findGone(series, last, fresh),
    // What lies before a candle that is ahead is a hole once its time has come.
    since: ahead?.time ?? (reaches ? (kept ?? known[0]?.time ?? oldest) : oldest),
    needed: reaches ? 0 : countCandles(from, finalUntil === undefined ? newest : Math.max(newest, now), bucket, most),
    ...countChanges(known, fresh),
    ...(!reaches && { gap: { from, to: oldest ?? 0 } }),
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

function findGone({ finalUntil }: KeptSeries, last: Candle | undefined, fresh: readonly Candle[]): number | undefined {
  if (last === undefined || fresh.some(({ time }) => time === last.time)) return undefined
  const isEmpty = last.count === 0 && (fresh[0]?.time ?? Number.POSITIVE_INFINITY) < last.time
  return isEmpty || last.time === finalUntil ? last.time : undefined
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
