/**
 * Prices from a proxy for a page, without a client: the smallest entry.
 *
 * @module etn-market/stream
 */

export type { Clock } from '../concurrency/clock.ts'
export type { FeedStreamState, FeedStreamStatus, RefusedAddress, StreamState } from '../feed/stream/stream-state.ts'
export type { FeedPrice } from '../feed/watch/types.ts'
export { createPriceStream } from './price-stream.ts'
export type {
  PriceStream,
  PriceStreamInit,
  PriceStreamOptions,
  PriceStreamStatus,
  PriceStreamWatch,
  PriceStreamWatchOptions,
} from './types.ts'
