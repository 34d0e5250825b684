import type { FeedPrice } from 'etn-market/feed'

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
