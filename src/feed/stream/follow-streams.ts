import type { PriceBuyer } from '../prices/price-buyer.ts'
import type { PriceTable } from '../prices/tracked-price.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { PageStream, type PageStreamOptions } from './page-stream.ts'
import { errorOf, type FeedStreamStatus } from './stream-state.ts'
import { createStreamedFetcher } from './streamed-fetcher.ts'

export interface FollowStreamsParts extends Pick<PageStreamOptions, 'clock' | 'windowMs' | 'isPaused' | 'open'> {
  /** Called when the state of the stream has changed. */
  onStatus(): void
  readonly buyer: PriceBuyer
  readonly table: PriceTable
  readonly schedule: Schedule
}

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
