import type { FeedStreamStatus } from './stream/stream-state.ts'

/** An event of a feed, discriminated by `type`. */
export type FeedEvent =
  | FeedBoughtEvent
  | FeedStretchedEvent
  | FeedWaitingEvent
  | FeedStoppedEvent
  | FeedIsolatedEvent
  | FeedWatchFailedEvent
  | FeedResumedEvent
  | FeedSlowEvent
  | FeedGapEvent
  | FeedTradesFailedEvent
  | FeedStoreEvent
  | FeedStreamEvent

/** A request succeeded. */
export interface FeedBoughtEvent {
  /** The name of the event. */
  type: 'feed.bought'
  /** The operation of the request. */
  operation:
    | 'token.price'
    | 'prices.batch'
    | 'trade.list'
    | 'token.candles'
    | 'balances.get'
    | 'token.get'
    | 'token.list'
  /** The requested addresses, in EIP-55 form; none if the operation has no address. */
  addresses: readonly string[]
  /** Credits charged. */
  credits: number
}

/**
 * The watches do not fit the budget, or fit it again. Every interval is now longer by the factor `stretch`, but not longer than the
 * `atLeastEveryMs` of its watch.
 */
export interface FeedStretchedEvent {
  /** The name of the event. */
  type: 'feed.stretched'
  /** 1 if every interval is as requested. */
  stretch: number
  /** The factor by which every `atLeastEveryMs` is exceeded, because the budget is too small even for those; 1 if they are kept. */
  atLeastStretch: number
  /** Credits that the watches cost a day with this stretch. */
  creditsPerDay: number
}

/** A request failed and will be retried. Nothing is sent until then. */
export interface FeedWaitingEvent {
  /** The name of the event. */
  type: 'feed.waiting'
  /** The error's code. */
  code: string
  /** The wait, in milliseconds. */
  waitMs: number
}

/** There are no credits left, or the service refuses every request. Raised once, until `feed.resumed`. */
export interface FeedStoppedEvent {
  /** The name of the event. */
  type: 'feed.stopped'
  /** The error's code. */
  code: string
  /** When the feed tries again, unix milliseconds. */
  until: number
}

/**
 * Prices of a watch without `onError`, the candles of `watchCandles` or the balances of `watchPortfolio` fail to arrive. Raised once,
 * and again when the reason changes.
 */
export interface FeedWatchFailedEvent {
  /** The name of the event. */
  type: 'feed.watch_failed'
  /** In EIP-55 form. */
  addresses: readonly string[]
  /** The error's code. */
  code: string
  /** The error's message. */
  message: string
}

/** An address fails while others succeed. It is requested alone from now on. Raised once, until a request for it succeeds. */
export interface FeedIsolatedEvent {
  /** The name of the event. */
  type: 'feed.isolated'
  /** In EIP-55 form. */
  address: string
  /** The error's code. */
  code: string
  /** When the feed tries again, unix milliseconds. */
  retryAt: number
}

/**
 * An answer takes so long that a price is older than its watch allows, and is delivered as stale. An address has one request in flight,
 * so answers that take more than half of an interval are always late. Raised once, until requests are sent earlier or later.
 */
export interface FeedSlowEvent {
  /** The name of the event. */
  type: 'feed.slow'
  /** The first address that is late, in EIP-55 form. */
  address: string
  /** The interval that is exceeded, in milliseconds. */
  everyMs: number
  /** How long before the end of an interval requests are sent, in milliseconds; half of the interval at most. */
  leadMs: number
}

/** A request succeeded after `feed.waiting` or `feed.stopped`. */
export interface FeedResumedEvent {
  /** The name of the event. */
  type: 'feed.resumed'
}

/** A reader has missed trades: every trade of a page was new, or too many waited to be read. */
export interface FeedGapEvent {
  /** The name of the event. */
  type: 'feed.gap'
  /** The requested token; undefined for all tokens. */
  token: string | undefined
  /** The time of the trade before the gap, unix seconds, if the service sent it. */
  from: number | undefined
  /** The time of the trade after the gap, unix seconds, if the service sent it. */
  to: number | undefined
}

/**
 * Trades could not be bought, and their readers wait: an answer was paid for and cannot be read, or there are no credits for the request.
 * Failures that hold up every request raise `feed.waiting` or `feed.stopped` instead.
 */
export interface FeedTradesFailedEvent {
  /** The name of the event. */
  type: 'feed.trades_failed'
  /** The requested token, in EIP-55 form; undefined for all tokens. */
  token: string | undefined
  /** The error's code. */
  code: string
  /** The error's message. */
  message: string
  /** Credits charged. */
  credits: number
  /** When trades are requested again, unix milliseconds. */
  retryAt: number
}

/** The store failed or did not answer in time. The feed continues without it. */
export interface FeedStoreEvent {
  /** The name of the event. */
  type: 'feed.store_failed'
  /** What the store threw. */
  message: string
}

/** The state of a stream has changed, see `feed.status().stream`. */
export interface FeedStreamEvent extends FeedStreamStatus {
  /** The name of the event. */
  type: 'feed.stream'
}
