import { type Candle, operations } from 'etn-market'
import { BUCKET_SECONDS, type Bucket, countCandles, MAX_CANDLES, mergeCandles } from '../feed/candles/buckets.ts'
import { DEFAULT_BUCKET, type Series, withoutGone } from './series.ts'

export interface SyncOptions {
  readonly bucket?: Bucket | undefined
  /** How many candles a new series begins with. */
  readonly limit: number
  /** Unix seconds of this machine, which may be wrong. */
  readonly now: number
  /** Buys the newest candles. */
  buy(limit: number): Promise<readonly Candle[]>
}

export interface Synced {
  readonly candles: readonly Candle[]
  readonly added: number
  readonly updated: number
  /** Where the answer did not reach back to what is known. */
  readonly gap?: { readonly from: number; readonly to: number } | undefined
}

/**
 * Brings a series up to date: buys the last known candle anew, which may have been open, and those after it. The clock of this machine only
 * says how many to ask for; whether they reach back far enough is seen in the answer.
 */
export async function syncSeries(file: Series, options: SyncOptions): Promise<Synced> {
  const { bucket = DEFAULT_BUCKET, buy } = options
  const known = file.candles
  const guessed = estimateMissing(file, options)
  let fresh = mergeCandles([], await buy(guessed))
  // A candle that is newer than all that the service has is none to go on from: a person wrote it.
  const joint = known.findLast(({ time }) => time <= (fresh.at(-1)?.time ?? 0))
  const reaches = () => joint === undefined || (fresh[0]?.time ?? 0) <= joint.time
  if (joint !== undefined && !reaches()) {
    const needed = countCandles(joint.time, fresh.at(-1)?.time ?? 0, BUCKET_SECONDS[bucket], MAX_CANDLES)
    if (needed > guessed) fresh = mergeCandles(fresh, await buy(needed))
  }

  const gone = findGone(joint, fresh)
  file.merge(fresh, gone)
  return {
    ...countChanges(known, fresh),
    candles: withoutGone(mergeCandles(known, fresh), gone),
    gap: joint !== undefined && !reaches() ? { from: joint.time, to: fresh[0]?.time ?? 0 } : undefined,
  }
}

/** How many candles a series misses, if the clock of this machine is right. */
export function estimateMissing(
  { candles }: Pick<Series, 'candles'>,
  { bucket = DEFAULT_BUCKET, limit, now }: Omit<SyncOptions, 'buy'>,
): number {
  const last = candles.at(-1)
  return last === undefined ? limit : countCandles(last.time, now, BUCKET_SECONDS[bucket], MAX_CANDLES)
}

/** The time of the last known candle, if it was open and has stayed empty: the service leaves it out once it is over. */
function findGone(joint: Candle | undefined, fresh: readonly Candle[]): number | undefined {
  if (joint === undefined || joint.count > 0 || (fresh[0]?.time ?? Number.POSITIVE_INFINITY) >= joint.time)
    return undefined
  return fresh.some(({ time }) => time === joint.time) ? undefined : joint.time
}

function countChanges(known: readonly Candle[], fresh: readonly Candle[]): { added: number; updated: number } {
  const before = new Map(known.map((candle) => [candle.time, JSON.stringify(valuesOf(candle))]))
  const added = fresh.filter(({ time }) => !before.has(time)).length
  const updated = fresh.filter((candle) => {
    const values = before.get(candle.time)
    return values !== undefined && values !== JSON.stringify(valuesOf(candle))
  }).length
  return { added, updated }
}

function valuesOf({ time, open, high, low, close, volume, count }: Candle): number[] {
  return [time, open, high, low, close, volume, count]
}

const { base, perItem = 0, maxItems } = operations['token.candles'].credits
/**
 * Credits that it takes to bring a series up to date once in `everyMs`: the candles since the last time, and the one that was open then. The
 * first time costs more, because it buys the beginning of the series.
 */
export function costOfSync({ bucket = DEFAULT_BUCKET }: Readonly<Record<string, unknown>>, everyMs: number): number {
  const candles = everyMs / 1_000 / BUCKET_SECONDS[bucket as Bucket] + 1
  return base + perItem * Math.min(maxItems, candles)
}
