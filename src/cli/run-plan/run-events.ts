import type { FeedPrice } from 'etn-market/feed'
import { formatCount, formatDecimal } from '../output.ts'

/** What a running plan reports, discriminated by `event`. Times are ISO texts in UTC. */
export type RunEvent =
  | StartedEvent
  | PriceEvent
  | AlertEvent
  | AnswerEvent
  | SweepEvent
  | CandlesEvent
  | FailedEvent
  | LimitEvent
  | DayEvent
  | StoppedEvent

/** A line of the plan, as its rows name it. */
export interface LineName {
  readonly operation: string
  /** What the line is for. */
  readonly for: string
}

export interface StartedEvent {
  readonly event: 'started'
  readonly creditsPerDay: number
  /** What the plan costs, credits a day. */
  readonly planned: number
  /** What this day has cost already. */
  readonly spent: number
  readonly lines: number
}

export interface PriceEvent extends LineName, Pick<FeedPrice, 'address' | 'usd' | 'etn' | 'stale'> {
  readonly event: 'price'
  /** When it was requested. */
  readonly at: string
}

export interface AlertEvent extends LineName {
  readonly event: 'alert'
  readonly address: string
  readonly condition: 'above' | 'below' | 'move'
  readonly usd: string | null
  readonly at: string
}

/** The answer to a call. */
export interface AnswerEvent extends LineName {
  readonly event: 'answer'
  readonly params: unknown
  readonly data: unknown
  readonly credits: number
  readonly at: string
}

/** A sweep has ended, for this time. */
export interface SweepEvent extends LineName {
  readonly event: 'sweep'
  /** The journal with the answers. */
  readonly file: string
  readonly total: number
  readonly done: number
  readonly failed: number
  /** How many an earlier run had bought. */
  readonly stored: number
  /** How many are left for later. */
  readonly left: number
  readonly credits: number
}

export interface CandlesEvent extends LineName {
  readonly event: 'candles'
  readonly address: string
  readonly file: string
  readonly added: number
  readonly updated: number
  readonly credits: number
}

export interface FailedEvent extends LineName {
  readonly event: 'failed'
  readonly code: string
  readonly message: string
  readonly credits: number
}

/** Something does not fit what is left of the limit. It goes on at midnight. */
export interface LimitEvent extends LineName {
  readonly event: 'limit'
  readonly until: string
}

/** What a day has cost and brought. */
export interface DayEvent {
  readonly event: 'day'
  /** Such as `2026-11-23`. */
  readonly date: string
  readonly spent: number
  /** Credits of answers that were lost, at most. */
  readonly uncertain: number
  readonly creditsPerDay: number
  readonly planned: number
  readonly lines: readonly LineCounts[]
}

export interface LineCounts extends LineName {
  /** Prices, answers, or calls of sweeps. */
  readonly done: number
  readonly failed: number
}

export interface StoppedEvent {
  readonly event: 'stopped'
  /** In this day. */
  readonly spent: number
  readonly uncertain: number
  readonly creditsPerDay: number
}

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
      return [`${describeLine(event)}: ${event.file}, ${event.added} added, ${event.updated} updated.`]
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
