import type { Candle } from 'etn-market'
import { toCsv, toIsoTime } from '../candles/csv.ts'
import { type Purchase, type SeriesNow, updateSeries } from '../candles/keep-series.ts'
import { savePaidFor } from './files.ts'
import { formatItems } from './output.ts'
import type { SeriesFile } from './series.ts'

export interface SyncOptions extends SeriesNow {
  buy(limit: number): Promise<readonly Candle[]>
}

/** What became of a series, as `--json` prints it. */
export interface Synced extends Pick<Purchase, 'added' | 'updated' | 'gap'> {
  readonly file: string
  readonly total: number
}

/**
 * Brings the series of a file up to date.
 * @throws the error of `buy`, or a CommandError that says where the candles are that the file did not take
 */
export async function syncSeries(file: SeriesFile, { limit, now, buy }: SyncOptions): Promise<Synced> {
  const save = (change: Purchase) =>
    savePaidFor(`--sync ${file.name}`, 'candles.csv', toCsv(change.fresh), () => file.merge(change))
  const { added, updated, gap } = await updateSeries(file, {
    limit,
    now: () => now,
    buy: (count) => buy(count()),
    save,
  })
  return { file: file.name, added, updated, total: file.candles.length, ...(gap && { gap }) }
}

export function describeSync({ file, added, updated, total }: Synced): string {
  return `${file}: ${added} added, ${updated} updated, ${formatItems(total, 'candle')}.`
}

export function describeGap({ file, gap }: Pick<Synced, 'file' | 'gap'>): string[] {
  if (gap === undefined) return []
  const times = `from ${toIsoTime(gap.from)} to ${toIsoTime(gap.to)}`
  return [`warning: ${file}: a gap stays ${times}: the service returns no older candles.`]
}
