import { startTimer } from '../../concurrency/clock.ts'
import type { Failure } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { PriceFetcher } from '../prices/price-fetcher.ts'
import type { PriceTable } from '../prices/price-table.ts'
import { shortestInterval, type TrackedPrice } from '../prices/tracked-price.ts'
import type { DueTimes } from '../schedule/due-times.ts'
import type { StreamedPrice } from './read-price.ts'
import { openStreamConnection, type StreamConnection } from './stream-connection.ts'
import { errorOf, type FeedStreamStatus, worstOf } from './stream-state.ts'
import { createStreamedFetcher } from './streamed-fetcher.ts'

export interface FollowStreamsParts extends Pick<PriceStreamsParts, 'clock' | 'windowMs' | 'isPaused' | 'open'> {
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
  const { fetcher, table, dueTimes } = parts
  const { schedule } = dueTimes
  const streamed = createStreamedFetcher({
    fetcher,
    table,
    covers: (tracked) => streams.covers(tracked),
    failureOf: (tracked) => streams.failureOf(tracked),
    schedule,
  })
  const streams = createPriceStreams({
    ...parts,
    watched: () => dueTimes.demand.addresses(),
    onPrice: streamed.onPrice,
    onUncovered: streamed.reconsider,
    onStatus() {
      streamed.reportFailures()
      parts.onStatus()
    },
  })
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

/** The streams that a feed takes its prices from. */
interface PriceStreams {
  /** Call it when watches may have changed. */
  changed(): void
  /** Whether the prices of a watched address come from a stream, so that nobody needs to buy them. */
  covers(tracked: TrackedPrice): boolean
  /** Why the stream of an address brings no prices; undefined while it does. */
  failureOf(tracked: TrackedPrice): Failure | undefined
  readonly status: FeedStreamStatus
  /** Ends all streams. */
  stop(): void
}

export interface PriceStreamsParts {
  readonly clock: FeedClock
  /** How long changes are collected before streams are opened anew, milliseconds. */
  readonly windowMs: number
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>
  /** Every watched address. */
  watched(): readonly TrackedPrice[]
  isPaused(): boolean
  onPrice(price: StreamedPrice): void
  /** Called when addresses may no longer be covered. */
  onUncovered(): void
  /** Called when the state of a stream has changed. */
  onStatus(): void
}

/** What a proxy accepts by default: addresses in one stream, and streams of one visitor. */
const MAX_ADDRESSES = 150
const MAX_STREAMS = 3

function createPriceStreams(parts: PriceStreamsParts): PriceStreams {
  const { clock, windowMs, open, watched, isPaused, onPrice, onUncovered, onStatus } = parts
  /** By path. */
  const connections = new Map<string, StreamConnection>()
  let byAddress: ReadonlyMap<string, StreamConnection> = new Map()
  let stopTimer: (() => void) | undefined
  let isStopped = false

  function connect(path: string): StreamConnection {
    const connection = openStreamConnection({
      clock,
      open: (headers, signal) => open(path, headers, signal),
      onPrice,
      onDown: onUncovered,
      onStatus,
    })
    connections.set(path, connection)
    return connection
  }

  function update(): void {
    stopTimer?.()
    stopTimer = undefined
    if (isStopped) return
    const wanted = isPaused() ? [] : groupByInterval(watched()).slice(0, MAX_STREAMS)
    const paths = new Set(wanted.map(({ path }) => path))
    for (const [path, connection] of connections) {
      if (paths.has(path)) continue
      connection.stop()
      connections.delete(path)
    }
    byAddress = new Map(
      wanted.flatMap(({ path, addresses }) => {
        const connection = connections.get(path) ?? connect(path)
        return addresses.map((address): [string, StreamConnection] => [address, connection])
      }),
    )
    onUncovered()
  }

  return {
    changed() {
      if (!isStopped) stopTimer ??= startTimer(clock, windowMs, update)
    },
    covers(tracked) {
      if (stopTimer) update()
      return byAddress.get(tracked.address)?.isLive ?? false
    },
    failureOf(tracked) {
      const status = byAddress.get(tracked.address)?.status
      const waitMs = status?.until === undefined ? undefined : Math.max(0, status.until - clock.wall.now())
      const error = status && errorOf(status, waitMs)
      return error && { error, waitMs: waitMs ?? 0, transient: true, maybeCharged: false }
    },
    get status() {
      return worstOf([...connections.values()].map(({ status }) => status))
    },
    stop() {
      isStopped = true
      stopTimer?.()
      for (const connection of connections.values()) connection.stop()
      connections.clear()
      byAddress = new Map()
      onUncovered()
    },
  }
}

/** One stream for each interval, the shortest first: those save the most. */
function groupByInterval(watched: readonly TrackedPrice[]): { path: string; addresses: readonly string[] }[] {
  const groups = new Map<number, string[]>()
  for (const tracked of watched) {
    const everyMs = Math.ceil(shortestInterval(tracked))
    groups.set(everyMs, [...(groups.get(everyMs) ?? []), tracked.address])
  }
  return [...groups]
    .sort(([one], [other]) => one - other)
    .flatMap(([everyMs, addresses]) =>
      inChunks(addresses.sort()).map((chunk) => ({
        path: `stream?addresses=${chunk}&everyMs=${everyMs}`,
        addresses: chunk,
      })),
    )
}

function inChunks(addresses: readonly string[]): string[][] {
  const count = Math.ceil(addresses.length / MAX_ADDRESSES)
  return Array.from({ length: count }, (_, index) =>
    addresses.slice(index * MAX_ADDRESSES, (index + 1) * MAX_ADDRESSES),
  )
}
