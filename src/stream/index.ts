/**
 * Prices from a proxy for a page, without a client: the smallest entry.
 *
 * @module etn-market/stream
 */

export type { Clock } from '../concurrency/clock.ts'
export type { AppVisibility } from '../feed/page-visibility.ts'
export type { FeedStreamState, FeedStreamStatus, RefusedAddress, StreamState } from '../feed/stream/stream-state.ts'
export type { FeedPrice } from '../feed/watch/types.ts'
export {
  createPriceStream,
  type PriceStream,
  type PriceStreamInit,
  type PriceStreamOptions,
  type PriceStreamStatus,
  type PriceStreamWatch,
  type PriceStreamWatchOptions,
} from './price-stream.ts'
