import { internalsOf } from '../../client-internals.ts'
import { invalidOption } from '../../errors/input.ts'
import type { PriceFetcher } from '../prices/price-fetcher.ts'
import type { PriceTable } from '../prices/price-table.ts'
import type { DueTimes } from '../schedule/due-times.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import type { FeedClient } from '../types.ts'
import { createPriceStreams, type PriceStreamsParts } from './price-streams.ts'
import { createStreamedFetcher } from './streamed-fetcher.ts'

export interface FollowStreamsParts extends Pick<PriceStreamsParts, 'clock' | 'windowMs' | 'isPaused'> {
  readonly client: FeedClient
  readonly fetcher: PriceFetcher
  readonly table: PriceTable
  readonly dueTimes: DueTimes
}

/** Takes prices from the streams of a proxy, and buys where there are none. */
export interface StreamFollower {
  readonly fetcher: PriceFetcher
  /** The same scheduler, which reports changes of watches to the streams. */
  follow(scheduler: Scheduler): Scheduler
  stop(): void
}

/** @throws InvalidRequestError for a client that cannot open streams */
export function followStreams(parts: FollowStreamsParts): StreamFollower {
  const { client, fetcher, table, dueTimes } = parts
  const open = internalsOf(client)?.open
  if (open === undefined) throw invalidOption('stream', true, 'left out: the client was not made by createClient')
  const { schedule } = dueTimes
  const streamed = createStreamedFetcher({ fetcher, table, covers: (tracked) => streams.covers(tracked), schedule })
  const streams = createPriceStreams({
    ...parts,
    open,
    watched: () => dueTimes.demand.addresses(),
    onPrice: streamed.onPrice,
    onUncovered: streamed.reconsider,
  })
  return {
    fetcher: streamed,
    follow: (scheduler) => ({
      ...scheduler,
      request(tracked) {
        streamed.reconsider()
        scheduler.request(tracked)
      },
      wake() {
        streams.changed()
        scheduler.wake()
      },
    }),
    stop: streams.stop,
  }
}
