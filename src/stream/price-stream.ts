import { startTimer, systemClock } from '../concurrency/clock.ts'
import { EtnMarketError } from '../errors/base.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import { ConnectionError } from '../errors/network.ts'
import { callSafely } from '../feed/events.ts'
import { createFeedClock } from '../feed/feed-clock.ts'
import { toFeedPrice } from '../feed/prices/feed-price.ts'
import { tabsOfBrowser } from '../feed/stream/browser-tabs.ts'
import { createPriceStreams, type PriceStreamsParts } from '../feed/stream/price-streams.ts'
import type { StreamedPrice } from '../feed/stream/read-price.ts'
import { shareBetweenTabs } from '../feed/stream/share-between-tabs.ts'
import { errorOf, type FeedStreamStatus } from '../feed/stream/stream-state.ts'
import type { FeedPrice } from '../feed/watch/types.ts'
import { trimEnd } from '../utils/trim-end.ts'
import type { PriceStream, PriceStreamOptions, PriceStreamWatchOptions } from './types.ts'

/** How long changes are collected before streams are opened anew: what a page renders together has one stream. */
const WINDOW_MS = 5
/** A price that is bought in time still has to arrive. */
const ON_ITS_WAY_MS = 2_000
/** Without a watch, a price is stale after this. */
const UNWATCHED_MS = 60_000

/** An address, by its lower case, and what is known of it. */
interface WatchedPrice {
  newest: StreamedPrice | undefined
  readonly watches: Set<OpenWatch>
  /** What `peek` returned, by spelling. */
  readonly shown: Map<string, FeedPrice>
}

interface OpenWatch {
  /** Spellings by address. */
  readonly inputs: ReadonlyMap<string, readonly string[]>
  readonly options: PriceStreamWatchOptions
  /** The code that `onError` was called with; undefined after a price. */
  reportedCode: string | undefined
}

/**
 * Shows the prices of a proxy's event stream in a page: small, because it has no client, and it buys nothing. Every hook of
 * `etn-market/react` that takes a feed's prices takes it, too.
 * @example
 * const stream = createPriceStream({ url: '/api/market' })
 * const watch = stream.watch([BOLT, WETN], { everyMs: 60_000, onPrice: ({ address, usd }) => show(address, usd) })
 * @throws InvalidRequestError when an option is unknown or not accepted
 */
export function createPriceStream(options: PriceStreamOptions): PriceStream {
  rejectUnknown('price stream option', options, ['url', 'headers', 'credentials', 'fetch', 'shareTabs', 'clock'])
  const { headers, credentials = 'same-origin', fetch, shareTabs = true } = options
  const url = readUrl(options.url)
  const clock = createFeedClock(options.clock ?? systemClock)
  const prices = new Map<string, WatchedPrice>()
  const watches = new Set<OpenWatch>()
  const listeners = new Set<() => void>()
  let isClosed = false
  let stopLate = () => {}

  const parts: PriceStreamsParts = {
    clock,
    windowMs: WINDOW_MS,
    open: (path, more, signal) =>
      (fetch ?? globalThis.fetch)(url + path, {
        headers: { ...headers, ...more },
        signal,
        credentials,
        cache: 'no-store',
      }),
    *wanted() {
      for (const [address, { watches }] of prices) if (watches.size > 0) yield [address, intervalOf(watches)]
    },
    isPaused: () => false,
    onPrice(price) {
      const known = prices.get(price.address)
      if (known === undefined || (known.newest && price.at <= known.newest.at)) return
      known.newest = price
      known.shown.clear()
      for (const watch of [...known.watches]) {
        watch.reportedCode = undefined
        deliver(watch, price.address)
      }
      notify()
      awaitLate()
    },
    onUncovered: reportFailures,
    onStatus() {
      reportFailures()
      notify()
    },
  }
  const tabs = shareTabs ? tabsOfBrowser(url) : undefined
  const streams = tabs ? shareBetweenTabs(parts, tabs) : createPriceStreams(parts)

  function notify(): void {
    for (const listener of [...listeners]) listener()
  }

  function read(address: string): WatchedPrice {
    const price = prices.get(address) ?? { newest: undefined, watches: new Set(), shown: new Map() }
    prices.set(address, price)
    return price
  }

  /** When a price becomes stale for watches of an interval, by the clock. */
  const staleAt = (price: StreamedPrice, everyMs: number) => price.at + everyMs + ON_ITS_WAY_MS

  function deliver(watch: OpenWatch, address: string): void {
    const newest = prices.get(address)?.newest
    if (newest === undefined || !watches.has(watch)) return
    const { everyMs, onPrice, onError } = watch.options
    const isStale = clock.now() > staleAt(newest, everyMs)
    for (const input of watch.inputs.get(address) ?? []) {
      const price = toFeedPrice(newest, input, clock.now(), isStale)
      if (price) callSafely(onPrice, price, (error) => callSafely(onError, error))
    }
  }

  /** Prices become stale without an event. */
  function awaitLate(): void {
    stopLate()
    const now = clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const { newest, watches } of prices.values())
      for (const { options } of newest ? watches : []) {
        const at = newest ? staleAt(newest, options.everyMs) : 0
        if (at >= now && at < next) next = at
      }
    stopLate = startTimer(clock, next + 1 - now, () => {
      for (const [address, { newest, watches }] of prices)
        for (const watch of newest ? [...watches] : [])
          if (newest && staleAt(newest, watch.options.everyMs) === next) deliver(watch, address)
      notify()
      awaitLate()
    })
  }

  function reportFailures(): void {
    for (const watch of [...watches]) {
      const error = failureOf(watch)
      if (error === undefined || error.code === watch.reportedCode) continue
      watch.reportedCode = error.code
      callSafely(watch.options.onError, error)
    }
  }

  function failureOf({ inputs }: OpenWatch): EtnMarketError | undefined {
    for (const address of inputs.keys()) {
      const isCovered = streams.covers(address)
      const status = streams.statusOf(address)
      const error = status && failure(status, isCovered)
      if (error) return error
    }
    return undefined
  }

  function failure(status: FeedStreamStatus, isCovered: boolean): EtnMarketError | undefined {
    const waitMs = status.until === undefined ? undefined : Math.max(0, status.until - clock.wall.now())
    const message = 'The proxy answers with no event stream: check `url`, and what its streams may have.'
    if (status.state === 'unavailable') return new EtnMarketError(message, { code: 'stream_unavailable' })
    const error = errorOf(status, waitMs)
    if (error || isCovered) return error
    return new ConnectionError('There is no connection to the proxy. The page tries again.', {
      code: 'connection_failed',
      retryAfterMs: waitMs,
    })
  }

  function close(): void {
    isClosed = true
    watches.clear()
    listeners.clear()
    stopLate()
    streams.stop()
  }

  return {
    watch(addresses, watchOptions) {
      rejectUnknown('watch option', watchOptions, ['everyMs', 'onPrice', 'onError'])
      if (isClosed) throw new EtnMarketError('The price stream is closed.', { code: 'stream_closed' })
      const { everyMs } = watchOptions
      if (!(typeof everyMs === 'number' && everyMs > 0)) throw invalidOption('everyMs', everyMs, 'milliseconds above 0')
      const inputs = groupByAddress(typeof addresses === 'string' ? [addresses] : addresses)
      const watch: OpenWatch = { inputs, options: { ...watchOptions }, reportedCode: undefined }
      watches.add(watch)
      for (const address of inputs.keys()) read(address).watches.add(watch)
      streams.changed()
      awaitLate()
      // Later, so that the caller has the watch before its callback runs.
      queueMicrotask(() => {
        for (const address of inputs.keys()) deliver(watch, address)
      })
      return {
        stop() {
          if (!watches.delete(watch)) return
          for (const address of inputs.keys()) prices.get(address)?.watches.delete(watch)
          streams.changed()
          awaitLate()
        },
      }
    },
    peek(input) {
      const known = prices.get(toLowerCase(input))
      if (known?.newest === undefined) return undefined
      const isStale = clock.now() > staleAt(known.newest, intervalOf(known.watches))
      const shown = known.shown.get(input)
      if (shown?.stale === isStale) return shown
      const price = toFeedPrice(known.newest, input, clock.now(), isStale)
      if (price) known.shown.set(input, price)
      return price
    },
    subscribe(listener) {
      // The same function may be given twice.
      const own = () => listener()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    status() {
      const addresses = new Set([...watches].flatMap(({ inputs }) => [...inputs.keys()])).size
      const state = isClosed ? 'closed' : watches.size > 0 ? 'running' : 'idle'
      return { state, watches: watches.size, addresses, stream: streams.status }
    },
    close,
  }
}

function intervalOf(watches: ReadonlySet<OpenWatch>): number {
  let shortest = Number.POSITIVE_INFINITY
  for (const { options } of watches) shortest = Math.min(shortest, options.everyMs)
  return shortest === Number.POSITIVE_INFINITY ? UNWATCHED_MS : shortest
}

/** With a slash at its end. */
function readUrl(url: unknown): string {
  if (typeof url === 'string' && /^(https?:\/)?\/[^?#]*$/i.test(url)) return `${trimEnd(url, '/')}/`
  throw invalidOption('url', url, 'the base path of a proxy, such as /api/market, or its URL')
}

function groupByAddress(inputs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const input of new Set(inputs)) {
    const address = toLowerCase(input)
    groups.set(address, [...(groups.get(address) ?? []), input])
  }
  return groups
}

/** Checksums are checked by the proxy: their hash would be an eighth of this entry. @throws InvalidRequestError */
function toLowerCase(input: string): string {
  if (typeof input === 'string' && /^0x[0-9a-f]{40}$/i.test(input)) return input.toLowerCase()
  throw invalidOption('address', input, '0x and 40 hex digits')
}
