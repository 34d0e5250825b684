import { type ClientInternals, internalsOf } from '../../client-internals.ts'
import { invalidOption } from '../../errors/input.ts'
import type { PriceBuyer as Buyer } from '../prices/price-buyer.ts'
import type { FeedClient } from '../types.ts'
import type { FollowStreamsParts, StreamFollower } from './follow-streams.ts'
import type { FeedStreamStatus } from './stream-state.ts'

export interface LoadStreamsParts extends Omit<FollowStreamsParts, 'open'> {
  readonly client: FeedClient
}

const CONNECTING: FeedStreamStatus = {
  state: 'connecting',
  everyMs: undefined,
  until: undefined,
  status: undefined,
  code: undefined,
  refused: [],
}

type PriceBuyer = Pick<Buyer, keyof Buyer>

/** Takes prices from the stream of a proxy, and buys where there are none. */
export interface LazyStreams {
  /** Whether it is not known yet what the streams have. The scheduler has to wait. */
  readonly isLoading: boolean
  readonly buyer: PriceBuyer
  /** The state of the stream. */
  readonly status: FeedStreamStatus
  /** Call it when watches may have changed. */
  changed(): void
  /** Call it before a price request, which may need a newer price than the stream has. */
  reconsider(): void
  stop(): void
}

/**
 * Loads the code of the streams, because most pages have none. If it cannot be loaded, the feed buys.
 * @throws InvalidRequestError for a client that cannot open streams
 */
export function loadStreams({ client, ...parts }: LoadStreamsParts): LazyStreams {
  const { open } = internalsOfClient(client)
  let streams: StreamFollower | undefined
  let isLoading = true
  let isStopped = false
  const current = () => streams?.buyer ?? parts.buyer

  async function load(): Promise<void> {
    const { followStreams } = await import('./follow-streams.ts')
    if (!isStopped) streams = followStreams({ ...parts, open })
  }

  load()
    .catch(() => {})
    .finally(() => {
      isLoading = false
      parts.schedule.wake()
    })
  return {
    get isLoading() {
      return isLoading
    },
    get status() {
      return streams?.status ?? CONNECTING
    },
    buyer: {
      buy: (due, early) => current().buy(due, early),
      withdraw: () => current().withdraw(),
      admit: (requested) => current().admit(requested),
      deliver: (tracked, known) => current().deliver(tracked, known),
    },
    changed: () => streams?.changed(),
    reconsider: () => streams?.reconsider(),
    stop() {
      isStopped = true
      streams?.stop()
    },
  }
}

function internalsOfClient(client: FeedClient): ClientInternals {
  const internals = internalsOf(client)
  if (internals) return internals
  throw invalidOption('stream', true, 'left out: the client was not made by createClient')
}
