import { type Candle, operations } from 'etn-market'
import { BUCKET_SECONDS, type Bucket, countCandles, MAX_CANDLES, mergeCandles } from '../feed/candles/series.ts'
import { lastIndexWhere } from '../utils/runtime.ts'
import { savePaidFor } from './files.ts'
import { formatItems } from './output.ts'
import { DEFAULT_BUCKET, type SeriesFile, toCsv, toIsoTime } from './series.ts'

export interface SyncOptions {
  /** How many candles a new series begins with. */
  readonly limit: number
  /** Unix seconds of this machine, which may be wrong. */
  readonly now: number
  buy(limit: number): Promise<readonly Candle[]>
}

/** What became of a series, as `--json` prints it. */
export interface Synced {
  readonly file: string
  readonly added: number
  readonly updated: number
  readonly total: number
  /** Between these times, unix seconds, candles stay missing: the service returns no older ones. */
  readonly gap?: { readonly from: number; readonly to: number }
}

/**
 * Brings a series up to date: buys the last known candle anew, which may have been open, and those after it, or those after a hole that can
 * still be filled. The clock of this machine only says how many to ask for; whether they reach back far enough is seen in the answer. What
 * was bought is saved, also where the second purchase fails.
 * @throws the error of `buy`, or a CommandError that says where the candles are that the file did not take
 */
export async function syncSeries(file: SeriesFile, options: SyncOptions): Promise<Synced> {
  const { buy, now } = options
  const { candles: known } = file
  const hole = findHole(file, now)
  const guessed = estimateMissing(file, options)
  let fresh = mergeCandles([], await buy(guessed))
  const newest = fresh.at(-1)?.time ?? 0
  // A candle that is newer than all that the service has is none to go on from: a person wrote it, or a service whose time was wrong.
  const last = known[lastIndexWhere(known, ({ time }) => time <= newest)]
  const ahead = known.find(({ time }) => time > newest)
  const joint = hole !== undefined && hole.time <= newest ? hole : last
  const reaches = () => joint === undefined || (fresh[0]?.time ?? 0) <= joint.time
  const needed = reaches() ? 0 : countCandles(joint?.time ?? 0, newest, secondsOf(file), MAX_CANDLES)
  try {
    if (needed > guessed) fresh = mergeCandles(fresh, await buy(needed))
  } finally {
    const kept = joint === last ? file.since : undefined
    const first = known[0] ?? fresh[0]
    // What lies before a candle that is ahead is a hole once its time has come.
    const since = ahead?.time ?? (reaches() ? (kept ?? first?.time) : fresh[0]?.time)
    const change = { fresh, gone: findGone(last, fresh), since }
    savePaidFor(`--sync ${file.name}`, 'candles.csv', toCsv(fresh), () => file.merge(change))
  }
  const gap = reaches() || joint === undefined ? undefined : { from: joint.time, to: fresh[0]?.time ?? 0 }
  return { file: file.name, ...countChanges(known, fresh), total: file.candles.length, ...(gap && { gap }) }
}

export function describeSync({ file, added, updated, total }: Synced): string {
  return `${file}: ${added} added, ${updated} updated, ${formatItems(total, 'candle')}.`
}

export function describeGap({ file, gap }: Pick<Synced, 'file' | 'gap'>): string[] {
  if (gap === undefined) return []
  const times = `from ${toIsoTime(gap.from)} to ${toIsoTime(gap.to)}`
  return [`warning: ${file}: a gap stays ${times}: the service returns no older candles.`]
}

const secondsOf = ({ id }: SeriesFile): number => BUCKET_SECONDS[id.bucket]

/** How many candles a series misses, if the clock of this machine is right. */
export function estimateMissing(file: SeriesFile, { limit, now }: Omit<SyncOptions, 'buy'>): number {
  const { candles } = file
  // A candle that is ahead says nothing of those before it.
  const from = findHole(file, now) ?? candles[lastIndexWhere(candles, ({ time }) => time <= now)] ?? candles.at(-1)
  return from === undefined ? limit : countCandles(from.time, now, secondsOf(file), MAX_CANDLES)
}

/** The candle before a hole that a purchase still fills. */
function findHole(file: SeriesFile, now: number): Candle | undefined {
  const { candles, since } = file
  const seconds = secondsOf(file)
  // A clock that is behind would take every hole for a young one.
  const oldest = Math.max(now, candles.at(-1)?.time ?? 0) - (MAX_CANDLES - 1) * seconds
  return candles.find(({ time }, index) => {
    const next = candles[index + 1]?.time ?? 0
    return time >= oldest && next - time > seconds && (since === undefined || (time < since && since <= next))
  })
}

/** The time of the last known candle, if it was open and has stayed empty: the service leaves it out once it is over. */
function findGone(last: Candle | undefined, fresh: readonly Candle[]): number | undefined {
  if (last === undefined || last.count > 0 || (fresh[0]?.time ?? Number.POSITIVE_INFINITY) >= last.time)
    return undefined
  return fresh.some(({ time }) => time === last.time) ? undefined : last.time
}

function countChanges(known: readonly Candle[], fresh: readonly Candle[]): { added: number; updated: number } {
  const before = new Map(known.map((candle) => [candle.time, toCsv([candle])]))
  const isChanged = (candle: Candle) => before.has(candle.time) && before.get(candle.time) !== toCsv([candle])
  return { added: fresh.filter(({ time }) => !before.has(time)).length, updated: fresh.filter(isChanged).length }
}

const { base, perItem = 0, maxItems } = operations['token.candles'].credits
/** Credits to bring a series up to date once in `everyMs`. The first time costs more: it buys the beginning of the series. */
export function costOfSync({ bucket = DEFAULT_BUCKET }: Readonly<Record<string, unknown>>, everyMs: number): number {
  const candles = everyMs / 1_000 / BUCKET_SECONDS[bucket as Bucket] + 1
  return base + perItem * Math.min(maxItems, candles)
}
