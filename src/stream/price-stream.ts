import { startTimer, systemClock } from '../concurrency/clock.ts'
import { EtnMarketError } from '../errors/base.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import { callSafely } from '../feed/events.ts'
import { createFeedClock, type FeedClock } from '../feed/feed-clock.ts'
import { followPageVisibility, type PageVisibility } from '../feed/page-visibility.ts'
import { streamedAge, toFeedPrice } from '../feed/prices/feed-price.ts'
import { PageStream } from '../feed/stream/page-stream.ts'
import type { StreamedPrice } from '../feed/stream/stream-events.ts'
import type { FeedPrice } from '../feed/watch/types.ts'
import { trimEnd } from '../utils/trim-end.ts'
import type {
  PriceStream,
  PriceStreamOptions,
  PriceStreamStatus,
  PriceStreamWatch,
  PriceStreamWatchOptions,
} from './types.ts'

/** How long changes are collected before the stream is opened anew: what a page renders together has one stream. */
const WINDOW_MS = 5

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
  /** The failures that `onError` was called with and that last. */
  reported: ReadonlySet<string>
}

const OPTIONS = ['url', 'headers', 'credentials', 'fetch', 'whenHidden', 'clock']

/**
 * Shows the prices of a proxy's event stream in a page: small, because it has no client, and it buys nothing. Every hook of
 * `etn-market/react` that takes a feed's prices takes it, too. A page has one stream, and none while it is hidden.
 * @example
 * const stream = createPriceStream({ url: '/api/market' })
 * const watch = stream.watch([BOLT, WETN], { onPrice: ({ address, usd }) => show(address, usd) })
 * @throws InvalidRequestError when an option is unknown or not accepted
 */
export function createPriceStream(options: PriceStreamOptions): PriceStream {
  rejectUnknown('price stream option', options, OPTIONS)
  const { whenHidden = 'close' } = options
  if (whenHidden !== 'close' && whenHidden !== 'keep')
    throw invalidOption('whenHidden', whenHidden, "'close' or 'keep'")
  return new PagePrices(options, readUrl(options.url))
}

/** Its methods may be taken apart. */
class PagePrices implements PriceStream {
  readonly #clock: FeedClock
  readonly #prices = new Map<string, WatchedPrice>()
  readonly #watches = new Set<OpenWatch>()
  readonly #listeners = new Set<() => void>()
  readonly #page: PageVisibility | undefined
  readonly #stream: PageStream
  #isClosed = false
  #stopLate = () => {}

  constructor(options: PriceStreamOptions, url: string) {
    const { headers, credentials = 'same-origin', fetch, whenHidden } = options
    this.#clock = createFeedClock(options.clock ?? systemClock)
    this.#page = whenHidden === 'keep' ? undefined : followPageVisibility(() => this.#stream.changed())
    this.#stream = new PageStream({
      clock: this.#clock,
      windowMs: WINDOW_MS,
      open: (path, more, signal) =>
        (fetch ?? globalThis.fetch)(url + path, {
          headers: { ...headers, ...more },
          signal,
          credentials,
          cache: 'no-store',
        }),
      wanted: () => this.#spellings(),
      isPaused: () => this.#page?.hidden ?? false,
      onPrice: (price) => this.#receive(price),
      onChange: () => {
        this.#reportFailures()
        this.#notify()
        this.#awaitLate()
      },
    })
  }

  readonly watch = (addresses: string | readonly string[], options: PriceStreamWatchOptions = {}): PriceStreamWatch => {
    rejectUnknown('watch option', options, ['everyMs', 'onPrice', 'onError'])
    if (this.#isClosed) throw new EtnMarketError('The price stream is closed.', { code: 'stream_closed' })
    const { everyMs } = options
    if (everyMs !== undefined && !(typeof everyMs === 'number' && everyMs > 0))
      throw invalidOption('everyMs', everyMs, 'milliseconds above 0')
    const inputs = groupByAddress(typeof addresses === 'string' ? [addresses] : addresses)
    const watch: OpenWatch = { inputs, options: { ...options }, reported: new Set() }
    this.#watches.add(watch)
    for (const address of inputs.keys()) this.#open(address).watches.add(watch)
    this.#stream.changed()
    this.#awaitLate()
    // Later, so that the caller has the watch before its callback runs.
    queueMicrotask(() => {
      for (const address of inputs.keys()) this.#deliver(watch, address)
    })
    return {
      stop: () => {
        if (!this.#watches.delete(watch)) return
        for (const address of inputs.keys()) this.#prices.get(address)?.watches.delete(watch)
        this.#stream.changed()
        this.#awaitLate()
      },
    }
  }

  readonly peek = (input: string): FeedPrice | undefined => {
    const known = this.#prices.get(toLowerCase(input))
    if (known?.newest === undefined) return undefined
    const isStale = this.#clock.now() > this.#staleAt(known.newest, shortestInterval(known.watches))
    const shown = known.shown.get(input)
    if (shown?.stale === isStale) return shown
    const price = toFeedPrice(known.newest, input, this.#clock.now(), isStale)
    if (price) known.shown.set(input, price)
    return price
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    // The same function may be given twice.
    const own = () => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  readonly status = (): PriceStreamStatus => {
    const addresses = new Set([...this.#watches].flatMap(({ inputs }) => [...inputs.keys()])).size
    const watches = this.#watches.size
    const state = this.#isClosed ? 'closed' : watches > 0 ? 'running' : 'idle'
    return { state, watches, addresses, stream: this.#stream.status }
  }

  readonly close = (): void => {
    this.#isClosed = true
    this.#watches.clear()
    this.#listeners.clear()
    this.#stopLate()
    this.#page?.stop()
    this.#stream.stop()
  };

  *#spellings(): Iterable<string> {
    for (const { inputs } of this.#watches) for (const spellings of inputs.values()) yield* spellings
  }

  #open(address: string): WatchedPrice {
    const price = this.#prices.get(address) ?? { newest: undefined, watches: new Set(), shown: new Map() }
    this.#prices.set(address, price)
    return price
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  #receive(price: StreamedPrice): void {
    const address = price.address.toLowerCase()
    const known = this.#prices.get(address)
    if (known === undefined || (known.newest && price.at <= known.newest.at)) return
    known.newest = price
    known.shown.clear()
    for (const watch of [...known.watches]) this.#deliver(watch, address)
    this.#notify()
    this.#awaitLate()
  }

  /** When a price becomes stale, by the clock. The pace is the proxy's: a page that wants prices more often gets them no more often. */
  #staleAt(price: StreamedPrice, everyMs = 0): number {
    return price.at + streamedAge(everyMs, this.#stream.paceMs)
  }

  #deliver(watch: OpenWatch, address: string): void {
    const newest = this.#prices.get(address)?.newest
    if (newest === undefined || !this.#watches.has(watch)) return
    const { everyMs, onPrice, onError } = watch.options
    const isStale = this.#clock.now() > this.#staleAt(newest, everyMs)
    for (const input of watch.inputs.get(address) ?? []) {
      // The price of another spelling, where the proxy refuses this one.
      if (this.#stream.refuses(input)) continue
      const price = toFeedPrice(newest, input, this.#clock.now(), isStale)
      if (price) callSafely(onPrice, price, (error) => callSafely(onError, error))
    }
  }

  /** Prices become stale without an event. */
  #awaitLate(): void {
    this.#stopLate()
    if (this.#isClosed) return
    const now = this.#clock.now()
    let next = Number.POSITIVE_INFINITY
    let late: (() => void)[] = []
    for (const [address, { newest, watches }] of this.#prices)
      for (const watch of newest ? watches : []) {
        const at = newest ? this.#staleAt(newest, watch.options.everyMs) : 0
        if (at < now || at > next) continue
        if (at < next) late = []
        next = at
        late.push(() => this.#deliver(watch, address))
      }
    this.#stopLate = startTimer(this.#clock, next + 1 - now, () => {
      for (const deliver of late) deliver()
      this.#notify()
      this.#awaitLate()
    })
  }

  #reportFailures(): void {
    for (const watch of [...this.#watches]) {
      const failures = this.#failuresOf(watch)
      const { reported } = watch
      watch.reported = new Set(failures.keys())
      for (const [key, error] of failures) if (!reported.has(key)) callSafely(watch.options.onError, error)
    }
  }

  /** What fails now: the stream, or addresses that it does not serve. */
  #failuresOf({ inputs }: OpenWatch): Map<string, EtnMarketError> {
    const failures = new Map<string, EtnMarketError>()
    for (const input of [...inputs.values()].flat()) {
      const error = this.#stream.failureOf(input)
      if (error) failures.set(this.#stream.refuses(input) ? `${error.code} ${input}` : error.code, error)
    }
    return failures
  }
}

/** 0 where the pace of the stream decides. */
const shortestInterval = (watches: ReadonlySet<OpenWatch>): number =>
  watches.size && Math.min(...Array.from(watches, ({ options }) => options.everyMs ?? 0))

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
