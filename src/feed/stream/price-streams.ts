import { startTimer } from '../../concurrency/clock.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { StreamedPrice } from './read-price.ts'
import { openStreamConnection, type StreamConnection } from './stream-connection.ts'
import { type FeedStreamStatus, worstOf } from './stream-state.ts'

/** The streams that a page takes its prices from. */
export interface PriceStreams {
  /** Call it when `wanted` or `isPaused` may have changed. */
  changed(): void
  /** Whether the price of an address comes from a stream, or is expected to within moments. */
  covers(address: string): boolean
  /** The state of the stream of an address; undefined where it has none. */
  statusOf(address: string): FeedStreamStatus | undefined
  /** The state of the worst stream. */
  readonly status: FeedStreamStatus
  /** Ends all streams. */
  stop(): void
}

export interface PriceStreamsParts {
  readonly clock: FeedClock
  /** How long changes are collected before streams are opened anew, milliseconds. */
  readonly windowMs: number
  /** Opens a path below the proxy's. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>
  /** Every address with the age up to which its price is wanted, in milliseconds. An address always has the same spelling. */
  wanted(): Iterable<readonly [address: string, everyMs: number]>
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

/** Streams of this page alone. */
export function createPriceStreams(parts: PriceStreamsParts): PriceStreams {
  const { clock, windowMs, open, wanted, isPaused, onPrice, onUncovered, onStatus } = parts
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
    const groups = isPaused() ? [] : groupByInterval(wanted()).slice(0, MAX_STREAMS)
    const paths = new Set(groups.map(({ path }) => path))
    for (const [path, connection] of connections) {
      if (paths.has(path)) continue
      connection.stop()
      connections.delete(path)
    }
    byAddress = new Map(
      groups.flatMap(({ path, addresses }) => {
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
    covers(address) {
      if (stopTimer) update()
      return byAddress.get(address)?.isLive ?? false
    },
    statusOf: (address) => byAddress.get(address)?.status,
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
function groupByInterval(
  wanted: Iterable<readonly [address: string, everyMs: number]>,
): { path: string; addresses: readonly string[] }[] {
  const groups = new Map<number, string[]>()
  for (const [address, exactMs] of wanted) {
    const everyMs = Math.ceil(exactMs)
    groups.set(everyMs, [...(groups.get(everyMs) ?? []), address])
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
