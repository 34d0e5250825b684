/** A price and its age. Unknown fields of the service are kept. */
export interface FeedPrice {
  /** The address as the caller wrote it. */
  readonly address: string
  /** USD for one token, a decimal string; null if there is no price. */
  readonly usd: string | null
  /** ETN for one token, a decimal string; null if there is no price. */
  readonly etn: string | null
  /** When the price was requested, unix milliseconds. The price is at least as new. */
  readonly at: number
  /** Age of the price when it was delivered, in milliseconds. */
  readonly ageMs: number
  /** Whether the price is older than requested, because of a failure or the budget. */
  readonly stale: boolean
}

/** Options of `feed.price` and `feed.prices`. */
export interface PriceRequestOptions {
  /** Maximum age of the price, in milliseconds. @default the feed's `maxAgeMs` */
  maxAgeMs?: number | undefined
  /**
   * With `'allow'` the request resolves with an older price that has `stale: true`, if no newer one can be bought, or if the budget has no credits
   * for one beside the watches. Without it the request then rejects. @default undefined
   */
  stale?: 'allow' | undefined
  /** Aborts this price request only. It rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Options of `feed.watch`. */
export interface WatchOptions {
  /** Maximum age of a price before a newer one arrives, in milliseconds, above 0. */
  everyMs: number
  /**
   * The longest interval while the budget is too small, in milliseconds, at least `everyMs`; other watches are stretched more instead. If the budget
   * does not suffice even for this, `atLeastStretch` is above 1. Prices older than `everyMs` are stale. While the watches are stretched, other prices
   * are bought only with what the watches with this option leave until midnight.
   * @default any interval
   * @example feed.watch(tokens, { everyMs: 60_000, atLeastEveryMs: 300_000, onPrice })
   */
  atLeastEveryMs?: number | undefined
  /** Receives each new price of each address, at least one every `everyMs`. Without it, iterate over the watch. Errors that it throws go to `onError`. */
  onPrice?: ((price: FeedPrice) => void) | undefined
  /** Called once when prices fail to arrive, and again when the reason changes. Errors that it throws are ignored. */
  onError?: ((error: unknown) => void) | undefined
  /**
   * Delivers a price only if it differs from the last delivered one by at least this much. The first price is always delivered. So is a price that
   * appears or disappears, and one whose `stale` changes. `usd` is compared, or `etn` if both prices have no `usd`. It saves no credits.
   * @default every new price
   */
  minChange?: MinChange | undefined
  /** Ends the watch. An iteration rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** A running watch. Iterating over it yields the newest price of each address that changed; a slow reader misses older ones. */
export interface Watch extends AsyncIterable<FeedPrice> {
  /**
   * Changes the watch and every iteration over it. It is free: known prices of new addresses are delivered if they are young enough,
   * the others are bought when they are due. After `stop` it only changes iterations that start later.
   * @throws InvalidRequestError if an option is unknown or invalid; the error with the code `feed_closed` after `feed.close`.
   */
  update(changes: WatchUpdate): void
  /** Ends the watch and every iteration over it. */
  stop(): void
}

/** A number or a decimal string, 0 or more; it is compared exactly. With 0, every price that differs is delivered. */
export type MinChange =
  | {
      /** Percent of the last delivered price. */
      percent: number | string
      /** Not together with `percent`. */
      absolute?: undefined
    }
  | {
      /** USD for one token, or ETN if there is no price in USD. */
      absolute: number | string
      /** Not together with `absolute`. */
      percent?: undefined
    }

/** Changes of a running watch. What is absent stays as it is. */
export interface WatchUpdate {
  /** Every address to watch from now on. An empty list pauses the watch. */
  addresses?: string | readonly string[] | undefined
  /** Maximum age of a price before a newer one arrives, in milliseconds, above 0. */
  everyMs?: number | undefined
  /** The longest interval while the budget is too small, in milliseconds, at least `everyMs`. */
  atLeastEveryMs?: number | undefined
}

/** Options of `feed.alert`: `above`, `below`, `movePercent`, or several of them. Prices are in USD. */
export interface AlertOptions {
  /** Fires when the price rises above this, in USD for one token, as a number or a decimal string. */
  above?: number | string | undefined
  /** Fires when the price falls below this, in USD for one token, as a number or a decimal string. */
  below?: number | string | undefined
  /** Fires when the price is this many percent above the lowest or below the highest price of `withinMs`. Above 0. */
  movePercent?: number | string | undefined
  /** How far `movePercent` looks back, in milliseconds, at least `everyMs`. @default to the last move that fired, or to the start */
  withinMs?: number | undefined
  /** Maximum age of a price before a newer one is bought, in milliseconds, above 0. Between two prices nothing is noticed. */
  everyMs: number
  /** The longest interval while the budget of the feed is too small, as for a watch, in milliseconds. @default any interval */
  atLeastEveryMs?: number | undefined
  /** Ends the iteration. It rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** A condition of an alert that a price has met. */
export interface FeedAlert {
  /** The option that fired. */
  readonly condition: 'above' | 'below' | 'move'
  /** The price that met the condition. */
  readonly price: FeedPrice
  /**
   * For `move`, the lowest or highest price that it is compared with. For `above` and `below`, the price before; undefined if the
   * first price was already beyond.
   */
  readonly from: FeedPrice | undefined
  /** Number of alerts just before this one that were dropped, because 1,000 were unread. Usually 0. */
  readonly missed: number
}
