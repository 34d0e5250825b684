import type { TokenPrice } from '../../generated/types.ts'
import type { FeedPrice } from '../watch/types.ts'
import type { TrackedPrice } from './tracked-price.ts'

/** What is known of an address, under the spelling of the caller; undefined while nothing is known. */
export function toFeedPrice(
  { price, at, requestedAt }: Pick<TrackedPrice, 'price' | 'at' | 'requestedAt'>,
  spelling: string,
  now: number,
  stale: boolean,
): FeedPrice | undefined {
  if (price === undefined) return undefined
  const known = {
    address: spelling,
    usd: price?.usd ?? null,
    etn: price?.etn ?? null,
    at: requestedAt,
    ageMs: now - at,
    stale,
  }
  const result: Record<string, unknown> & FeedPrice = known
  // A spread of an object made by JSON.parse is about 20 times slower, and this runs for each price and watcher.
  for (const field in price) if (!(field in result)) result[field] = price[field as keyof TokenPrice]
  return result
}

/** A price that is bought in time still has to arrive. */
const ON_ITS_WAY_MS = 2_000

/**
 * How old a price of a stream may be before it is stale, in milliseconds: the stream brings prices at its own pace, also to somebody who wants
 * them more often.
 */
export const streamedAge = (everyMs: number, paceMs: number): number => Math.max(everyMs, paceMs) + ON_ITS_WAY_MS
