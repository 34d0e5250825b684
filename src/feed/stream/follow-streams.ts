import type { PriceBuyer } from '../prices/price-buyer.ts'
import type { PriceTable } from '../prices/tracked-price.ts'
import type { Schedule } from '../schedule/schedule.ts'
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
  readonly buyer: PriceBuyer
  readonly table: PriceTable
  readonly schedule: Schedule
}

/** The streams, and a fetcher that waits for their prices. */
export interface StreamFollower {
  readonly buyer: PriceBuyer
  /** Call it when watches may have changed. */
  changed(): void
  /** Call it before a price request, which may need a newer price than the streams have. */
  reconsider(): void
  /** The state of the worst stream. */
  readonly status: FeedStreamStatus
  stop(): void
}

export function followStreams(parts: FollowStreamsParts): StreamFollower {
  const { clock, buyer, table, schedule, tabs } = parts
  const streamed = createStreamedFetcher({
    buyer,
    clock,
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
    wanted: () => Array.from(schedule.watched, ({ address, shortestInterval }) => [address, shortestInterval] as const),
    onPrice: streamed.onPrice,
    onUncovered: streamed.reconsider,
    onStatus() {
      streamed.reportFailures()
      parts.onStatus()
    },
  }
  const streams = tabs ? shareBetweenTabs(streamParts, tabs) : createPriceStreams(streamParts)
  return {
    buyer: streamed,
    changed: streams.changed,
    reconsider: streamed.reconsider,
    get status() {
      return streams.status
    },
    stop: streams.stop,
  }
}
