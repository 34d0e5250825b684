import type { Client } from '../client.ts'
import type { Clock } from '../clock.ts'
import type { Trade } from '../generated/types.ts'
import type { CacheStore } from '../options.ts'
import type { FeedEvent } from './events.ts'
import type { FeedPlan } from './explain.ts'

/** What a feed needs of a client. Its `cache` must not keep `token.price` or `prices.batch`: the feed could not tell their age. */
export type FeedClient = Pick<Client, 'token' | 'prices' | 'trade'>

export interface FeedOptions {
  /** How long a look-up waits for others to join its request, milliseconds; 0 is the same turn of the event loop. @default 5 */
  windowMs?: number | undefined
  /** How old a price may be that a look-up is answered with, milliseconds, unless it says. @default 60_000 */
  maxAgeMs?: number | undefined
  /** The most that is spent a day, counted from the feed's creation. Promises that do not fit are all stretched alike. @default no limit of its own */
  budget?: { creditsPerDay: number } | undefined
  /** Shares prices with other processes and with later ones; Keyv fits. A store belongs to one service. @default memory */
  store?: CacheStore | undefined
  /** Whether a page that nobody sees spends nothing: look-ups and watches wait until it is shown. @default false */
  pauseWhenHidden?: boolean | undefined
  /** Is told what happens. What it throws is ignored. */
  onEvent?: ((event: FeedEvent) => void) | undefined
  /** @default real time */
  clock?: Clock | undefined
}

/** A price and how old it is. Unknown fields of the service's are kept. */
export interface FeedPrice {
  /** In the caller's own spelling. */
  readonly address: string
  /** USD for one token, a decimal string; null when there is no such price. */
  readonly usd: string | null
  /** ETN for one token, a decimal string; null when there is no such price. */
  readonly etn: string | null
  /** When it was asked for, unix milliseconds: it is never older than that tells. */
  readonly at: number
  /** Its age when it was handed over, milliseconds. */
  readonly ageMs: number
  /** Whether it is older than was asked for, because the service or the budget does not give a newer one. */
  readonly stale: boolean
}

export interface LookUpOptions {
  /** How old the price may be, milliseconds. @default the feed's `maxAgeMs` */
  maxAgeMs?: number | undefined
  /** Aborting it rejects this look-up with the signal's reason; nobody else notices. */
  signal?: AbortSignal | undefined
}

export interface WatchOptions {
  /** How old a price may become before a newer one is there, milliseconds, above 0. */
  everyMs: number
  /** Gets each new price of each address, at least one every `everyMs`; without it, iterate over the watch. What it throws goes to `onError`. */
  onPrice?: ((price: FeedPrice) => void) | undefined
  /** Is told once when prices fail to come, and again when the reason changes. What it throws is ignored. */
  onError?: ((error: unknown) => void) | undefined
  /** Aborting it ends the watch; an iteration rejects with its reason. */
  signal?: AbortSignal | undefined
}

/** A running watch. Iterating gives the newest price of each address that changed: a slow reader misses old ones, and none queue up. */
export interface Watch extends AsyncIterable<FeedPrice> {
  /** Ends the watch, and the iteration over it. */
  stop(): void
}

export interface TradesOptions {
  /** Only trades in this token. @default all */
  token?: string | undefined
  /** Milliseconds between requests: fixed, or within bounds, as busy as the token is. */
  everyMs: number | { min: number; max: number }
  /** Aborting it rejects the iteration with its reason. */
  signal?: AbortSignal | undefined
  /** Is told when every trade of a page was new, so that something was missed; so is the feed's `onEvent`. */
  onGap?: (() => void) | undefined
}

export interface FeedStatus {
  /** `waiting`: backing off after a failure; `stopped`: no credits, or refused for good; `paused`: the page is hidden. */
  readonly state: 'idle' | 'running' | 'waiting' | 'stopped' | 'paused' | 'closed'
  /** When requests go on, unix milliseconds; undefined unless it waits or has stopped. */
  readonly until: number | undefined
  /** By how much every interval is longer than promised; 1 when all promises are kept. */
  readonly stretch: number
  /** What the watches cost a day as they run now, in credits. */
  readonly creditsPerDay: number
  /** Charged, or perhaps charged, since this day of the feed began. */
  readonly spent: number
  /** What will have been spent when this day of the feed ends, in credits. */
  readonly projected: number
  readonly watches: number
  /** Different addresses that are watched. */
  readonly addresses: number
}

/** Prices at the age that somebody needs, each bought once and at the cheapest route. */
export interface PriceFeed extends AsyncDisposable {
  /**
   * The price of a token, no older than `maxAgeMs`. Costs nothing when such a one is known, 10 credits in good company and 50 alone.
   * When no newer one is to be had, an older one comes with `stale: true`.
   * @throws whatever the client rejects with, when nothing at all is known of the token.
   */
  price(address: string, options?: LookUpOptions): Promise<FeedPrice>
  /** The same for many, in the caller's own spelling. What was paid for before a part failed is known at the next look-up. */
  prices<const Address extends string>(
    addresses: readonly Address[],
    options?: LookUpOptions,
  ): Promise<Record<Address, FeedPrice>>
  /** Keeps prices no older than `everyMs`, as callbacks or by iterating. Costs nothing to start or stop. An iteration is what starts a watch without `onPrice`. */
  watch(addresses: string | readonly string[], options: WatchOptions): Watch
  /**
   * Trades that were not seen before, newest last, beginning with the newest 25 there are: each request costs up to 500 credits, and is
   * made when the reader has taken what came before.
   * @throws what the client rejects with, unless it passes.
   */
  trades(options: TradesOptions): AsyncGenerator<Trade, void, undefined>
  status(): FeedStatus
  /** What is going to be bought, and what it costs. Spends nothing. */
  explain(options?: { calls?: number }): FeedPlan
  /** Ends every watch and look-up; resolves when nothing is left: no timer, listener or request. */
  close(): Promise<void>
}
