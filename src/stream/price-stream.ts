import { type Clock, LOOK_MS, startTimer, systemClock } from '../concurrency/clock.ts'
import { EtnMarketError } from '../errors/base.ts'
import { checkCallbacks, invalidOption, rejectUnknown, requireGlobals } from '../errors/input.ts'
import { FeedClock } from '../feed/feed-clock.ts'
import {
  type AppVisibility,
  followPageVisibility,
  type PageVisibility,
  requireVisibility,
} from '../feed/page-visibility.ts'
import { isStale, PriceSnapshots, streamedAge, toFeedPrice } from '../feed/prices/tracked-price.ts'
import { PageStream } from '../feed/stream/page-stream.ts'
import type { FeedStreamStatus } from '../feed/stream/stream-state.ts'
import type { FeedPrice } from '../feed/watch/types.ts'
import { callSafely, canStream, onceInTurn, trimEnd } from '../utils/runtime.ts'

/** Options of `createPriceStream`. */
export interface PriceStreamOptions {
  /** The base path of the proxy, such as `/api/market`, or its whole URL. */
  url: string
  /** Sent with every request for a stream. @default none */
  headers?: Readonly<Record<string, string>> | undefined
  /** Whether cookies are sent to a proxy of another origin, as for `fetch`. @default 'same-origin' */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
  /** Opens the streams. @default globalThis.fetch, looked up at each use */
  fetch?: ((url: string, init: PriceStreamInit) => Promise<Response>) | undefined
  /**
   * What happens while the page is hidden. `'close'`: after ten seconds its stream is closed. When the page is seen again, it has the known prices at
   * once, and the stream is opened. `'keep'` is for a page that shows prices in its title. An app passes the `AppState` of React Native: there is no
   * page to ask.
   * @default 'close'
   */
  whenHidden?: 'close' | 'keep' | AppVisibility | undefined
  /** @default the system clock */
  clock?: Clock | undefined
}

/** What the `fetch` of a price stream is called with. */
export interface PriceStreamInit {
  /** The headers of the request. */
  readonly headers: Readonly<Record<string, string>>
  /** Ends the stream. */
  readonly signal: AbortSignal
  /** Whether cookies are sent. */
  readonly credentials: 'omit' | 'same-origin' | 'include'
}

/** Options of a watch of a price stream. */
export interface PriceStreamWatchOptions {
  /**
   * The age at which a price is stale, in milliseconds, above 0. Prices arrive at the interval of the proxy (`status().stream.everyMs`), whatever
   * this option is, and none is stale before that. @default the pace of the proxy
   */
  everyMs?: number | undefined
  /** Receives each new price, and one that has become stale. Errors that it throws go to `onError`. */
  onPrice?: ((price: FeedPrice) => void) | undefined
  /**
   * Called once when prices fail to arrive, and again when the reason changes; once for each address that the proxy does not stream, which is in
   * `error.params`. `error.status` and `error.code` have the answer that refused the stream. Errors that it throws are ignored.
   */
  onError?: ((error: unknown) => void) | undefined
}

/** A running watch of a price stream. */
export interface PriceStreamWatch {
  /** Ends it. */
  stop(): void
}

/** The state of a price stream. */
export interface PriceStreamStatus {
  /** `idle`: nothing is watched. */
  readonly state: 'idle' | 'running' | 'closed'
  /** Number of watches. */
  readonly watches: number
  /** Number of different addresses that are watched. */
  readonly addresses: number
  /** What the stream does. */
  readonly stream: FeedStreamStatus
}

/** Prices from the event stream of a proxy, for a page that shows prices and buys nothing. */
export interface PriceStream {
  /**
   * Keeps the prices of tokens up to date. It is free. All watches of a page together have one stream of up to 150 addresses; further ones are refused
   * with `too_many_addresses` until others are no longer watched. Addresses are sent as they are written, so that the proxy refuses a wrong checksum.
   * @throws InvalidRequestError if an address or an option is invalid; the error with the code `stream_closed` after `close`.
   */
  watch(addresses: string | readonly string[], options?: PriceStreamWatchOptions): PriceStreamWatch
  /**
   * Returns the known price of an address, however old, or undefined. The object stays the same until the price or its `stale` changes. A price is
   * stale when it is older than the shortest `everyMs` of its watches, or than the interval of the proxy if that is longer, plus two seconds for a
   * purchase to arrive.
   */
  peek(address: string): FeedPrice | undefined
  /** Calls `listener` after each new price, and when the state of a stream changes. Returns a function that stops it. */
  subscribe(listener: () => void): () => void
  /** The state of the stream. */
  status(): PriceStreamStatus
  /** Ends all watches and the stream. */
  close(): void
}

const OPTIONS = ['url', 'headers', 'credentials', 'fetch', 'whenHidden', 'clock']

/**
 * Reads the prices of a proxy's event stream in a page. It is small, because it has no client, and it buys nothing. Every hook of `etn-market/react`
 * that takes a feed's prices also takes this stream. A page has one stream, and none while it is hidden.
 * @example
 * const stream = createPriceStream({ url: '/api/market' })
 * const watch = stream.watch([BOLT, WETN], { onPrice: ({ address, usd }) => show(address, usd) })
 * @throws InvalidRequestError when an option is unknown or not accepted
 */
export function createPriceStream(options: PriceStreamOptions): PriceStream {
  rejectUnknown('price stream option', options, OPTIONS)
  checkCallbacks(options)
  requireGlobals('TextDecoder')
  const { whenHidden = 'close' } = options
  if (whenHidden !== 'close' && whenHidden !== 'keep') requireVisibility('whenHidden', whenHidden, "'close', 'keep'")
  return new PagePrices(options, readUrl(options.url))
}

interface OpenWatch {
  /** The addresses in lower case, by what was written. */
  readonly inputs: ReadonlyMap<string, string>
  readonly options: PriceStreamWatchOptions
  /** When the price was bought that was delivered last, and whether it was stale, by input. */
  readonly delivered: Map<string, string>
  /** The failures that `onError` was called with and that last. */
  reported: ReadonlySet<string>
}

/** Its methods may be taken apart. */
class PagePrices implements PriceStream {
  readonly #clock: FeedClock
  readonly #watches = new Set<OpenWatch>()
  readonly #listeners = new Set<() => void>()
  readonly #snapshots = new PriceSnapshots()
  readonly #page: PageVisibility | undefined
  readonly #stream: PageStream
  #isClosed = false
  #stopLate = () => {}
  /** In this turn but later: the caller has the watch before its callback runs, and prices that arrive together are looked through once. */
  readonly #deliverAll = onceInTurn(() => {
    this.#stopLate()
    let next = Number.POSITIVE_INFINITY
    for (const watch of [...this.#watches]) next = Math.min(next, this.#deliver(watch))
    // Prices become stale without an event. A callback may have closed the stream.
    if (this.#isClosed || next === Number.POSITIVE_INFINITY) return
    const isLate = () => this.#clock.now() > next
    const look = () => (isLate() ? this.#update(true) : this.#deliverAll())
    this.#stopLate = startTimer(this.#clock, Math.min(LOOK_MS, next + 1 - this.#clock.now()), look)
  })

  constructor(options: PriceStreamOptions, url: string) {
    const { headers, credentials = 'same-origin', whenHidden = 'close' } = options
    this.#clock = new FeedClock(options.clock ?? systemClock)
    this.#page = whenHidden === 'keep' ? undefined : followPageVisibility(() => this.#stream.changed(), whenHidden)
    this.#stream = new PageStream({
      clock: this.#clock,
      async open(path, more, signal) {
        const { fetch = globalThis.fetch } = options
        return canStream(fetch)
          ? fetch(url + path, { headers: { ...headers, ...more }, signal, credentials })
          : undefined
      },
      wanted: () => [...this.#watches].flatMap(({ inputs }) => [...inputs.keys()]),
      isPaused: () => this.#page?.hidden ?? false,
      onPrice: () => this.#update(true),
      onChange: () => this.#update(true),
    })
  }

  readonly watch = (addresses: string | readonly string[], options: PriceStreamWatchOptions = {}): PriceStreamWatch => {
    rejectUnknown('watch option', options, ['everyMs', 'onPrice', 'onError'])
    checkCallbacks(options)
    if (this.#isClosed) throw new EtnMarketError('The price stream is closed.', { code: 'stream_closed' })
    const { everyMs } = options
    if (everyMs !== undefined && !(typeof everyMs === 'number' && everyMs > 0))
      throw invalidOption('everyMs', everyMs, 'milliseconds above 0')
    const given = typeof addresses === 'string' ? [addresses] : addresses
    const watch: OpenWatch = {
      inputs: new Map(given.map((input) => [input, toLowerCase(input)])),
      options: { ...options },
      delivered: new Map(),
      reported: new Set(),
    }
    this.#watches.add(watch)
    this.#changed()
    return { stop: () => this.#stop(watch) }
  }

  readonly peek = (input: string): FeedPrice | undefined => {
    const address = toLowerCase(input)
    const newest = this.#stream.find(address)
    if (newest === undefined) return undefined
    const watches = [...this.#watches].filter(({ inputs }) => [...inputs.values()].includes(address))
    const intervals = watches.map(({ options }) => options.everyMs ?? 0)
    const now = this.#clock.now()
    const stale = isStale(now - newest.at, this.#maxAge(intervals.length && Math.min(...intervals)))
    return this.#snapshots.show(newest, input, now, stale)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    // The same function may be given twice.
    const own = () => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  readonly status = (): PriceStreamStatus => {
    const watches = this.#watches.size
    return {
      state: this.#isClosed ? 'closed' : watches > 0 ? 'running' : 'idle',
      watches,
      addresses: new Set([...this.#watches].flatMap(({ inputs }) => [...inputs.values()])).size,
      stream: this.#stream.status,
    }
  }

  readonly close = (): void => {
    this.#isClosed = true
    for (const watch of this.#watches) this.#stop(watch)
    this.#listeners.clear()
    this.#stopLate()
    this.#page?.stop()
    this.#stream.stop()
  }

  #stop(watch: OpenWatch): void {
    if (this.#watches.delete(watch)) this.#changed()
  }

  #changed(): void {
    this.#stream.changed()
    this.#update(false)
  }

  /** The pace is the proxy's: a page that wants prices more often gets them no more often. */
  #maxAge(everyMs = 0): number {
    return streamedAge(everyMs, this.#stream.paceMs)
  }

  #update(isNews: boolean): void {
    if (isNews) for (const listener of [...this.#listeners]) listener()
    this.#deliverAll()
  }

  /** Gives a watch the prices that are new or have become stale, and its failures. Returns when the next of its prices becomes stale. */
  #deliver(watch: OpenWatch): number {
    const { everyMs, onPrice, onError } = watch.options
    const report = (error: unknown) => callSafely(onError, error)
    const failures = new Map<string, EtnMarketError>()
    let next = Number.POSITIVE_INFINITY
    for (const [input, address] of watch.inputs) {
      if (!this.#watches.has(watch)) return next
      const error = this.#stream.failureOf(input)
      if (error) failures.set(error.message, error)
      const newest = this.#stream.find(address)
      // The price of another spelling, where the proxy refuses this one.
      if (newest === undefined || this.#stream.refusal(input)) continue
      const now = this.#clock.now()
      const maxAgeMs = this.#maxAge(everyMs)
      const stale = isStale(now - newest.at, maxAgeMs)
      if (!stale) next = Math.min(next, newest.at + maxAgeMs)
      const state = `${newest.at} ${stale}`
      if (watch.delivered.get(input) === state) continue
      watch.delivered.set(input, state)
      const price = toFeedPrice(newest, input, now, stale)
      if (price) callSafely(onPrice, price, report)
    }
    const { reported } = watch
    watch.reported = new Set(failures.keys())
    for (const [message, error] of failures) if (!reported.has(message)) report(error)
    return next
  }
}

/** With a slash at its end. */
function readUrl(url: unknown): string {
  if (typeof url === 'string' && /^(https?:\/)?\/[^?#]*$/i.test(url)) return `${trimEnd(url, '/')}/`
  throw invalidOption('url', url, 'the base path of a proxy, such as /api/market, or its URL')
}

/** Checksums are checked by the proxy: their hash would be an eighth of this entry. @throws InvalidRequestError */
function toLowerCase(input: string): string {
  if (typeof input === 'string' && /^0x[0-9a-f]{40}$/i.test(input)) return input.toLowerCase()
  throw invalidOption('address', input, '0x and 40 hex digits')
}
