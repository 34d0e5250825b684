import type { Quote } from './book.ts'
import type { FeedPrice } from './types.ts'

/** What is known of an address, as a caller who spells it so gets it. Nothing, as long as nothing is known. */
export function toFeedPrice(quote: Quote, spelling: string, now: number, stale: boolean): FeedPrice | undefined {
  const { price, at } = quote
  if (price === undefined) return undefined
  return { ...price, address: spelling, usd: price?.usd ?? null, etn: price?.etn ?? null, at, ageMs: now - at, stale }
}
