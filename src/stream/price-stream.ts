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
import { trimEnd } from '../utils/runtime.ts'
import type {
  PriceStream,
  PriceStreamOptions,
  PriceStreamStatus,
  PriceStreamWatch,
  PriceStreamWatchOptions,
} from './types.ts'

/** How long changes are collected before the stream is opened anew: what a page renders together has one stream. */
const WINDOW_MS = 5

interface OpenWatch {
  /** Spellings by address. */
  readonly inputs: ReadonlyMap<string, readonly string[]>
  readonly options: PriceStreamWatchOptions
  /** What was delivered last, by address. */
  readonly delivered: Map<string, { readonly newest: StreamedPrice; readonly isStale: boolean }>
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
  /** By the address in lower case. */
  readonly #prices = new Map<string, StreamedPrice>()
  /** What `peek` returned, by spelling. */
  readonly #peeked = new Map<string, FeedPrice>()
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
      onPrice: (price) => {
        const address = price.address.toLowerCase()
        if (price.at <= (this.#prices.get(address)?.at ?? Number.NEGATIVE_INFINITY)) return
        this.#prices.set(address, price)
        this.#deliver()
        this.#notify()
      },
      onChange: () => {
        this.#reportFailures()
        this.#deliver()
        this.#notify()
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
    const watch: OpenWatch = { inputs, options: { ...options }, delivered: new Map(), reported: new Set() }
    this.#watches.add(watch)
    this.#stream.changed()
    // Later, so that the caller has the watch before its callback runs.
    queueMicrotask(() => this.#deliver())
    return {
      stop: () => {
        if (this.#watches.delete(watch)) this.#stream.changed()
      },
    }
  }

  readonly peek = (input: string): FeedPrice | undefined => {
    const address = toLowerCase(input)
    const newest = this.#prices.get(address)
    if (newest === undefined) return undefined
    const watches = [...this.#watches].filter(({ inputs }) => inputs.has(address))
    const shortest = watches.length && Math.min(...watches.map(({ options }) => options.everyMs ?? 0))
    const stale = this.#clock.now() > this.#staleAt(newest, shortest)
    const last = this.#peeked.get(input)
    if (last?.at === newest.requestedAt && last.stale === stale) return last
    const price = toFeedPrice(newest, input, this.#clock.now(), stale)
    if (price) this.#peeked.set(input, price)
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

  #notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** When a price becomes stale, by the clock. The pace is the proxy's: a page that wants prices more often gets them no more often. */
  #staleAt(price: StreamedPrice, everyMs = 0): number {
    return price.at + streamedAge(everyMs, this.#stream.paceMs)
  }

  /** Delivers what is new to a watch, or has become stale since, which no event says. */
  #deliver(): void {
    const now = this.#clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const watch of [...this.#watches]) {
      const { inputs, options, delivered } = watch
      for (const [address, spellings] of inputs) {
        const newest = this.#prices.get(address)
        if (newest === undefined) continue
        const staleAt = this.#staleAt(newest, options.everyMs)
        const isStale = now > staleAt
        if (!isStale) next = Math.min(next, staleAt)
        const last = delivered.get(address)
        if (last?.newest === newest && last.isStale === isStale) continue
        delivered.set(address, { newest, isStale })
        for (const input of spellings) {
          // The price of another spelling, where the proxy refuses this one.
          const price = this.#stream.refuses(input) ? undefined : toFeedPrice(newest, input, now, isStale)
          if (price && this.#watches.has(watch))
            callSafely(options.onPrice, price, (error) => callSafely(options.onError, error))
        }
      }
    }
    this.#stopLate()
    if (this.#isClosed) return
    this.#stopLate = startTimer(this.#clock, next + 1 - now, () => {
      this.#deliver()
      this.#notify()
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
