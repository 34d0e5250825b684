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
   * Their cost with the stretch of price requests, which use what the watches leave of the budget. Trades cost this while their
   * readers wait for more.
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
