import type { Budget } from '../credits/budget.ts'
import type { FeedStatus } from '../feed/types.ts'
import type { Streams } from './stream/streams.ts'
import type { Visitors } from './visitors.ts'

/** The state of a proxy, for its operator. */
export interface ProxyStatus {
  /** Visitors whose spending is remembered until their windows end. */
  readonly visitors: number
  /** Open streams. */
  readonly streams: number
  /** What the streams cost; undefined without a feed. */
  readonly stream: StreamedAddresses | undefined
  /** The ten visitors who have spent most in their current windows, the first of them most. */
  readonly topSpenders: readonly VisitorSpending[]
  /** The budget of all visitors together; undefined if there is none. */
  readonly budget: SpentBudget | undefined
  /** The state of the feed; undefined without one. */
  readonly feed: FeedStatus | undefined
}

/** The addresses that are streamed, and what they cost. */
export interface StreamedAddresses {
  /** Different addresses that visitors want now. */
  readonly addresses: number
  /** The interval at which their prices are bought, in milliseconds. */
  readonly everyMs: number
  /** Credits a day for so many addresses: bought together, where visitors stay, and one by one, the most that visitors can cause. */
  readonly creditsPerDay: CostOfStreams
  /** By how much the feed's budget would stretch the interval at these costs; 1 if it suffices. */
  readonly stretch: CostOfStreams
}

/** A figure for two kinds of visitors. */
export interface CostOfStreams {
  /** Where visitors stay with their addresses. */
  readonly staying: number
  /** Where visitors change their addresses all the time. */
  readonly rotating: number
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

const TOP = 10

/** @param feed undefined without streams */
export function statusOf(
  visitors: Visitors | undefined,
  budget: Budget,
  streams: Streams | undefined,
  feed: { status(): FeedStatus } | undefined,
): ProxyStatus {
  const { limit, spent, uncertain, available, resetsAt } = budget
  const isLimited = limit < Number.POSITIVE_INFINITY
  const topSpenders = visitors?.top(TOP) ?? []
  return {
    visitors: visitors?.size ?? 0,
    streams: streams?.size ?? 0,
    stream: streams?.cost(),
    topSpenders: topSpenders.map((each) => ({ ...each, streams: streams?.countOf(each.visitor) ?? 0 })),
    budget: isLimited ? { limit, spent: spent + uncertain, available, resetsAt } : undefined,
    feed: feed?.status(),
  }
}
