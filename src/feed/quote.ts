import type { TokenPrice } from '../generated/types.ts'
import type { Quote } from './book.ts'
import type { FeedPrice } from './types.ts'

/** What is known of an address, as a caller who spells it so gets it. Nothing, as long as nothing is known. */
export function toFeedPrice(quote: Quote, spelling: string, now: number, stale: boolean): FeedPrice | undefined {
  const { price, at } = quote
  if (price === undefined) return undefined
  const known = { address: spelling, usd: price?.usd ?? null, etn: price?.etn ?? null, at, ageMs: now - at, stale }
  const told: Record<string, unknown> & FeedPrice = known
  // Spread, what JSON.parse made is copied some twenty times as slowly; this is done for each price and watcher.
  for (const field in price) if (!(field in told)) told[field] = price[field as keyof TokenPrice]
  return told
}
