import type { FeedPrice } from 'etn-market/feed'

/** Prices by the addresses as they were given; undefined until the first price arrives. */
export type PricesByAddress<Address extends string = string> = Readonly<Record<Address, FeedPrice | undefined>>

/** Knows prices. */
export interface PriceReader {
  /** The known price of an address: the same object until it changes. */
  peek(address: string): FeedPrice | undefined
}

export const NOTHING: PricesByAddress = Object.freeze({})

/** Longer than React takes between the two calls that it compares. */
const MOMENT_MS = 50

/**
 * What a feed knows now: the same object until a price changes, because React compares snapshots by identity. React asks twice in a row,
 * and a price may become stale between the two, so that a change of `stale` alone waits for the next moment.
 */
export function createSnapshot(feed: PriceReader, addresses: readonly string[]): () => PricesByAddress {
  let last: PricesByAddress = NOTHING
  let moment = Number.NEGATIVE_INFINITY
  return () => {
    const now = Date.now()
    const isNewMoment = Math.abs(now - moment) >= MOMENT_MS
    if (isNewMoment) moment = now
    const next = Object.fromEntries(addresses.map((address) => [address, feed.peek(address)]))
    const isChanged = (address: string) =>
      last[address] !== next[address] && (isNewMoment || last[address]?.at !== next[address]?.at)
    if (addresses.some(isChanged)) last = next
    return last
  }
}
