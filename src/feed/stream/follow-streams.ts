import type { PriceFetcher } from '../prices/price-fetcher.ts'
import type { PriceTable } from '../prices/price-table.ts'
import type { DueTimes } from '../schedule/due-times.ts'
import { createPriceStreams, type PriceStreamsParts } from './price-streams.ts'
import { createStreamedFetcher } from './streamed-fetcher.ts'

export interface FollowStreamsParts extends Pick<PriceStreamsParts, 'clock' | 'windowMs' | 'isPaused' | 'open'> {
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
  stop(): void
}

export function followStreams(parts: FollowStreamsParts): StreamFollower {
  const { fetcher, table, dueTimes } = parts
  const { schedule } = dueTimes
  const streamed = createStreamedFetcher({ fetcher, table, covers: (tracked) => streams.covers(tracked), schedule })
  const streams = createPriceStreams({
    ...parts,
    watched: () => dueTimes.demand.addresses(),
    onPrice: streamed.onPrice,
    onUncovered: streamed.reconsider,
  })
  return { fetcher: streamed, changed: streams.changed, reconsider: streamed.reconsider, stop: streams.stop }
}
