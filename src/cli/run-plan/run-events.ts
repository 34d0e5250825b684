import type { FeedPrice } from 'etn-market/feed'
import { formatCount, formatDecimal, formatItems } from '../output.ts'
import { describeGap, type Synced } from '../series.ts'

interface LineName {
  readonly operation: string
  readonly for: string
}

interface Spent {
  readonly spent: number
  /** Credits of answers that were lost, at most. */
  readonly uncertain: number
  readonly creditsPerDay: number
}

export interface DayEvent extends Spent {
  readonly event: 'day'
  /** Such as `2026-11-23`. */
  readonly date: string
  readonly planned: number
  /** How many prices, answers, or calls of sweeps. */
  readonly lines: readonly (LineName & { readonly done: number; readonly failed: number })[]
}

type Named<Name extends string, Fields> = { readonly event: Name } & Readonly<Fields>

export type LineEvent =
  | Named<'price', Pick<FeedPrice, 'address' | 'usd' | 'etn' | 'stale'> & { at: string }>
  | Named<'alert', { address: string; condition: 'above' | 'below' | 'move'; usd: string | null; at: string }>
  | Named<'answer', { params: unknown; data: unknown; credits: number; at: string }>
  /** A sweep has ended, for this time: `stored` of those `done` were in its journal, and `left` are for later. */
  | Named<'sweep', { file: string } & Record<'total' | 'done' | 'failed' | 'stored' | 'left' | 'credits', number>>
  | Named<'candles', { address: string; credits: number } & Omit<Synced, 'total'>>
  /** `savedTo` is the file, `content` the text of what was paid for and not written. */
  | Named<'failed', { code: string; message: string; credits: number; savedTo?: string; content?: string }>
  /** Something does not fit what is left of the limit. It goes on at midnight. */
  | Named<'limit', { until: string }>

/** What a running plan reports, discriminated by `event`. Times are ISO texts in UTC. */
export type RunEvent =
  | Named<'started', { creditsPerDay: number; planned: number; spent: number; lines: number }>
  | (LineName & LineEvent)
  | DayEvent
  | Named<'stopped', Spent>

/** An event as lines for people; none for the prices and answers, which are in the files of their lines. */
export function describeEvent(event: RunEvent): string[] {
  switch (event.event) {
    case 'started': {
      const { creditsPerDay, planned, spent, lines } = event
      const cost = `${formatCount(planned)} of ${formatItems(creditsPerDay, 'credit')} a day`
      return [`${formatItems(lines, 'line')}, ${cost}, ${formatCount(spent)} spent today. Ctrl-C ends.`]
    }
    case 'alert':
      return [`${describeLine(event)}: ${event.address} ${event.condition}, ${formatDecimal(event.usd)} USD.`]
    case 'sweep': {
      const { total, done, failed, stored, left, credits, file } = event
      const known = stored > 0 ? ` (${stored} from the journal)` : ''
      const rest = left > 0 ? `, ${left} left` : ''
      const counts = `${done} of ${total} done${known}, ${failed} failed${rest}`
      return [`${describeLine(event)}: ${counts}, ${formatItems(credits, 'credit')}, ${file}.`]
    }
    case 'candles': {
      const { file, added, updated } = event
      return [`${describeLine(event)}: ${file}, ${added} added, ${updated} updated.`, ...describeGap(event)]
    }
    case 'failed':
      return [`${describeLine(event)}: ${event.code}: ${event.message}`]
    case 'limit':
      return [`${describeLine(event)}: the limit of the day is reached. It goes on at ${event.until}.`]
    case 'day':
      return [
        `${event.date}: ${describeSpent(event)}, planned ${formatCount(event.planned)}.`,
        ...event.lines.map((line) => {
          return `  ${describeLine(line)}: ${formatCount(line.done)} done, ${formatCount(line.failed)} failed.`
        }),
      ]
    case 'stopped':
      return [`Stopped. Today: ${describeSpent(event)}.`]
    case 'price':
    case 'answer':
      return []
  }
}

const describeLine = ({ operation, for: purpose }: LineName) =>
  purpose === '' ? operation : `${operation} (${purpose})`

function describeSpent({ spent, uncertain, creditsPerDay }: Spent): string {
  const perhaps = uncertain > 0 ? ` and perhaps ${formatCount(uncertain)} more` : ''
  return `${formatCount(spent)}${perhaps} of ${formatItems(creditsPerDay, 'credit')}`
}
