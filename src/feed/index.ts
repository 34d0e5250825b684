export type * from './alert-types.ts'
export type * from './candles.ts'
export type {
  FeedBoughtEvent,
  FeedEvent,
  FeedGapEvent,
  FeedIsolatedEvent,
  FeedResumedEvent,
  FeedSlowEvent,
  FeedStoppedEvent,
  FeedStoreEvent,
  FeedStretchedEvent,
  FeedTradesFailedEvent,
  FeedWaitingEvent,
  FeedWatchFailedEvent,
} from './events.ts'
export { createPriceFeed } from './feed.ts'
export type * from './feed-status.ts'
export type * from './plan.ts'
export type * from './portfolio.ts'
export type * from './stream-types.ts'
export type * from './trade-types.ts'
export type * from './types.ts'
export type * from './watch-types.ts'
