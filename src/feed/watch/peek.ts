import type { Clock } from '../../concurrency/clock.ts'
import { toFeedPrice } from '../prices/feed-price.ts'
import type { PriceTable, TrackedPrice } from '../prices/tracked-price.ts'
import type { FeedPrice } from './types.ts'

export interface PeekParts {
  readonly clock: Clock
  readonly table: PriceTable
  readonly maxAgeMs: number
  toChecksum(addresses: readonly string[]): string[]
}

interface Snapshot {
  readonly price: FeedPrice
  /** When the price was requested, by the clock of the feed. */
  readonly at: number
}

/** Returns the same object for an input until the price or its `stale` changes, so that React can compare snapshots. */
export function createPeek({ clock, table, maxAgeMs, toChecksum }: PeekParts) {
  const snapshots = new WeakMap<TrackedPrice, Map<string, Snapshot>>()
  return (input: string): FeedPrice | undefined => {
    const [address = input] = toChecksum([input])
    const tracked = table.find(address)
    if (tracked === undefined) return undefined
    const now = clock.now()
    const stale = now - tracked.at > (tracked.watchers.size > 0 ? tracked.maxAge(tracked.shortestInterval) : maxAgeMs)
    const known = snapshots.get(tracked) ?? new Map<string, Snapshot>()
    const last = known.get(input)
    if (last?.at === tracked.at && last.price.stale === stale) return last.price
    const price = toFeedPrice(tracked, input, now, stale)
    if (price !== undefined) snapshots.set(tracked, known.set(input, { price, at: tracked.at }))
    return price
  }
}
