import type { Client } from '../client/client.ts'
import type { CacheStore } from '../client/options.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FeedEvent } from './events.ts'
import type { AppVisibility } from './page-visibility.ts'
import type { FeedStreamStatus } from './stream/stream-state.ts'
import type { AlertOptions, FeedAlert, FeedPrice, PriceRequestOptions, Watch, WatchOptions } from './watch/types.ts'

/**
 * The parts of a client that a feed uses. Do not cache `token.price`, `prices.batch`, `token.candles` or `balances.get` in this
 * client: the feed could not know the age of a cached answer.
 */
export type FeedClient = Pick<Client, 'token' | 'prices' | 'trade' | 'balances'>

/** Anything with Keyv's methods. */
export interface FeedStore extends CacheStore {
  /** Sets a value if the key is absent, in one step (Redis `SET … NX PX`). Resolves with whether it did. Makes leases exact. */
  add?(key: string, value: string, ttl: number): boolean | Promise<boolean>
}

/** Where a feed takes the prices of its watches from. */
export interface FeedStreamOptions {
  /**
   * Whether watches take their prices from the event stream of `etn-market/proxy` at the client's `baseUrl`, by the client's `fetch`, `hooks` and
   * `headers`. A stream costs nothing and reconnects by itself. If there is no stream, or none for five seconds, prices are bought as without one.
   * The proxy sets the interval of the prices (`status().stream.everyMs`), whatever the `everyMs` of a watch is. A price is stale two seconds after
   * the longer of the two. One stream serves all watches, up to 150 addresses. Further addresses, and those that the proxy does not stream, are
   * bought. `status().stream` and the event `feed.stream` report its state. `onError` of a watch is called as soon as the stream reports that it
   * brings no prices. Prices of a stream are no cost in `status()` and `explain()`.
   * @default false
   */
  stream?: boolean | undefined
}

/** Options of `createPriceFeed`. */
export interface FeedOptions extends FeedStreamOptions {
  /** How long a price request or a new watch waits for others to share its request, in milliseconds, up to 1,000; 0 is the same turn of the event loop. @default 5 */
  collectMs?: number | undefined
  /** Default for the `maxAgeMs` of a price request, in milliseconds. @default 60_000 */
  maxAgeMs?: number | undefined
  /**
   * Maximum credits a day, which begins at midnight UTC. If the watches need more, every interval is stretched by the same factor. With a `store` the
   * budget is kept across restarts: every request is written there before it is sent, a request that a crash interrupts counts with its highest cost,
   * and nothing is sent while the store fails (`StateUnavailableError`). `false` means no limit. The feed of a proxy needs a budget or `false`.
   * @default no limit
   */
  budget?:
    | {
        /** Credits a day, a whole number above 0. */
        creditsPerDay: number
        /**
         * Name of the budget in the `store`. Feeds of one process with the same store and name share its credits. One process at a time may
         * use a name: processes that run at the same time need one each, and each has `creditsPerDay` for itself.
         * @default 'default'
         */
        name?: string | undefined
      }
    | false
    | undefined
  /**
   * Shares prices with other processes and with later ones, for example a Keyv instance. Use one store per service. With a `budget`
   * it must report failures, by an error or by `false` from `set`; Keyv 5 needs `throwOnErrors: true`.
   * @default memory
   */
  store?: FeedStore | undefined
  /**
   * Lets only one member of a fleet at a time buy a price. It works with a `store` that all members share, and takes one command for each purchase.
   * The budget of the fleet is that of its clients. @default the `store` decides, by `add` or by a short wait
   */
  fleet?: Fleet | undefined
  /**
   * Whether the feed spends nothing while the page is hidden. Price requests and watches then wait, and a stream is closed after ten seconds.
   * An app passes the `AppState` of React Native: there is no page to ask.
   * @default false; true with `stream`
   */
  pauseWhenHidden?: boolean | AppVisibility | undefined
  /** Receives every event. Errors that it throws are ignored. */
  onEvent?: ((event: FeedEvent) => void) | undefined
  /** @default that of the client */
  clock?: Clock | undefined
}

/** The state of a feed and its costs. */
export interface FeedStatus {
  /** `waiting`: backing off after a failure; `stopped`: no credits, or refused; `paused`: the page is hidden. */
  readonly state: 'idle' | 'running' | 'waiting' | 'stopped' | 'paused' | 'closed'
  /** When requests continue, unix milliseconds; undefined unless the state is `waiting` or `stopped`. */
  readonly until: number | undefined
  /**
   * Why requests wait, the code of the error: `budget_exceeded`, `rate_limited`, `invalid_api_key` and so on; undefined unless the state is
   * `waiting` or `stopped`.
   */
  readonly reason: string | undefined
  /** The factor by which every interval is longer than requested, up to `atLeastEveryMs`; 1 if none is. */
  readonly stretch: number
  /** The factor by which every `atLeastEveryMs` is exceeded; 1 if they are kept. */
  readonly atLeastStretch: number
  /**
   * How long before its price is too old a request is sent, in milliseconds: a little longer than the slowest of the last hundred answers took; 0
   * before the first one. A request is sent after half of an interval at the earliest.
   */
  readonly leadMs: number
  /** Credits that the watches cost a day with the current stretch, rounded. */
  readonly creditsPerDay: number
  /** Credits a day of the budget; Infinity with `budget: false`, undefined without the option. */
  readonly limit: number | undefined
  /**
   * Credits charged, or perhaps charged, in this day of the budget. Credits that earlier processes spent are included from the
   * first request on, which reads the `store`.
   */
  readonly spent: number
  /** Credits spent at the end of this day of the budget, if nothing changes. */
  readonly projected: number
  /** Number of watches. */
  readonly watches: number
  /** Number of different addresses that are watched. */
  readonly addresses: number
  /** The state of the stream of a feed with `stream: true`; undefined for a feed that buys. */
  readonly stream: FeedStreamStatus | undefined
}

/** What the feed will buy, if the watches stay as they are and no price requests arrive. */
export interface FeedPlan {
  /** The next calls, the first one first. */
  readonly calls: readonly PlannedPurchase[]
  /** The factor by which every interval is longer than requested, because of the budget. */
  readonly stretch: number
  /** The factor by which every `atLeastEveryMs` is exceeded, because of the budget. */
  readonly atLeastStretch: number
  /** The cost of the watches with this stretch. */
  readonly cost: PlannedRate
  /** What is bought again and again, the shortest intervals first. Its credits a day are the `cost`. */
  readonly timetable: readonly PlannedGroup[]
  /** The cost of one call per watch in the cheapest requests, with this stretch. */
  readonly onePerConsumer: PlannedRate
  /** The same costs without the stretch. */
  readonly unstretched: {
    /** The cost of the watches. */
    readonly cost: PlannedRate
    /** The cost of one call per watch. */
    readonly onePerConsumer: PlannedRate
  }
  /** What candle watches, portfolios and readers of trades request besides prices. It is not part of the costs above. */
  readonly others: readonly PlannedRequests[]
}

/** Addresses that are bought at the ticks of one timer. */
export interface PlannedGroup {
  /** Time between two ticks, milliseconds. */
  readonly everyMs: number
  /** When it ticks the next time, unix milliseconds. */
  readonly nextAt: number
  /** What is bought, the shortest interval first. */
  readonly addresses: readonly {
    /** Number of addresses. */
    readonly count: number
    /** The interval of their watches with the stretch, milliseconds. */
    readonly intervalMs: number
    /** They are bought at every nth tick. */
    readonly everyNthTick: number
  }[]
  /** Credits a day. */
  readonly creditsPerDay: number
  /** HTTP requests a day. */
  readonly requestsPerDay: number
}

/** Requests that are repeated at an interval, once for all of their readers. */
export interface PlannedRequests {
  /** The operation of the requests. */
  readonly operation: 'token.candles' | 'balances.get' | 'trade.list'
  /** The token, or the wallet, in EIP-55 form; undefined for the trades of all tokens. */
  readonly address: string | undefined
  /**
   * Their cost with the stretch of price requests: these, too, use what the watches leave of the budget. Trades cost this only while their readers
   * wait for more.
   */
  readonly cost: PlannedRate
  /** Their cost at the requested interval. */
  readonly unstretched: PlannedRate
}

/** A call that the feed will make. */
export interface PlannedPurchase {
  /** Unix milliseconds. */
  readonly at: number
  /** Addresses whose price would be too old at the next tick, in EIP-55 form. */
  readonly due: readonly string[]
  /** Addresses that are bought early, because this is the tick at which they fill a request. */
  readonly early: readonly string[]
  /** Number of requests. */
  readonly requests: number
  /** Its cost in credits. */
  readonly credits: number
}

/** A cost a day. */
export interface PlannedRate {
  /** Credits a day. */
  readonly creditsPerDay: number
  /** US dollars a day. */
  readonly usdPerDay: number
  /** HTTP requests a day. */
  readonly requestsPerDay: number
  /** Credits in 30 days. */
  readonly creditsPer30Days: number
  /** US dollars in 30 days. */
  readonly usdPer30Days: number
}

/** Buys each price once for everybody who needs it, in the cheapest requests. */
export interface PriceFeed extends AsyncDisposable {
  /**
   * Resolves with the price of a token, at most `maxAgeMs` old. A known price is free; a new one costs 50 credits alone, or its part of
   * a batch (100, and 10 for each price). If none can be bought, it rejects; with `stale: 'allow'` it resolves with an older one that has `stale: true`.
   * @throws the client's error, for the purchase that failed.
   */
  price(address: string, options?: PriceRequestOptions): Promise<FeedPrice>
  /**
   * Resolves with several prices, by the addresses as the caller wrote them. If a part fails, the prices already bought are kept
   * for the next price request.
   */
  prices<const Address extends string>(
    addresses: readonly Address[],
    options?: PriceRequestOptions,
  ): Promise<Record<Address, FeedPrice>>
  /**
   * Returns the known price of an address, however old, or undefined. Sends nothing. The object stays the same until the price or
   * its `stale` changes, so it is a snapshot for React's `useSyncExternalStore`.
   */
  peek(address: string): FeedPrice | undefined
  /** Calls `listener` after each new price, and when the state of a stream changes. Returns a function that stops it. */
  subscribe(listener: () => void): () => void
  /**
   * Keeps prices at most `everyMs` old, and delivers them to `onPrice` or to an iteration. Starting and stopping a watch is free.
   * A watch without `onPrice` starts with its iteration.
   */
  watch(addresses: string | readonly string[], options: WatchOptions): Watch
  /**
   * Yields once for each time that a price goes above or below a limit, or moves by a percentage. It buys what a watch with the same
   * `everyMs` buys, from the iteration on. If the first price is already beyond a limit, it yields at once; a limit fires again after
   * the price has been back at it or on its first side. A token without a price in USD fires nothing. Up to 1,000 alerts wait for a
   * slow reader, also after `close`. A price that was older than `everyMs` at the start does not count.
   * @example for await (const { condition, price } of feed.alert(BOLT, { above: '0.02', everyMs: 60_000 })) notify(condition, price)
   * @throws InvalidRequestError if an option is invalid. The iteration rejects if the key is refused.
   */
  alert(address: string, options: AlertOptions): AsyncIterable<FeedAlert>
  /** The state of the feed at this moment. */
  status(): FeedStatus
  /** Returns what the feed will buy, and its cost: the next purchases, 10 by default. Sends nothing. */
  explain(options?: { calls?: number | undefined }): FeedPlan
  /** Ends every watch and price request. Resolves when no timer, listener or request is left. */
  close(): Promise<void>
}
