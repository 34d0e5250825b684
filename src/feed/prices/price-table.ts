import { createTrackedPrice, isWanted, type TrackedPrice } from './tracked-price.ts'

/** Every address that the feed knows. */
export interface PriceTable {
  /** Returns the entries of addresses, and creates those that are missing. */
  open(addresses: Iterable<string>): TrackedPrice[]
  /** Returns the entry of an address if there is one. */
  find(address: string): TrackedPrice | undefined
}

/** Beyond this number of addresses, those that nobody wants are dropped, oldest first. */
const MAX_ADDRESSES = 10_000

export function createPriceTable(): PriceTable {
  const entries = new Map<string, TrackedPrice>()
  let trimAt = MAX_ADDRESSES

  function trim(): void {
    for (const [address, tracked] of entries) {
      if (entries.size <= MAX_ADDRESSES) break
      if (!isWanted(tracked) && !tracked.inFlight) entries.delete(address)
    }
    // Entries that are wanted stay, and are not looked through again for each new one.
    trimAt = Math.max(MAX_ADDRESSES, 2 * entries.size)
  }

  function open(address: string): TrackedPrice {
    const known = entries.get(address)
    if (known !== undefined) return known
    const tracked = createTrackedPrice(address)
    entries.set(address, tracked)
    return tracked
  }

  return {
    open(addresses) {
      // Before, because nobody wants the new entries yet.
      if (entries.size > trimAt) trim()
      return Array.from(addresses, open)
    },
    find: (address) => entries.get(address),
  }
}
