import type { Failure } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { PriceBuyer as Buyer } from '../prices/price-buyer.ts'
import type { PriceTable, TrackedPrice } from '../prices/tracked-price.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { PageStream, type PageStreamOptions } from './page-stream.ts'
import { errorOf, type FeedStreamStatus, type StreamedPrice } from './stream-state.ts'

export interface FollowStreamsParts extends Pick<PageStreamOptions, 'clock' | 'windowMs' | 'isPaused' | 'open'> {
  /** Called when the state of the stream has changed. */
  onStatus(): void
  readonly buyer: PriceBuyer
  readonly table: PriceTable
  readonly schedule: Schedule
}

type PriceBuyer = Pick<Buyer, keyof Buyer>

/** The stream, and a buyer that waits for its prices. */
export interface StreamFollower {
  readonly buyer: PriceBuyer
  /** Call it when watches may have changed. */
  changed(): void
  /** Call it before a price request, which may need a newer price than the streams have. */
  reconsider(): void
  /** The state of the stream. */
  readonly status: FeedStreamStatus
  stop(): void
}

export function followStreams(parts: FollowStreamsParts): StreamFollower {
  const { clock, buyer, table, schedule } = parts
  const streamed = createStreamedFetcher({
    buyer,
    clock,
    table,
    covers: ({ address }) => stream.covers(address),
    failureOf({ address }) {
      const status = stream.statusOf(address)
      const waitMs = status?.until === undefined ? undefined : Math.max(0, status.until - clock.wall.now())
      // A connection comes back before prices are missed, and what the proxy does not stream is bought.
      const isStreamed = status?.status === undefined && status?.state !== 'reconnecting'
      const error = isStreamed && status ? errorOf(status, waitMs) : undefined
      return error && { error, waitMs: waitMs ?? 0, transient: true, maybeCharged: false }
    },
    schedule,
  })
  const stream = new PageStream({
    ...parts,
    wanted: () => Array.from(schedule.watched, ({ address }) => address),
    onPrice: streamed.onPrice,
    onUncovered: streamed.reconsider,
    onStatus() {
      streamed.reportFailures()
      parts.onStatus()
    },
  })
  return {
    buyer: streamed,
    changed: () => stream.changed(),
    reconsider: streamed.reconsider,
    get status() {
      return stream.status
    },
    stop: () => stream.stop(),
  }
}

/** A fetcher that waits for streams where they have the price, and buys the rest. */
export interface StreamedFetcher extends PriceBuyer {
  /** A price has arrived. */
  onPrice(price: StreamedPrice): void
  /** Reports to the subscribers of a price why none arrives. */
  reportFailures(): void
  /** Buys what waits for a stream and cannot wait any longer. */
  reconsider(): void
}

export interface StreamedFetcherParts {
  readonly buyer: PriceBuyer
  readonly clock: FeedClock
  readonly table: PriceTable
  covers(tracked: TrackedPrice): boolean
  /** Why the stream of an address brings no prices; undefined while it does. */
  failureOf(tracked: TrackedPrice): Failure | undefined
  readonly schedule: Schedule
}

export function createStreamedFetcher({
  buyer,
  clock,
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
    if (failure) for (const subscriber of tracked.subscribers()) subscriber.onFailure(tracked, failure)
  }

  /** Resolves with whether the price has arrived; otherwise no stream has it any longer, or nobody wants it. */
  function wait(tracked: TrackedPrice): Promise<boolean> {
    tracked.await(clock.now())
    schedule.changed(tracked)
    reportFailure(tracked)
    return new Promise((resolve) => waiting.set(tracked, resolve))
  }

  async function awaitStreams(prices: readonly TrackedPrice[]): Promise<void> {
    const arrived = await Promise.all(prices.map(wait))
    const missing = prices.filter((_, index) => !arrived[index])
    for (const tracked of missing) {
      tracked.release()
      schedule.changed(tracked)
    }
    const due = missing.filter(({ isWanted }) => isWanted)
    if (due.length > 0) await buyer.buy(due, [])
  }

  return {
    admit: (requested) => buyer.admit(requested),
    deliver: (tracked, known) => buyer.deliver(tracked, known),
    withdraw: () => buyer.withdraw(),
    async buy(wanted, more) {
      const streamed = new Set([...wanted, ...more].filter(isStreamed))
      const due = wanted.filter((tracked) => !streamed.has(tracked))
      const early = due.length === 0 ? [] : more.filter((tracked) => !streamed.has(tracked))
      // Early addresses are skipped when no due address is bought.
      const bought = due.length === 0 ? undefined : buyer.buy(due, early)
      await Promise.all([bought, awaitStreams(wanted.filter((tracked) => streamed.has(tracked)))])
    },
    onPrice({ address, price, at, requestedAt }) {
      const tracked = table.find(address)
      if (tracked === undefined || at <= tracked.at) return
      // The answer to a request in flight will be newer.
      if (tracked.inFlight && !waiting.has(tracked)) return
      buyer.deliver(tracked, { price, at, requestedAt })
      endWait(tracked, true)
    },
    reportFailures() {
      for (const tracked of [...waiting.keys()]) reportFailure(tracked)
    },
    reconsider() {
      for (const tracked of [...waiting.keys()]) if (!tracked.isWanted || !isStreamed(tracked)) endWait(tracked, false)
    },
  }
}
