import type { TokenPrice } from '../../generated/types.ts'
import type { Failure } from '../failures.ts'
import { createPriorityQueue, type PriorityQueue } from './priority-queue.ts'

/** Addresses that are requested together until they succeed or fail alone. */
export interface SuspectGroup {
  /** Credits that the watches have set aside, because separate requests will cost more than one. */
  reserved: number
  /** Shared by all groups of the batch that failed first. */
  readonly search: {
    /** Credits that further failures may be charged before the next attempt waits for the interval. */
    left: number
  }
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
  /** Called when a price is older than the interval, and no newer one has arrived. */
  onLate(tracked: TrackedPrice): void
}

/**
 * An address, what is known of its price, and who wants to know it. Times are those of the clock of the feed. The functions below change
 * it, and nothing else does: each is a thing that happened to the address.
 */
export type TrackedPrice = Readonly<TrackedPriceState>

interface TrackedPriceState {
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
  /** How often it was bought since it is watched, or since a watch joined for which its price was too old. */
  timesBought: number
  /** How long a price is valid for its strictest watcher, in milliseconds, with any stretch. */
  intervalMs: number
  /** When a request may have been charged and returned nothing; -Infinity once another request is sent. */
  maybeChargedAt: number
  /** Since when requests have failed; Infinity while none has. */
  failingSince: number
  /** The value of `maybeChargedAt` when `retryMaybeCharged` last cleared it. */
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
  const state: TrackedPriceState = {
    address,
    price: undefined,
    at: Number.NEGATIVE_INFINITY,
    requestedAt: Number.NEGATIVE_INFINITY,
    firstDueAt: Number.POSITIVE_INFINITY,
    dueAt: Number.POSITIVE_INFINITY,
    lateAt: Number.POSITIVE_INFINITY,
    lateAfterMs: Number.POSITIVE_INFINITY,
    reportedLateMs: 0,
    timesBought: 0,
    intervalMs: Number.POSITIVE_INFINITY,
    maybeChargedAt: Number.NEGATIVE_INFINITY,
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
  return state
}

const stateOf = (tracked: TrackedPrice): TrackedPriceState => tracked

/** A watch wants its price, or wants it at another interval. */
export function joined(tracked: TrackedPrice, watcher: Watcher, firstDueAt: number): void {
  const state = stateOf(tracked)
  if (tracked.watchers.size === 0) state.firstDueAt = firstDueAt
  // A price that is too old for the watch is bought at once, like a first one: it is in step with no other.
  if (tracked.watchers.size === 0 || tracked.at + watcher.everyMs <= firstDueAt) state.timesBought = 0
  tracked.watchers.put(watcher)
  if (watcher.atLeastEveryMs < Number.POSITIVE_INFINITY) tracked.guaranteed.put(watcher)
  else tracked.guaranteed.delete(watcher)
}

/** A watch no longer wants its price. */
export function left(tracked: TrackedPrice, watcher: Watcher): void {
  tracked.watchers.delete(watcher)
  tracked.guaranteed.delete(watcher)
}

/** It needs a price at `dueAt`, and again after each `intervalMs`. Without `dueAt`, a price is on its way. */
export function due(tracked: TrackedPrice, intervalMs: number, dueAt = tracked.dueAt): void {
  const state = stateOf(tracked)
  state.intervalMs = intervalMs
  state.dueAt = dueAt
}

/** Somebody gets a price for it: from the store, a stream or the service. */
export function awaited(tracked: TrackedPrice): void {
  stateOf(tracked).inFlight = true
}

/** Nobody gets a price for it any longer. */
export function released(tracked: TrackedPrice): void {
  stateOf(tracked).inFlight = false
}

/** A price has arrived. */
export function delivered(tracked: TrackedPrice, price: Pick<TrackedPrice, 'price' | 'at' | 'requestedAt'>): void {
  const state = stateOf(tracked)
  state.price = price.price
  state.at = price.at
  state.requestedAt = price.requestedAt
  state.inFlight = false
  state.timesBought++
  state.reportedLateMs = 0
  state.maybeChargedAt = Number.NEGATIVE_INFINITY
  state.failingSince = Number.POSITIVE_INFINITY
}

/** A request that was decided at `decidedAt` has failed. */
export function failed(tracked: TrackedPrice, decidedAt: number): void {
  const state = stateOf(tracked)
  state.inFlight = false
  state.failingSince = Math.min(state.failingSince, decidedAt)
}

/** A request may have been charged and returned nothing: the next one waits for the interval. */
export function maybeCharged(tracked: TrackedPrice, now: number): void {
  stateOf(tracked).maybeChargedAt = now
}

/** The next request need not wait for the interval: another one is sent. */
export function chargeForgotten(tracked: TrackedPrice): void {
  stateOf(tracked).maybeChargedAt = Number.NEGATIVE_INFINITY
}

/** The next request need not wait for the interval: the service answers again. */
export function chargeForgiven(tracked: TrackedPrice): void {
  Object.assign(stateOf(tracked), { releasedAt: tracked.maybeChargedAt, maybeChargedAt: Number.NEGATIVE_INFINITY })
}

/** It may be why a request failed: it is requested apart from now on, after `retryAt`. */
export function suspected(
  tracked: TrackedPrice,
  suspicion: Pick<TrackedPrice, 'failures'> & { suspectGroup: SuspectGroup; retryAt?: number },
): void {
  Object.assign(stateOf(tracked), suspicion)
}

/** A request for it has succeeded. */
export function cleared(tracked: TrackedPrice): void {
  Object.assign(stateOf(tracked), { suspectGroup: undefined, failures: 0, retryAt: Number.NEGATIVE_INFINITY })
}

/** Watchers with an interval of `lateAfterMs` have to be told when its price is older than that. */
export function lateAfter(tracked: TrackedPrice, lateAfterMs: number): void {
  // Late is what is older than the interval, by a millisecond at least.
  const state = stateOf(tracked)
  state.lateAfterMs = lateAfterMs
  state.lateAt = tracked.at + lateAfterMs + 1
}

/** Watchers with an interval up to `ms` know that its price is late. */
export function reportedLate(tracked: TrackedPrice, ms: number): void {
  stateOf(tracked).reportedLateMs = ms
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
export function pricesOfSameWatch({ address, watchers, dueAt, failingSince }: TrackedPrice): readonly TrackedPrice[] {
  const since = Math.min(dueAt, failingSince)
  const { prices = [], joined } = watchers.peek() ?? {}
  const isNew = joined?.has(address)
  return prices.filter(
    (other) =>
      !other.inFlight && !other.suspectGroup && other.at < since && (!isNew || Boolean(joined?.has(other.address))),
  )
}
