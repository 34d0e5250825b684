/**
 * The price feed: buys each price once for everybody who watches it, with alerts. `etn-market/candles`, `etn-market/trades` and
 * `etn-market/portfolio` build on it.
 *
 * @module etn-market/feed
 */

export type * from './events.ts'
export { createPriceFeed } from './feed.ts'
export type { AppVisibility } from './page-visibility.ts'
export type { FeedStreamState, FeedStreamStatus, RefusedAddress, StreamState } from './stream/stream-state.ts'
export type * from './types.ts'
export type * from './watch/types.ts'
