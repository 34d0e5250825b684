import type { Clock } from '../concurrency/clock.ts'
import type { FeedStreamStatus } from '../feed/stream/stream-state.ts'
import type { FeedPrice } from '../feed/watch/types.ts'

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
   * What happens while the page is hidden: after ten seconds its stream is closed, and opened when the page is seen, with the known prices at once.
   * `'keep'` is for a page that shows prices in its title.
   * @default 'close'
   */
  whenHidden?: 'close' | 'keep' | undefined
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
  /** A stream is never cached. */
  readonly cache: 'no-store'
}

/** Options of a watch of a price stream. */
export interface PriceStreamWatchOptions {
  /**
   * The age at which a price is stale, in milliseconds, above 0. Prices arrive at the pace of the proxy, whatever it is, and none is stale before
   * that: `status().stream.everyMs` has the pace. @default the pace of the proxy
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
   * Keeps the prices of tokens up to date. It is free. All watches of a page together have one stream of up to 150 addresses. Addresses are sent as
   * they are written, so that the proxy refuses a wrong checksum.
   * @throws InvalidRequestError if an address or an option is invalid; the error with the code `stream_closed` after `close`.
   */
  watch(addresses: string | readonly string[], options?: PriceStreamWatchOptions): PriceStreamWatch
  /**
   * Returns the known price of an address, however old, or undefined. The object stays the same until the price or its `stale` changes.
   * A price is stale when it is older than the shortest `everyMs` of its watches, the pace of the proxy at least, and two seconds, which a purchase
   * takes to arrive.
   */
  peek(address: string): FeedPrice | undefined
  /** Calls `listener` after each new price, and when the state of a stream changes. Returns a function that stops it. */
  subscribe(listener: () => void): () => void
  /** The state of the stream. */
  status(): PriceStreamStatus
  /** Ends all watches and the stream. */
  close(): void
}
