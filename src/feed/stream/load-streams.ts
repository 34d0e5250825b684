import { type ClientInternals, internalsOf } from '../../client-internals.ts'
import { invalidOption } from '../../errors/input.ts'
import type { PriceFetcher } from '../prices/price-fetcher.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
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

/** Takes prices from the stream of a proxy, and buys where there are none. */
export interface LazyStreams {
  /** Whether it is not known yet what the streams have. The scheduler has to wait. */
  readonly isLoading: boolean
  readonly fetcher: PriceFetcher
  /** The state of the stream. */
  readonly status: FeedStreamStatus
  /** The same scheduler, which reports changes of watches to the streams. */
  follow(scheduler: Scheduler): Scheduler
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
  let wake = () => {}
  const current = () => streams?.fetcher ?? parts.fetcher

  async function load(): Promise<void> {
    const { followStreams } = await import('./follow-streams.ts')
    if (!isStopped) streams = followStreams({ ...parts, open })
  }

  load()
    .catch(() => {})
    .finally(() => {
      isLoading = false
      wake()
    })
  return {
    get isLoading() {
      return isLoading
    },
    get status() {
      return streams?.status ?? CONNECTING
    },
    fetcher: {
      fetch: (batch) => current().fetch(batch),
      admit: (requested) => current().admit(requested),
      deliver: (tracked, stored) => current().deliver(tracked, stored),
    },
    follow(scheduler) {
      wake = () => {
        streams?.changed()
        scheduler.wake()
      }
      return {
        ...scheduler,
        request(tracked) {
          streams?.reconsider()
          scheduler.request(tracked)
        },
        wake,
      }
    },
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
