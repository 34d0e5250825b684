/** What a feed tells while it works, discriminated by `type`. */
export type FeedEvent =
  | FeedBoughtEvent
  | FeedStretchedEvent
  | FeedWaitingEvent
  | FeedStoppedEvent
  | FeedResumedEvent
  | FeedGapEvent
  | FeedStoreEvent

/** A request was answered. */
export interface FeedBoughtEvent {
  type: 'feed.bought'
  operation: 'token.price' | 'prices.batch' | 'trade.list'
  /** Addresses asked for, in EIP-55 form. */
  addresses: readonly string[]
  /** What was charged. */
  credits: number
}

/** The promises do not fit the budget, or fit it again: from now on every interval is longer by this factor. */
export interface FeedStretchedEvent {
  type: 'feed.stretched'
  /** 1 when the promises are kept as they were made. */
  stretch: number
  /** What is spent a day at this factor. */
  creditsPerDay: number
}

/** A request failed that may succeed later; none is sent until then. */
export interface FeedWaitingEvent {
  type: 'feed.waiting'
  code: string
  waitMs: number
}

/** There are no credits left, or the service refuses for good. Told once, until `feed.resumed`. */
export interface FeedStoppedEvent {
  type: 'feed.stopped'
  code: string
  /** When it is tried again, unix milliseconds. */
  until: number
}

/** A request succeeded after `feed.waiting` or `feed.stopped`. */
export interface FeedResumedEvent {
  type: 'feed.resumed'
}

/** Every trade of a page was new, so that some between it and the page before were missed. */
export interface FeedGapEvent {
  type: 'feed.gap'
  /** The token asked about; undefined for all. */
  token: string | undefined
  /** The trades before the gap and after it, unix seconds, where the service told. */
  from: number | undefined
  to: number | undefined
}

/** The store threw or did not answer; the feed goes on without it. */
export interface FeedStoreEvent {
  type: 'feed.store_failed'
  message: string
}

/** Calls somebody's function; what it throws, at once or later, breaks nothing here but is handed to `onThrow`. */
export function callSafely<T>(
  callback: ((value: T) => unknown) | undefined,
  value: T,
  onThrow?: (error: unknown) => void,
) {
  try {
    const answer = callback?.(value)
    if (answer instanceof Promise) answer.catch((error) => onThrow?.(error))
  } catch (error) {
    onThrow?.(error)
  }
}
