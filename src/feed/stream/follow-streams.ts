import type { PriceFetcher } from '../prices/price-fetcher.ts'
import type { PriceTable } from '../prices/price-table.ts'
import { shortestInterval } from '../prices/tracked-price.ts'
import type { DueTimes } from '../schedule/due-times.ts'
import type { Tabs } from './browser-tabs.ts'
import { createPriceStreams, type PriceStreamsParts } from './price-streams.ts'
import { shareBetweenTabs } from './share-between-tabs.ts'
import { errorOf, type FeedStreamStatus } from './stream-state.ts'
import { createStreamedFetcher } from './streamed-fetcher.ts'

export { tabsOfBrowser } from './browser-tabs.ts'

export interface FollowStreamsParts extends Pick<PriceStreamsParts, 'clock' | 'windowMs' | 'isPaused' | 'open'> {
  /** The tabs of the browser that have one stream together; undefined for a stream of this page alone. */
  readonly tabs: Tabs | undefined
  /** Called when the state of a stream has changed. */
  onStatus(): void
  readonly fetcher: PriceFetcher
  readonly table: PriceTable
  readonly dueTimes: DueTimes
}

/** The streams, and a fetcher that waits for their prices. */
export interface StreamFollower {
  readonly fetcher: PriceFetcher
  /** Call it when watches may have changed. */
  changed(): void
  /** Call it before a price request, which may need a newer price than the streams have. */
  reconsider(): void
  /** The state of the worst stream. */
  readonly status: FeedStreamStatus
  stop(): void
}

export function followStreams(parts: FollowStreamsParts): StreamFollower {
  const { clock, fetcher, table, dueTimes, tabs } = parts
  const { schedule } = dueTimes
  const streamed = createStreamedFetcher({
    fetcher,
    table,
    covers: ({ address }) => streams.covers(address),
    failureOf({ address }) {
      const status = streams.statusOf(address)
      const waitMs = status?.until === undefined ? undefined : Math.max(0, status.until - clock.wall.now())
      const error = status && errorOf(status, waitMs)
      return error && { error, waitMs: waitMs ?? 0, transient: true, maybeCharged: false }
    },
    schedule,
  })
  const streamParts: PriceStreamsParts = {
    ...parts,
    wanted: () => dueTimes.demand.addresses().map((tracked) => [tracked.address, shortestInterval(tracked)]),
    onPrice: streamed.onPrice,
    onUncovered: streamed.reconsider,
    onStatus() {
      streamed.reportFailures()
      parts.onStatus()
    },
  }
  const streams = tabs ? shareBetweenTabs(streamParts, tabs) : createPriceStreams(streamParts)
  return {
    fetcher: streamed,
    changed: streams.changed,
    reconsider: streamed.reconsider,
    get status() {
      return streams.status
    },
    stop: streams.stop,
  }
}
