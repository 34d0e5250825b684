/** The state of a feed and its costs. */
export interface FeedStatus {
  /** `waiting`: backing off after a failure; `stopped`: no credits, or refused; `paused`: the page is hidden. */
  readonly state: 'idle' | 'running' | 'waiting' | 'stopped' | 'paused' | 'closed'
  /** When requests continue, unix milliseconds; undefined unless the state is `waiting` or `stopped`. */
  readonly until: number | undefined
  /** The factor by which every interval is longer than requested, up to `atLeastEveryMs`; 1 if none is. */
  readonly stretch: number
  /** The factor by which every `atLeastEveryMs` is exceeded; 1 if they are kept. */
  readonly atLeastStretch: number
  /** Credits that the watches cost a day with the current stretch. */
  readonly creditsPerDay: number
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
}
