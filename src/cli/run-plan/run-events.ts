import type { FeedPrice } from 'etn-market/feed'
import { formatCount, formatDecimal } from '../output.ts'
import { describeGap, type Synced } from '../sync-series.ts'

/** A line of the plan, as its rows name it. */
export interface LineName {
  readonly operation: string
  /** What the line is for. */
  readonly for: string
}

interface Spent {
  /** In this day. */
  readonly spent: number
  /** Credits of answers that were lost, at most. */
  readonly uncertain: number
  readonly creditsPerDay: number
}

/** What a day has cost and brought. */
export interface DayEvent extends Spent {
  readonly event: 'day'
  /** Such as `2026-11-23`. */
  readonly date: string
  /** What the plan costs, credits a day. */
  readonly planned: number
  /** How many prices, answers, or calls of sweeps. */
  readonly lines: readonly (LineName & { readonly done: number; readonly failed: number })[]
}

/** What happened to a line. */
type LineEvent =
  | ({ readonly event: 'price'; readonly at: string } & Pick<FeedPrice, 'address' | 'usd' | 'etn' | 'stale'>)
  | {
      readonly event: 'alert'
      readonly address: string
      readonly condition: 'above' | 'below' | 'move'
      readonly usd: string | null
      readonly at: string
    }
  | {
      readonly event: 'answer'
      readonly params: unknown
      readonly data: unknown
      readonly credits: number
      readonly at: string
    }
  /** A sweep has ended, for this time: `stored` of those `done` were in its journal, and `left` are for later. */
  | ({ readonly event: 'sweep'; readonly file: string } & Readonly<
      Record<'total' | 'done' | 'failed' | 'stored' | 'left' | 'credits', number>
    >)
  | ({ readonly event: 'candles'; readonly address: string; readonly credits: number } & Omit<Synced, 'total'>)
  /** `savedTo` is the file, `content` the text of what was paid for and not written. */
  | {
      readonly event: 'failed'
      readonly code: string
      readonly message: string
      readonly credits: number
      readonly savedTo?: string
      readonly content?: string
    }
  /** Something does not fit what is left of the limit. It goes on at midnight. */
  | { readonly event: 'limit'; readonly until: string }

/** What a running plan reports, discriminated by `event`. Times are ISO texts in UTC. */
export type RunEvent =
  | {
      readonly event: 'started'
      readonly creditsPerDay: number
      readonly planned: number
      readonly spent: number
      readonly lines: number
    }
  | (LineName & LineEvent)
  | DayEvent
  | (Spent & { readonly event: 'stopped' })

/** An event as lines for people; none for the prices and answers, which are in the files of their lines. */
export function describeEvent(event: RunEvent): string[] {
  switch (event.event) {
    case 'started': {
      const { creditsPerDay, planned, spent, lines } = event
      return [
        `${lines} ${lines === 1 ? 'line' : 'lines'}, ${formatCount(planned)} of ${formatCount(creditsPerDay)} credits a day, ${formatCount(spent)} spent today. Ctrl-C ends.`,
      ]
    }
    case 'alert':
      return [`${describeLine(event)}: ${event.address} ${event.condition}, ${formatDecimal(event.usd)} USD.`]
    case 'sweep': {
      const { total, done, failed, stored, left, credits, file } = event
      const known = stored > 0 ? ` (${stored} from the journal)` : ''
      const rest = left > 0 ? `, ${left} left` : ''
      return [
        `${describeLine(event)}: ${done} of ${total} done${known}, ${failed} failed${rest}, ${formatCount(credits)} credits, ${file}.`,
      ]
    }
    case 'candles':
      return [
        `${describeLine(event)}: ${event.file}, ${event.added} added, ${event.updated} updated.`,
        ...describeGap(event),
      ]
    case 'failed':
      return [`${describeLine(event)}: ${event.code}: ${event.message}`]
    case 'limit':
      return [`${describeLine(event)}: the limit of the day is reached. It goes on at ${event.until}.`]
    case 'day': {
      const { date, spent, uncertain, creditsPerDay, planned, lines } = event
      return [
        `${date}: ${formatSpent(spent, uncertain)} of ${formatCount(creditsPerDay)} credits, planned ${formatCount(planned)}.`,
        ...lines.map(
          (line) => `  ${describeLine(line)}: ${formatCount(line.done)} done, ${formatCount(line.failed)} failed.`,
        ),
      ]
    }
    case 'stopped': {
      const { spent, uncertain, creditsPerDay } = event
      return [`Stopped. Today: ${formatSpent(spent, uncertain)} of ${formatCount(creditsPerDay)} credits.`]
    }
    case 'price':
    case 'answer':
      return []
  }
}

const describeLine = ({ operation, for: purpose }: LineName) =>
  purpose === '' ? operation : `${operation} (${purpose})`

const formatSpent = (spent: number, uncertain: number) =>
  uncertain > 0 ? `${formatCount(spent)} and perhaps ${formatCount(uncertain)} more` : formatCount(spent)
