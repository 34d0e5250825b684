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
