import type { TokenPrice } from '../../generated/types.ts'
import type { Failure } from '../failures.ts'
import { createPriorityQueue, type PriorityQueue } from './priority-queue.ts'

/** Addresses that are requested together until they succeed or fail alone. */
export interface SuspectGroup {
  /** Credits that the watches have set aside, because separate requests will cost more than one. */
  readonly reserved: number
}

/** Somebody who waits for the price of an address. */
export interface Subscriber {
  /** The greatest age of a price that the subscriber accepts, in milliseconds. */
  readonly everyMs: number
  onPrice(tracked: TrackedPrice): void
  onFailure(tracked: TrackedPrice, failure: Failure): void
}

/** A subscriber that wants a new price again and again. */
export interface Watcher extends Subscriber {
  /** Every address of the watch. */
  readonly prices: readonly TrackedPrice[]
  /** Addresses that joined the watch while it ran and have had no new price since. Until then they are due at times of their own. */
  readonly joined: ReadonlySet<string>
  /** The longest interval while the budget is too small; Infinity if any will do. */
  readonly atLeastEveryMs: number
  /** Whether it is a proxy's, for its visitors. */
  readonly isForVisitors: boolean
  /** Called when a price is older than the interval, and no newer one has arrived. */
  onLate(tracked: TrackedPrice): void
}

/** An address, what is known of its price, and who wants to know it. Times are those of the clock of the feed. */
export interface TrackedPrice {
  /** In EIP-55 form. */
  readonly address: string
  /** Null: the token has no price. Undefined: nothing is known. */
  price: TokenPrice | null | undefined
  /** When `price` was requested, by the clock of the feed; -Infinity while nothing is known. */
  at: number
  /** The same moment in unix milliseconds. */
  requestedAt: number
  /** When the request for the first price is due, at the end of the window in which others may join it. */
  firstDueAt: number
  /** When the next request is due. */
  dueAt: number
  /** When a watcher has to be told that its price is late. */
  lateAt: number
  /** The interval of the watchers that are told at `lateAt`. */
  lateAfterMs: number
  /** Watchers with an interval up to this know that the price is late. */
  reportedLateMs: number
  /** How often it was bought since it is watched. */
  rounds: number
  /** How long a price is valid for its strictest watcher, in milliseconds, with any stretch. */
  intervalMs: number
  /** When a request may have been charged and returned nothing; -Infinity once another request is sent. */
  wastedAt: number
  /** Since when requests have failed; Infinity while none has. */
  failingSince: number
  /** The value of `wastedAt` when `retryWasted` last cleared it. */
  releasedAt: number
  /** Addresses of one failed request, which are requested apart from all others; undefined without a suspicion. */
  suspectGroup: SuspectGroup | undefined
  /** Consecutive failures of this address alone. */
  failures: number
  /** After a failure of this address alone: when it may be requested again. */
  retryAt: number
  /** Whether a request for the address is in flight. */
  inFlight: boolean
  /** The strictest first, because one address may have thousands. */
  readonly watchers: PriorityQueue<Watcher>
  /** Those with an `atLeastEveryMs`, the shortest first. */
  readonly guaranteed: PriorityQueue<Watcher>
  /** Price requests that wait for an answer. */
  readonly requesters: Set<Subscriber>
}

export function createTrackedPrice(address: string): TrackedPrice {
  return {
    address,
    price: undefined,
    at: Number.NEGATIVE_INFINITY,
    requestedAt: Number.NEGATIVE_INFINITY,
    firstDueAt: Number.POSITIVE_INFINITY,
    dueAt: Number.POSITIVE_INFINITY,
    lateAt: Number.POSITIVE_INFINITY,
    lateAfterMs: Number.POSITIVE_INFINITY,
    reportedLateMs: 0,
    rounds: 0,
    intervalMs: Number.POSITIVE_INFINITY,
    wastedAt: Number.NEGATIVE_INFINITY,
    releasedAt: Number.NEGATIVE_INFINITY,
    failingSince: Number.POSITIVE_INFINITY,
    suspectGroup: undefined,
    failures: 0,
    retryAt: Number.NEGATIVE_INFINITY,
    inFlight: false,
    watchers: createPriorityQueue<Watcher>(({ everyMs }) => everyMs),
    guaranteed: createPriorityQueue<Watcher>(({ atLeastEveryMs }) => atLeastEveryMs),
    requesters: new Set(),
  }
}

/** A copy, because subscribers may come or go while they are called. */
export function subscribersOf({ watchers, requesters }: TrackedPrice): readonly Subscriber[] {
  // Spreading two sets into one array takes several times as long as one.
  return requesters.size === 0 ? [...watchers.items()] : [...requesters, ...watchers.items()]
}

export function isWanted({ watchers, requesters }: TrackedPrice): boolean {
  return watchers.size > 0 || requesters.size > 0
}

/** The shortest interval of the watchers, in milliseconds; Infinity without any. */
export function shortestInterval({ watchers }: TrackedPrice): number {
  return watchers.peek()?.everyMs ?? Number.POSITIVE_INFINITY
}

/** The shortest interval of the watchers that are not for visitors, in milliseconds; Infinity without any. */
export function ownInterval({ watchers }: TrackedPrice): number {
  let shortest = Number.POSITIVE_INFINITY
  for (const { everyMs, isForVisitors } of watchers.items())
    if (!isForVisitors && everyMs < shortest) shortest = everyMs
  return shortest
}

/** How much longer the intervals are because of the budget. */
export interface Stretch {
  /** The factor for every interval; 1 if the budget is large enough. */
  readonly stretch: number
  /** The factor for every `atLeastEveryMs`; 1 if the budget is large enough for those. */
  readonly atLeastStretch: number
}

/** The longest time between two prices that suits every watcher of an address, in milliseconds; Infinity without any. */
export function stretchedInterval(tracked: TrackedPrice, { stretch, atLeastStretch }: Stretch): number {
  const atLeast = tracked.guaranteed.peek()?.atLeastEveryMs ?? Number.POSITIVE_INFINITY
  return Math.min(shortestInterval(tracked) * stretch, atLeast * atLeastStretch)
}

/**
 * The addresses that the strictest watch of a due address buys together: those of its addresses that got no price since the
 * due time. An address that has just joined the watch is no reason to buy the older ones early.
 */
export function companionsOf({ address, watchers, dueAt, failingSince }: TrackedPrice): readonly TrackedPrice[] {
  const since = Math.min(dueAt, failingSince)
  const { prices = [], joined } = watchers.peek() ?? {}
  const isNew = joined?.has(address)
  return prices.filter(
    (other) =>
      !other.inFlight && !other.suspectGroup && other.at < since && (!isNew || Boolean(joined?.has(other.address))),
  )
}
