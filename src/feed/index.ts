/**
 * The price feed: buys each price once for everybody who watches it, with alerts, candles, trades and portfolios.
 *
 * @module etn-market/feed
 */

export type { CandleSeries, CandleWatchOptions } from './candles/watch-candles.ts'
export type * from './events.ts'
export { createPriceFeed } from './feed.ts'
export type { AppVisibility } from './page-visibility.ts'
export type { Portfolio, PortfolioOptions, PortfolioPosition } from './portfolio/watch-portfolio.ts'
export type { FeedStreamState, FeedStreamStatus, RefusedAddress, StreamState } from './stream/stream-state.ts'
export type { TradesOptions } from './trades/trades.ts'
export type * from './types.ts'
export type * from './watch/types.ts'
