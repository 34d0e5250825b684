import { creditsFor } from '../../credits/batch-cost.ts'
import type { Reservation } from '../../credits/budget.ts'
import { BudgetExceededError } from '../../errors/budget.ts'
import type { FeedEvent } from '../../feed/events.ts'
import type { PriceFeed } from '../../feed/types.ts'
import type { Watch, WatchOptions } from '../../feed/watch/types.ts'

/** What the proxy needs of a feed, and its users do not. */
export interface FeedInternals {
  /** A watch for visitors: what is bought for it alone is bought only if `payer` can pay. */
  watchForVisitors(addresses: readonly string[], options: WatchOptions): Watch
  /**
   * Sets who pays for what visitors want. Returns a function that removes the payer.
   * @throws InvalidRequestError if the feed has one
   */
  setPayer(payer: Payer): () => void
  /** The shortest interval of the operator's own watches of each address, in milliseconds. By addresses in EIP-55 form. */
  ownIntervals(): ReadonlyMap<string, number>
  /** Credits a day that prices of these intervals cost, as the schedule runs. */
  costPerDay(intervals: Iterable<number>): number
  /** Credits a day that the budget has for the rest of its day; Infinity without a budget. */
  affordablePerDay(): number
  /** The factor by which the feed stretches intervals. */
  stretch(): number
  /** Why no request is sent until a moment; undefined while requests are sent. */
  holdUp(): HoldUp | undefined
  /** Calls `listener` after each event. Returns a function that stops it. */
  onEvent(listener: (event: FeedEvent) => void): () => void
}

/** Why a feed sends no request. */
export interface HoldUp {
  readonly error: unknown
  /** Whether the same requests fail until somebody acts: no credits, or a refused key. */
  readonly isFinal: boolean
  /** Milliseconds until requests continue. */
  readonly waitMs: number
}

/** An address that a request is about to ask for. */
export interface WantedPrice {
  /** In EIP-55 form. */
  readonly address: string
  /** Whether somebody beside visitors wants it. */
  readonly isOwn: boolean
}

/** Pays for what visitors want. */
export interface Payer {
  /** Decides who pays for a request that is about to be sent. What nobody can pay for has to be left out. */
  admit(wanted: readonly WantedPrice[]): PaidOrder
}

/** What may be bought in one request, and who pays. */
export interface PaidOrder {
  /** In EIP-55 form. */
  readonly addresses: ReadonlySet<string>
  /** Reserves the worst case; undefined where no visitor pays. */
  reserve(): Reservation | Promise<Reservation> | undefined
}

/** What streams need of a feed, by its public surface. */
export function feedInternalsOf(feed: object): FeedInternals | undefined {
  if (!('watch' in feed && 'status' in feed)) return undefined
  const { watch, status } = feed as PriceFeed
  return {
    watchForVisitors: watch,
    setPayer: () => () => {},
    ownIntervals: () => new Map(),
    costPerDay: (intervals) =>
      Array.from(intervals, (everyMs) => (creditsFor(1) * 86_400_000) / everyMs).reduce((a, b) => a + b, 0),
    affordablePerDay: () => Number.POSITIVE_INFINITY,
    stretch: () => status().stretch,
    holdUp() {
      const { state, until } = status()
      if (until === undefined) return undefined
      const error = new BudgetExceededError('The feed waits.', { needed: 0, available: 0, resetsAt: until })
      return { error, isFinal: state === 'stopped', waitMs: Math.max(0, until - Date.now()) }
    },
    onEvent: () => () => {},
  }
}
