/** Options of `feed.trades`. */
export interface TradesOptions {
  /** Only trades of this token. @default all tokens */
  token?: string | undefined
  /**
   * Milliseconds between requests. With `{ min, max }` the feed adapts to the number of trades. Readers of the same token share
   * their requests, at the shortest of the intervals of those that wait for trades.
   */
  everyMs:
    | number
    | {
        /** The shortest interval, in milliseconds. */
        min: number
        /** The longest interval, in milliseconds. */
        max: number
      }
  /** Ends the iteration. It rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /**
   * Called when the reader has missed trades: every trade of a page was new, or more than 1,000 waited while other readers went on.
   * They are not delivered later. The feed's `onEvent` receives `feed.gap` too.
   */
  onGap?: (() => void) | undefined
  /**
   * Name under which the feed's `store` keeps what this reader has read. After a restart the reader continues where it stopped,
   * instead of beginning with the newest 25 trades. After a crash, the trades that it took since it last waited come again. One
   * reader of a token at a time may use a name. It needs a `store`.
   * @default the reader begins with the newest 25 trades
   */
  resumeAs?: string | undefined
}
