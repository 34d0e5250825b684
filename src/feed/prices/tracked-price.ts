import type { TokenPrice } from '../../generated/types.ts'
import { createPriorityQueue } from '../../utils/priority-queue.ts'
import type { Failure } from '../failures.ts'
import { streamedAge } from './feed-price.ts'

/** Addresses that are requested together until they succeed or fail alone. */
export interface SuspectGroup {
  /** Shared by all groups of the batch that failed first. */
  readonly search: {
    /** Credits that further failures may be charged before the next attempt waits for the interval. */
    left: number
    /** Whether the service refused the batch. */
    readonly isRefused: boolean
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
  /** The longest interval while the budget is too small; Infinity if any will do. */
  readonly atLeastEveryMs: number
  /** Called when a price is older than the interval, and no newer one has arrived. */
  onLate(tracked: TrackedPrice): void
}

/** A price and when it was requested. */
export interface KnownPrice {
  /** Null: the token has no price. */
  readonly price: TokenPrice | null
  /** When it was requested, by the clock of the feed. */
  readonly at: number
  /** The same moment in unix milliseconds. */
  readonly requestedAt: number
}

/** How much longer the intervals are because of the budget. */
export interface Stretch {
  /** The factor for every interval; 1 if the budget is large enough. */
  readonly stretch: number
  /** The factor for every `atLeastEveryMs`; 1 if the budget is large enough for those. */
  readonly atLeastStretch: number
}

const NEVER = Number.POSITIVE_INFINITY
const LONG_AGO = Number.NEGATIVE_INFINITY

/** An address, what is known of its price, and who wants to know it. Times are those of the clock of the feed. */
export class TrackedPrice {
  /** In EIP-55 form. */
  readonly address: string
  /** The strictest first, because one address may have thousands. */
  readonly watchers = createPriorityQueue<Watcher>(({ everyMs }) => everyMs)
  /** Those with an `atLeastEveryMs`, the shortest first. */
  readonly guaranteed = createPriorityQueue<Watcher>(({ atLeastEveryMs }) => atLeastEveryMs)
  /** Price requests that wait for an answer. */
  readonly requesters = new Set<Subscriber>()

  /** How long a price is valid for its strictest watcher, in milliseconds, with any stretch; Infinity without one. The schedule sets it. */
  intervalMs = NEVER
  /** When it is bought outside of the ticks of the timetable: at once, or after a failure. Infinity if a tick does. The schedule sets it. */
  dueAt = NEVER
  /** How often a stream brings its price for the watchers, in milliseconds; 0 where it is bought. The stream sets it. */
  paceMs = 0

  #known: Omit<KnownPrice, 'price'> & { readonly price: TokenPrice | null | undefined } = NOTHING
  #askedAt = LONG_AGO
  #inFlight = false
  #lateAt = NEVER
  #lateAfterMs = NEVER
  #reportedLateMs = 0
  #maybeChargedAt = LONG_AGO
  #releasedAt = LONG_AGO
  #failingSince = NEVER
  #suspectGroup: SuspectGroup | undefined
  #failures = 0

  constructor(address: string) {
    this.address = address
  }

  /** Null: the token has no price. Undefined: nothing is known. */
  get price(): TokenPrice | null | undefined {
    return this.#known.price
  }
  /** When `price` was requested; -Infinity while nothing is known. */
  get at(): number {
    return this.#known.at
  }
  /** The same moment in unix milliseconds. */
  get requestedAt(): number {
    return this.#known.requestedAt
  }
  /** When the newest price was requested that is known or on its way. */
  get askedAt(): number {
    return this.#inFlight ? this.#askedAt : this.#known.at
  }
  /** Whether somebody gets a price for it: from the store, a stream or the service. */
  get inFlight(): boolean {
    return this.#inFlight
  }
  get isWanted(): boolean {
    return this.watchers.size > 0 || this.requesters.size > 0
  }
  /** The shortest interval of the watchers, in milliseconds; Infinity without any. */
  get shortestInterval(): number {
    return this.watchers.peek()?.everyMs ?? NEVER
  }
  /** The longest interval that the watchers accept while the budget is too small, in milliseconds. */
  get longestInterval(): number {
    return this.guaranteed.peek()?.atLeastEveryMs ?? NEVER
  }
  /** Addresses of one failed request, which are requested apart from all others; undefined without a suspicion. */
  get suspectGroup(): SuspectGroup | undefined {
    return this.#suspectGroup
  }
  /** Consecutive failures of this address alone. */
  get failures(): number {
    return this.#failures
  }
  /** Since when requests have failed; Infinity while none has. */
  get failingSince(): number {
    return this.#failingSince
  }
  /** When a watcher has to be told that its price is late. */
  get lateAt(): number {
    return this.#lateAt
  }
  /** Watchers with an interval up to this know that the price is late. */
  get reportedLateMs(): number {
    return this.#reportedLateMs
  }
  /** The interval of the watchers that are told at `lateAt`. */
  get lateAfterMs(): number {
    return this.#lateAfterMs
  }

  /** How old its price may be for a watcher before it is stale, in milliseconds. */
  maxAge(everyMs: number): number {
    return this.paceMs > 0 ? streamedAge(everyMs, this.paceMs) : everyMs
  }

  /** A watch wants its price, or wants it at another interval. */
  join(watcher: Watcher): void {
    this.watchers.put(watcher)
    if (watcher.atLeastEveryMs < NEVER) this.guaranteed.put(watcher)
    else this.guaranteed.delete(watcher)
  }

  /** A watch no longer wants its price. */
  leave(watcher: Watcher): void {
    this.watchers.delete(watcher)
    this.guaranteed.delete(watcher)
  }

  /** The longest time between two prices that suits every watcher, in milliseconds; Infinity without any. */
  stretchedInterval({ stretch, atLeastStretch }: Stretch): number {
    return Math.min(this.shortestInterval * stretch, this.longestInterval * atLeastStretch)
  }

  /** Somebody gets a price for it. */
  await(now: number): void {
    this.#inFlight = true
    this.#askedAt = now
  }

  /** Nobody gets a price for it any longer. */
  release(): void {
    this.#inFlight = false
  }

  /** A price has arrived. */
  deliver({ price, at, requestedAt }: KnownPrice): void {
    this.#known = { price, at, requestedAt }
    this.#inFlight = false
    this.#reportedLateMs = 0
    this.#maybeChargedAt = LONG_AGO
    this.#failingSince = NEVER
  }

  /** A request that was decided at `decidedAt` has failed. */
  fail(decidedAt: number): void {
    this.#inFlight = false
    this.#failingSince = Math.min(this.#failingSince, decidedAt)
  }

  /** A request may have been charged and returned nothing: the next one waits for the interval. */
  chargeInVain(now: number): void {
    this.#maybeChargedAt = now
  }

  /**
   * Whether a request that may have been charged need not be waited for any longer, because the service answers again. Once per interval:
   * this address may fail each time while others succeed, and one that fails alone does so whether others succeed or not.
   */
  forgiveCharge(): boolean {
    if (this.#failures > 0 || this.#maybeChargedAt === LONG_AGO) return false
    if (this.#maybeChargedAt - this.#releasedAt < this.intervalMs) return false
    this.#releasedAt = this.#maybeChargedAt
    this.#maybeChargedAt = LONG_AGO
    return true
  }

  /** It may be why a request failed: it is requested apart from now on. */
  suspect(suspectGroup: SuspectGroup, failures = 0): void {
    this.#suspectGroup = suspectGroup
    this.#failures = failures
  }

  /** A request for it has succeeded. */
  clear(): void {
    this.#suspectGroup = undefined
    this.#failures = 0
  }

  /** Watchers with an interval of `lateAfterMs` have to be told when its price is older than that, by a millisecond at least. */
  lateAfter(lateAfterMs: number): void {
    this.#lateAfterMs = lateAfterMs
    this.#lateAt = this.at + lateAfterMs + 1
  }

  /** Watchers with an interval up to `ms` know that its price is late. */
  reportLate(ms: number): void {
    this.#reportedLateMs = ms
  }

  /** A copy, because subscribers may come or go while they are called. */
  subscribers(): readonly Subscriber[] {
    // Spreading two sets into one array takes several times as long as one.
    const { requesters, watchers } = this
    return requesters.size === 0 ? [...watchers.items()] : [...requesters, ...watchers.items()]
  }
}

const NOTHING = { price: undefined, at: LONG_AGO, requestedAt: LONG_AGO }

/** Every address that the feed knows. */
export interface PriceTable {
  /** Returns the entries of addresses, and creates those that are missing. */
  open(addresses: Iterable<string>): TrackedPrice[]
  /** Returns the entry of an address if there is one. */
  find(address: string): TrackedPrice | undefined
}

/** Beyond this number of addresses, those that nobody wants are dropped, oldest first. */
const MAX_ADDRESSES = 10_000

export function createPriceTable(): PriceTable {
  const entries = new Map<string, TrackedPrice>()
  let trimAt = MAX_ADDRESSES

  function trim(): void {
    for (const [address, tracked] of entries) {
      if (entries.size <= MAX_ADDRESSES) break
      if (!tracked.isWanted && !tracked.inFlight) entries.delete(address)
    }
    // Entries that are wanted stay, and are not looked through again for each new one.
    trimAt = Math.max(MAX_ADDRESSES, 2 * entries.size)
  }

  function open(address: string): TrackedPrice {
    const known = entries.get(address)
    if (known !== undefined) return known
    const tracked = new TrackedPrice(address)
    entries.set(address, tracked)
    return tracked
  }

  return {
    open(addresses) {
      // Before, because nobody wants the new entries yet.
      if (entries.size > trimAt) trim()
      return Array.from(addresses, open)
    },
    find: (address) => entries.get(address),
  }
}
