import type { TokenPrice } from '../../generated/types.ts'
import { ExponentialBackoff } from '../../utils/time-units.ts'
import type { Failure } from '../failures.ts'
import type { Stretch } from '../stretch.ts'
import type { FeedPrice } from '../watch/types.ts'
import type { RunningWatch } from '../watch/watch.ts'

/** Addresses that are requested together until they succeed or fail alone. */
export interface SuspectGroup {
  /** Shared by all groups of the batch that failed first. */
  readonly search: {
    /** Credits that further failures may be charged before the next attempt waits for the interval. */
    left: number
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

export interface KnownPrice {
  /** Null: the token has no price. */
  readonly price: TokenPrice | null
  /** When it was requested, by the clock of the feed; earlier by as long as a cache on the way had kept it. */
  readonly at: number
  /** The same moment in unix milliseconds. */
  readonly requestedAt: number
  /** When it was requested, whatever a cache answered. @default `at` */
  readonly askedAt?: number
}

const NEVER = Number.POSITIVE_INFINITY
const LONG_AGO = Number.NEGATIVE_INFINITY

/** An address, what is known of its price, and who wants to know it. Times are those of the clock of the feed. */
export class TrackedPrice {
  /** In EIP-55 form. */
  readonly address: string
  readonly watchers = new Set<RunningWatch>()
  /** Price requests that wait for an answer. */
  readonly requesters = new Set<Subscriber>()
  /** The shortest interval of the watchers, in milliseconds; Infinity without any. */
  shortestInterval = NEVER
  /** The longest interval that the watchers accept while the budget is too small, in milliseconds. */
  longestInterval = NEVER

  /** Null: the token has no price. Undefined: nothing is known. */
  price: TokenPrice | null | undefined
  /** When `price` was requested; -Infinity while nothing is known. */
  at = LONG_AGO
  /** The same moment in unix milliseconds. */
  requestedAt = LONG_AGO
  /** When the newest price was requested that is known or on its way. */
  askedAt = LONG_AGO
  /** When the last watcher left: since then nobody watched it for a while. */
  leftAt = LONG_AGO

  // What the schedule sets.
  /** How long a price is valid for its strictest watcher, in milliseconds, with any stretch; Infinity without one. */
  intervalMs = NEVER
  /** How long a price lasts before its next request is sent, in milliseconds, and at which ticks of its group that is: every nth. */
  lifeMs = NEVER
  multiple = 1
  /** When it is bought outside of the ticks of the timetable: at once, or after a failure. Infinity if a tick does. */
  dueAt = NEVER
  /** Whether what is on its way was requested between the ticks: a tick then buys it, too, as it would without the request. */
  isLookUp = false

  /** How often a stream brings its price for the watchers, in milliseconds; 0 where it is bought. */
  paceMs = 0
  /** When the next watcher has to be told that the price is late, and the age that it accepts. */
  lateAt = NEVER
  lateMs = NEVER
  /** Watchers that accept an age up to this know that the price is late. */
  reportedLateMs = 0

  /** Addresses of one failed request, which are requested apart from all others; undefined without a suspicion. */
  suspectGroup: SuspectGroup | undefined
  /** After failures of requests for it alone. */
  readonly retries = new ExponentialBackoff()

  /** When the first request was decided of those that have failed without a success; Infinity if the last one succeeded. */
  failingSince = NEVER

  #knownAskedAt = LONG_AGO
  #purchases = 0
  readonly #snapshots = new PriceSnapshots()
  #maybeChargedAt = LONG_AGO
  #forgivenAt = LONG_AGO

  constructor(address: string) {
    this.address = address
  }

  /** Whether somebody gets a price for it: from the store, a stream or the service. */
  get inFlight(): boolean {
    return this.#purchases > 0
  }
  get isWanted(): boolean {
    return this.watchers.size > 0 || this.requesters.size > 0
  }
  /** Whether a tick decides when it is bought: no stream brings it, nothing is on its way, and it has no wait of its own. */
  get waitsForTick(): boolean {
    const isFree = this.#purchases === 0 || (this.isLookUp && this.#purchases === 1)
    return this.dueAt === NEVER && this.paceMs === 0 && isFree && this.watchers.size > 0
  }

  /** How old its price may be for a watcher before it is stale, in milliseconds. */
  maxAge(everyMs: number): number {
    return this.paceMs > 0 ? streamedAge(everyMs, this.paceMs) : everyMs
  }

  isStale(everyMs: number, now: number): boolean {
    return isStale(now - this.at, this.maxAge(everyMs))
  }

  /** The price under a spelling. @param unwatchedMs how old it may be where nobody watches it */
  peek(spelling: string, now: number, unwatchedMs: number): FeedPrice | undefined {
    const maxAgeMs = this.watchers.size > 0 ? this.maxAge(this.shortestInterval) : unwatchedMs
    return this.#snapshots.show(this, spelling, now, isStale(now - this.at, maxAgeMs))
  }

  /** Adds a watcher, or takes its new intervals. */
  join(watcher: RunningWatch): void {
    this.watchers.add(watcher)
    this.#update()
  }

  leave(watcher: RunningWatch, now: number): void {
    this.watchers.delete(watcher)
    this.#update()
    if (this.watchers.size === 0) this.leftAt = now
  }

  setPace(paceMs: number): void {
    this.paceMs = paceMs
    this.#update()
  }

  /** Everybody who accepts no price as old as this one is told now. */
  reportLate(now: number): void {
    // Fractions of a millisecond get lost in a difference of times.
    this.reportedLateMs = Math.max(this.lateMs, now - this.at - 1)
    this.#update()
  }

  /** Finds what the watchers want, and who has to be told next that the price is late. */
  #update(): void {
    this.shortestInterval = NEVER
    this.longestInterval = NEVER
    this.lateMs = NEVER
    for (const { everyMs, atLeastEveryMs } of this.watchers) {
      this.shortestInterval = Math.min(this.shortestInterval, everyMs)
      this.longestInterval = Math.min(this.longestInterval, atLeastEveryMs)
      const ageMs = this.maxAge(everyMs)
      if (ageMs > this.reportedLateMs) this.lateMs = Math.min(this.lateMs, ageMs)
    }
    this.lateAt = this.price === undefined ? NEVER : this.at + this.lateMs + 1
  }

  stretch({ stretch, atLeastStretch }: Pick<Stretch, 'stretch' | 'atLeastStretch'>): void {
    this.intervalMs = Math.min(this.shortestInterval * stretch, this.longestInterval * atLeastStretch)
  }

  /** Somebody gets a price for it. */
  await(now: number): void {
    this.askedAt = now
    this.#purchases++
  }

  /** A purchase of it has ended. */
  release(): void {
    this.#purchases = Math.max(0, this.#purchases - 1)
    if (this.#purchases === 0) this.askedAt = this.#knownAskedAt
  }

  deliver(known: KnownPrice, now: number): void {
    const { price, at, requestedAt, askedAt = at } = known
    // An answer may overtake the one before it.
    if (askedAt >= this.#knownAskedAt) {
      Object.assign(this, { price, at, requestedAt })
      this.#knownAskedAt = askedAt
    }
    this.release()
    this.reportedLateMs = Math.ceil(now - this.at) - 1
    this.#maybeChargedAt = LONG_AGO
    this.failingSince = NEVER
    this.#update()
  }

  /**
   * A request that was decided at `decidedAt` has failed.
   * @param maybeChargedAt when it may have been charged and returned nothing: the next one waits for the interval
   */
  fail(decidedAt: number, maybeChargedAt = this.#maybeChargedAt): void {
    this.release()
    this.failingSince = Math.min(this.failingSince, decidedAt)
    this.#maybeChargedAt = maybeChargedAt
  }

  /**
   * Whether a request that may have been charged need not be waited for any longer, because the service answers again. Once per interval:
   * this address may fail each time while others succeed, and one that fails alone does so whether others succeed or not.
   */
  forgiveCharge(): boolean {
    const chargedAt = this.#maybeChargedAt
    if (this.retries.failures > 0 || chargedAt === LONG_AGO || chargedAt - this.#forgivenAt < this.intervalMs)
      return false
    this.#forgivenAt = chargedAt
    this.#maybeChargedAt = LONG_AGO
    return true
  }

  /** It may be why a request failed: it is requested apart from now on, or, without a group, no longer. */
  suspect(group: SuspectGroup | undefined): void {
    this.suspectGroup = group
    this.retries.failures = 0
  }

  /** A copy, because subscribers may come or go while they are called. */
  subscribers(): readonly Subscriber[] {
    // Spreading two sets into one array takes several times as long as one.
    const { requesters, watchers } = this
    return requesters.size === 0 ? [...watchers] : [...requesters, ...watchers]
  }
}

export type Prices = readonly TrackedPrice[]

/** A purchase of each of these has ended. */
export function release(prices: Prices): void {
  for (const tracked of prices) tracked.release()
}

/** Beyond this number of addresses, those that nobody wants are dropped, oldest first. */
const MAX_ADDRESSES = 10_000

export class PriceTable {
  readonly #entries = new Map<string, TrackedPrice>()
  #trimAt = MAX_ADDRESSES

  open(addresses: Iterable<string>): TrackedPrice[] {
    // Before, because nobody wants the new entries yet.
    if (this.#entries.size > this.#trimAt) this.#trim()
    return Array.from(addresses, (address) => {
      const tracked = this.#entries.get(address) ?? new TrackedPrice(address)
      this.#entries.set(address, tracked)
      return tracked
    })
  }

  find(address: string): TrackedPrice | undefined {
    return this.#entries.get(address)
  }

  #trim(): void {
    for (const [address, tracked] of this.#entries) {
      if (this.#entries.size <= MAX_ADDRESSES) break
      if (!tracked.isWanted && !tracked.inFlight) this.#entries.delete(address)
    }
    // Entries that are wanted stay, and are not looked through again for each new one.
    this.#trimAt = Math.max(MAX_ADDRESSES, 2 * this.#entries.size)
  }
}

/** What is known of an address, under the spelling of the caller; undefined while nothing is known. */
export function toFeedPrice(
  { price, at, requestedAt }: Pick<TrackedPrice, 'price' | 'at' | 'requestedAt'>,
  spelling: string,
  now: number,
  stale: boolean,
): FeedPrice | undefined {
  if (price === undefined) return undefined
  const known = {
    address: spelling,
    usd: price?.usd ?? null,
    etn: price?.etn ?? null,
    at: requestedAt,
    ageMs: Math.floor(now - at),
    stale,
  }
  const result: Record<string, unknown> & FeedPrice = known
  // A spread of an object made by JSON.parse is about 20 times slower, and this runs for each price and watcher.
  for (const field in price) if (!(field in result)) result[field] = price[field as keyof TokenPrice]
  return result
}

/** What is shown under each spelling: the same object until the price or its `stale` changes, so that React can compare snapshots. */
export class PriceSnapshots {
  readonly #shown = new Map<string, { readonly price: FeedPrice; readonly at: number }>()

  show(known: Parameters<typeof toFeedPrice>[0], spelling: string, now: number, stale: boolean): FeedPrice | undefined {
    const last = this.#shown.get(spelling)
    if (last?.at === known.at && last.price.stale === stale) return last.price
    const price = toFeedPrice(known, spelling, now, stale)
    if (price) this.#shown.set(spelling, { price, at: known.at })
    return price
  }
}

/** An answer that takes longer has waited while the machine slept. */
export const MAX_LATENCY_MS = 60_000

/** Whether a price of an age is stale: whoever shows one asks here. */
export const isStale = (ageMs: number, maxAgeMs: number): boolean => ageMs > maxAgeMs

/** A price that is bought in time still has to arrive. */
export const ON_ITS_WAY_MS = 2_000

/** The age at which a price of a stream is stale: it comes at the pace of the stream, also to somebody who wants it more often. */
export const streamedAge = (everyMs: number, paceMs: number): number => Math.max(everyMs, paceMs) + ON_ITS_WAY_MS
