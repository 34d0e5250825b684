import type { FeedPrice, PriceFeed } from 'etn-market/feed'
import type { PriceSource } from 'etn-market/react'

/** A price in USD, and when it was bought. */
export interface PricePoint {
  /** Unix milliseconds. */
  readonly at: number
  readonly usd: number
}

/** The prices that the page has received since it was opened. Buys nothing. */
export interface PriceHistory {
  /** The feed, for hooks. What it delivers is remembered. */
  readonly source: PriceSource
  /** The prices of a token, oldest first: the same list until there is a new one. */
  pointsOf(address: string): readonly PricePoint[]
}

/** More than a sparkline has pixels to show. */
const MAX_POINTS = 120
const NONE: readonly PricePoint[] = []

export function createPriceHistory(feed: PriceFeed): PriceHistory {
  const byAddress = new Map<string, readonly PricePoint[]>()

  function record({ address, usd, at }: FeedPrice): void {
    const points = byAddress.get(address) ?? NONE
    const last = points.at(-1)
    if (usd === null || (last !== undefined && last.at >= at)) return
    // The first one stays: it is what changes are compared with.
    const kept = points.length < MAX_POINTS ? points : points.filter((_, index) => index % 2 === 0)
    byAddress.set(address, [...kept, { at, usd: Number(usd) }])
  }

  return {
    source: {
      peek: (address) => feed.peek(address),
      watch: (addresses, { everyMs, onPrice, onError }) =>
        feed.watch(addresses, {
          everyMs,
          onError,
          onPrice(price) {
            record(price)
            onPrice(price)
          },
        }),
    },
    pointsOf: (address) => byAddress.get(address) ?? NONE,
  }
}
