import type { FeedStatus } from '../feed/types.ts'

/** The state of a proxy, for its operator. */
export interface ProxyStatus {
  /** Visitors whose spending is remembered until their windows end. */
  readonly visitors: number
  /** Open streams. */
  readonly streams: number
  /** Different addresses that are streamed. */
  readonly addresses: number
  /**
   * How much longer than asked the intervals of the greediest visitor are, because the feed's budget is divided among all; 1 if every
   * stream has what it asks for.
   */
  readonly stretch: number
  /** The ten visitors who have spent most in their current windows, the first of them most. */
  readonly topSpenders: readonly VisitorSpending[]
  /** The budget of all visitors together; undefined if there is none. */
  readonly budget: SpentBudget | undefined
  /** The state of the feed; undefined without one. */
  readonly feed: FeedStatus | undefined
}

/** What one visitor has spent. */
export interface VisitorSpending {
  /** As `visitor` returned it. */
  readonly visitor: string
  /** Credits in the current window, lost answers included. */
  readonly spent: number
  /** Credits that are left in it. */
  readonly available: number
  /** Open streams. */
  readonly streams: number
}

/** A budget at one moment. */
export interface SpentBudget {
  /** The most credits in a window. */
  readonly limit: number
  /** Credits in the current window, lost answers included. */
  readonly spent: number
  /** Credits that are left in it. */
  readonly available: number
  /** When the window ends, unix milliseconds; undefined if it never does. */
  readonly resetsAt: number | undefined
}
