import type { Failure } from '../failures.ts'
import type { PriceFetcher } from '../prices/price-fetcher.ts'
import type { PriceTable } from '../prices/price-table.ts'
import { awaited, isWanted, released, subscribersOf, type TrackedPrice } from '../prices/tracked-price.ts'
import type { StreamedPrice } from './stream-state.ts'

/** A fetcher that waits for streams where they have the price, and buys the rest. */
export interface StreamedFetcher extends PriceFetcher {
  /** A price has arrived. */
  onPrice(price: StreamedPrice): void
  /** Reports to the subscribers of a price why none arrives. */
  reportFailures(): void
  /** Buys what waits for a stream and cannot wait any longer. */
  reconsider(): void
}

export interface StreamedFetcherParts {
  readonly fetcher: PriceFetcher
  readonly table: PriceTable
  covers(tracked: TrackedPrice): boolean
  /** Why the stream of an address brings no prices; undefined while it does. */
  failureOf(tracked: TrackedPrice): Failure | undefined
  schedule(tracked: TrackedPrice): void
}

export function createStreamedFetcher({
  fetcher,
  table,
  covers,
  failureOf,
  schedule,
}: StreamedFetcherParts): StreamedFetcher {
  /** Addresses that are due, with what ends the wait for their price. */
  const waiting = new Map<TrackedPrice, (hasArrived: boolean) => void>()
  /** A price request may need a newer price than the streams have. */
  const isStreamed = (tracked: TrackedPrice) => tracked.requesters.size === 0 && covers(tracked)

  function endWait(tracked: TrackedPrice, hasArrived: boolean): void {
    const end = waiting.get(tracked)
    waiting.delete(tracked)
    end?.(hasArrived)
  }

  /** The price is due: silence would look like a price that has not changed. */
  function reportFailure(tracked: TrackedPrice): void {
    const failure = failureOf(tracked)
    if (failure) for (const subscriber of subscribersOf(tracked)) subscriber.onFailure(tracked, failure)
  }

  /** Resolves with whether the price has arrived; otherwise no stream has it any longer, or nobody wants it. */
  function wait(tracked: TrackedPrice): Promise<boolean> {
    awaited(tracked)
    schedule(tracked)
    reportFailure(tracked)
    return new Promise((resolve) => waiting.set(tracked, resolve))
  }

  /** Resolves with the credits paid. */
  async function awaitStreams(prices: readonly TrackedPrice[]): Promise<number> {
    const arrived = await Promise.all(prices.map(wait))
    const missing = prices.filter((_, index) => !arrived[index])
    for (const tracked of missing) {
      released(tracked)
      schedule(tracked)
    }
    const due = missing.filter(isWanted)
    return due.length === 0 ? 0 : fetcher.fetch({ due, early: [] })
  }

  return {
    admit: fetcher.admit,
    deliver: fetcher.deliver,
    async fetch(batch) {
      const streamed = new Set([...batch.due, ...batch.early].filter(isStreamed))
      const due = batch.due.filter((tracked) => !streamed.has(tracked))
      const early = due.length === 0 ? [] : batch.early.filter((tracked) => !streamed.has(tracked))
      // Skip early addresses when no due address is bought.
      for (const tracked of batch.early) if (!early.includes(tracked)) schedule(tracked)
      const paid = due.length === 0 ? 0 : fetcher.fetch({ due, early })
      const [credits, more] = await Promise.all([
        paid,
        awaitStreams(batch.due.filter((tracked) => streamed.has(tracked))),
      ])
      return credits + more
    },
    onPrice({ address, price, at, requestedAt }) {
      const tracked = table.find(address)
      if (tracked === undefined || at <= tracked.at) return
      // The answer to a request in flight will be newer.
      if (tracked.inFlight && !waiting.has(tracked)) return
      fetcher.deliver(tracked, { price, at, requestedAt })
      endWait(tracked, true)
    },
    reportFailures() {
      for (const tracked of [...waiting.keys()]) reportFailure(tracked)
    },
    reconsider() {
      for (const tracked of [...waiting.keys()]) if (!isWanted(tracked) || !isStreamed(tracked)) endWait(tracked, false)
    },
  }
}
