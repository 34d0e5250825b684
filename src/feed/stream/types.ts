/** Where a feed takes the prices of its watches from. */
export interface FeedStreamOptions {
  /**
   * Whether watches take their prices from the event stream of `etn-market/proxy` at the client's `baseUrl`, by the client's `fetch`,
   * `hooks` and `headers`. A stream costs nothing and reconnects by itself. Where there is none, or none for five seconds, prices are
   * bought as without it. The proxy may deliver less often than `everyMs`. Up to three streams of 50 addresses are opened, one for each interval, the shortest intervals first.
   * @default false
   */
  stream?: boolean | undefined
}
