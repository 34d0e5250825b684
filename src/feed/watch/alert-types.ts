import type { FeedPrice } from './price.ts'

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
