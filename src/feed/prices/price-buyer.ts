import { LightAbortController } from '../../concurrency/cancellation.ts'
import { Semaphore } from '../../concurrency/semaphore.ts'
import type { Reservation } from '../../credits/budget.ts'
import { maxAffordable, requestCredits, splitIntoRequests } from '../../credits/cheapest-requests.ts'
import { releaseReservation } from '../../credits/joint-budget.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedContext } from '../context.ts'
import { creditsChargedBy, type Failure, isAboutAddresses, isOverBudget, mayBeCausedByAnAddress } from '../failures.ts'
import { type BoughtPrices, buyPrices } from '../requests/send.ts'
import type { SharedPrices } from './shared-prices.ts'
import {
  type KnownPrice,
  MAX_LATENCY_MS,
  release,
  type Subscriber,
  type SuspectGroup,
  type TrackedPrice,
} from './tracked-price.ts'

/** Maximum number of requests in flight: 2,000 addresses that start together need 40. */
const MAX_REQUESTS = 10
const MIN_TTL_MS = 3_600_000

type Prices = readonly TrackedPrice[]

/** Gets prices from the store, else from the service, and delivers them or the failure to the subscribers. */
export class PriceBuyer {
  readonly #context: FeedContext
  readonly #loadShared: (() => Promise<SharedPrices | undefined>) | undefined
  #shared: SharedPrices | undefined
  readonly #isolation: Isolation
  readonly #semaphore = new Semaphore(MAX_REQUESTS)
  /** Requests that wait for a cool-down or for their answer, with what takes them back. */
  readonly #requests = new Map<Prices, LightAbortController>()

  /** @param loadShared loads what other processes buy, too; undefined without a store */
  constructor(context: FeedContext, loadShared: (() => Promise<SharedPrices | undefined>) | undefined) {
    this.#context = context
    this.#loadShared = loadShared
    this.#isolation = new Isolation(context)
  }

  /**
   * Never rejects: each address ends with a price, with a failure, or released where it is not bought.
   * @param due addresses that need a price now
   * @param early addresses that are bought too, if a request is made at all
   */
  async buy(due: Prices, early: Prices): Promise<void> {
    const { clock, dailyBudget } = this.#context
    const prices = [...due, ...early]
    const decidedAt = clock.now()
    for (const tracked of prices) tracked.await(decidedAt)
    try {
      // Before the store is read, because a stretched interval accepts older prices.
      const loading = dailyBudget.load()
      if (loading) {
        await loading
        this.#context.schedule.loaded()
      }
      this.#shared ??= await this.#loadShared?.()
      if (this.#shared) await this.#shared.buy(due, early, decidedAt)
      else await this.buyAll(prices, decidedAt)
    } catch (error) {
      // The feed was closed while requests waited for a slot.
      const waiting = prices.filter(({ inFlight }) => inFlight)
      this.#refuse(waiting, error, decidedAt)
    }
  }

  /** Fails the callers whose price requests do not fit, each as a whole, in the order in which they came. Returns what may be bought. */
  admit(prices: Prices): Prices {
    // The store may have their prices for free.
    return this.#loadShared ? prices : this.#refuseCallers(prices)
  }

  #refuseCallers(prices: Prices): Prices {
    const asked = new Map<Subscriber, TrackedPrice[]>()
    for (const tracked of prices)
      for (const caller of tracked.requesters) asked.set(caller, [...(asked.get(caller) ?? []), tracked])
    let fitting = new Set<TrackedPrice>()
    for (const [caller, ofCaller] of asked) {
      // What is watched, too, is bought with the share of the watches.
      const together = new Set([...fitting, ...ofCaller.filter(({ watchers }) => watchers.size === 0)])
      const error = together.size > fitting.size ? this.#context.dailyBudget.shortageFor(together.size) : undefined
      if (error === undefined) fitting = together
      else for (const tracked of ofCaller) caller.onFailure(tracked, refusal(error))
    }
    const wanted = prices.filter(({ isWanted }) => isWanted)
    release(prices.filter(({ isWanted }) => !isWanted))
    return wanted
  }

  /** Fails what would use what others have first. Returns what may be bought. */
  #refuseShares(prices: Prices): Prices {
    const asked = this.#refuseCallers(prices)
    const { refused, error } = this.#context.dailyBudget.refuse(asked) ?? {}
    if (refused === undefined) return asked
    // Watches wait for their interval.
    this.#refuse([...refused], error, this.#context.clock.now(), true)
    return asked.filter((tracked) => !refused.has(tracked))
  }

  /** Delivers a price that nobody had to buy, or one that was bought. */
  deliver(tracked: TrackedPrice, known: KnownPrice): void {
    tracked.deliver(known)
    this.#context.schedule.delivered(tracked)
    for (const subscriber of tracked.subscribers()) subscriber.onPrice(tracked)
    this.#context.notify()
  }

  /** Takes requests back that have not left and that nobody wants any longer. */
  withdraw(): void {
    for (const [prices, stop] of this.#requests)
      if (!prices.some(({ isWanted }) => isWanted)) stop.abort(new Error('Nobody wants the prices.'))
  }

  /** Buys from the service what the caller has the right to buy. */
  async buyAll(prices: Prices, decidedAt: number): Promise<void> {
    const toBuy = this.#refuseShares(prices)
    // What does not fit the budget goes last, so that the rest is still bought.
    const fitting = maxAffordable(this.#context.dailyBudget.available, toBuy.length)
    const requests = [toBuy.slice(0, fitting), toBuy.slice(fitting)].flatMap((part) => this.#isolation.split(part))
    await Promise.all(requests.map((prices) => this.#request(prices, decidedAt)))
  }

  async #request(wanted: Prices, decidedAt: number): Promise<void> {
    const { send, clock, backoff, lifetime, dailyBudget } = this.#context
    const stop = new LightAbortController()
    let prices = wanted
    let sentAt = decidedAt
    let releaseSlot = () => {}
    let reserving: Reservation | Promise<Reservation> | undefined
    try {
      // Before it waits for a slot, so that nobody takes what the rest of a purchase needs.
      reserving = dailyBudget.budget.reserve(requestCredits(wanted.length), { operation: operationFor(wanted) })
      const reservation = await reserving
      releaseSlot = await this.#semaphore.acquire(lifetime)
      prices = wanted.filter(({ isWanted }) => isWanted)
      release(wanted.filter(({ isWanted }) => !isWanted))
      sentAt = clock.now()
      if (prices.length === 0) return
      // A request failed while this one waited for its slot: it waits, too, unless for credits, which it has.
      const { failure } = backoff
      if (failure && failure.waitMs > 0 && !isOverBudget(failure.error)) return this.fail(prices, failure, decidedAt)
      this.#requests.set(prices, stop)
      const addresses = prices.map(({ address }) => address)
      const bought = await buyPrices(send, addresses, { signal: lifetime, stop, reservation })
      this.#recordSuccess(prices, bought, sentAt, decidedAt)
    } catch (error) {
      if (lifetime.aborted) return this.#refuse(prices, lifetime.reason, decidedAt)
      const isTakenBack = stop.aborted && error === stop.reason
      const failed = isTakenBack ? undefined : this.#isolation.recordFailure(prices, error, sentAt, decidedAt)
      if (failed) return this.fail(prices, failed, decidedAt)
      // Nothing was sent, or the parts of the batch are requested now. Somebody may want the prices again.
      release(prices)
      for (const tracked of prices) this.#context.schedule.failed(tracked, undefined)
    } finally {
      this.#requests.delete(prices)
      releaseSlot()
      releaseReservation(reserving)
    }
  }

  #recordSuccess(prices: Prices, bought: BoughtPrices, sentAt: number, decidedAt: number): void {
    const { clock, dailyBudget, backoff, emit } = this.#context
    const { credits, isUnknown = false, cachedForMs = 0 } = bought
    if (prices.some(({ watchers, paceMs }) => watchers.size === 0 || paceMs > 0)) dailyBudget.recordUnplanned(credits)
    // The first request after a failure may have waited in the client, which is not latency.
    const tookMs = clock.now() - decidedAt
    if (backoff.state === 'none' && tookMs < MAX_LATENCY_MS) this.#context.schedule.recordLatency(tookMs)
    if (backoff.recordSuccess(sentAt)) this.#context.schedule.recovered()
    emit({
      type: 'feed.bought',
      operation: operationFor(prices),
      addresses: prices.map(({ address }) => address),
      credits,
    })
    this.#isolation.recordSuccess(prices, isUnknown)
    const at = sentAt - cachedForMs
    const requestedAt = clock.toUnix(at)
    for (const tracked of prices) {
      const price = bought.prices.get(tracked.address)
      if (price === undefined) {
        this.#refuse([tracked], bought.error, sentAt, true)
        continue
      }
      const known = { price, at, requestedAt, askedAt: sentAt }
      this.deliver(tracked, known)
      this.#shared?.write(tracked.address, known, storeTtlOf(tracked, dailyBudget.stretch))
    }
  }

  fail(prices: Prices, failure: Failure, decidedAt = this.#context.clock.now()): void {
    for (const tracked of prices) {
      tracked.fail(decidedAt, failure.maybeCharged ? this.#context.clock.now() : undefined)
      this.#context.schedule.failed(tracked, failure)
      for (const subscriber of tracked.subscribers()) subscriber.onFailure(tracked, failure)
    }
  }

  #refuse(prices: Prices, error: unknown, decidedAt: number, maybeCharged = false): void {
    this.fail(prices, { ...refusal(error), maybeCharged }, decidedAt)
  }
}

const refusal = (error: unknown): Failure => ({ error, waitMs: 0, transient: false, maybeCharged: false })
const operationFor = ({ length }: Prices) => (length === 1 ? 'token.price' : 'prices.batch')

/** The age at which no watcher has a use for a price; an hour at least. */
function storeTtlOf({ watchers }: TrackedPrice, stretch: number): number {
  let ttlMs = MIN_TTL_MS
  for (const { everyMs } of watchers.items()) ttlMs = Math.max(ttlMs, Math.ceil(everyMs * stretch))
  return ttlMs
}

/**
 * What the failures of a search may cost, over the batch that failed first. To find one of 50 addresses takes 1.9 times its cost. Without a
 * limit, a service that charges for answers that nobody can read would be paid for every part of every batch.
 */
const MAX_SEARCH_COST = 2
/** While everything fails, one batch is split at the first failure, and again after so many: it may be an address after all. */
const FAILURES_PER_SEARCH = 8
/** Beyond this number of refusals in a row, the service refuses everything. */
const MAX_REFUSALS = 12
const MIN_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000

/**
 * Finds the address that makes batches fail. A batch that fails is split in two for its next attempt, until one address is left
 * that fails alone. That address then has a backoff of its own.
 */
class Isolation {
  readonly #context: FeedContext
  #succeededAt = Number.NEGATIVE_INFINITY
  #refusals = 0

  constructor(context: FeedContext) {
    this.#context = context
  }

  /** Splits addresses into requests, with addresses under suspicion in requests of their own. */
  split(prices: Prices): TrackedPrice[][] {
    const suspects = new Map<SuspectGroup, TrackedPrice[]>()
    const healthy: TrackedPrice[] = []
    for (const tracked of prices) {
      const { suspectGroup } = tracked
      if (suspectGroup === undefined) healthy.push(tracked)
      else suspects.set(suspectGroup, [...(suspects.get(suspectGroup) ?? []), tracked])
    }
    return [...splitIntoRequests(healthy), ...suspects.values()]
  }

  /** @param isUnknown whether the service answered that it does not know the token: if it refused a batch with it, it would again */
  recordSuccess(prices: Prices, isUnknown: boolean): void {
    this.#succeededAt = this.#context.clock.now()
    this.#refusals = 0
    for (const tracked of prices) if (!(isUnknown && tracked.suspectGroup?.search.isRefused)) tracked.suspect(undefined)
  }

  /**
   * Returns when the addresses are requested again, and why they have no price. Undefined for a batch that was refused: that is free, so its
   * parts are requested at once, and nobody has to know.
   */
  recordFailure(prices: Prices, error: unknown, sentAt: number, decidedAt: number): Failure | undefined {
    const isSearchOver = this.#payForSearch(prices, error)
    const isRefused = isAboutAddresses(error)
    let isSplit = false
    const [first] = prices
    if (first && mayBeCausedByAnAddress(error) && !(isRefused && this.#isAlwaysRefused())) {
      const failingSince = Math.min(decidedAt, ...prices.map((tracked) => tracked.failingSince))
      // Without a success the service may be down: then smaller requests only cost more, except for one attempt. A refusal is free.
      const othersSucceed = isRefused || this.#succeededAt >= failingSince
      const { failures } = this.#context.backoff
      const isTurn = failures === 0 || (error.charge === 'none' && failures % FAILURES_PER_SEARCH === 0)
      const isFirst = error.charge !== 'unknown' && first.suspectGroup === undefined && isTurn
      isSplit = prices.length > 1 && (othersSucceed || isFirst)
      if (isSplit) this.#halve(prices, isRefused)
      // Both halves fail, and nothing succeeds: it is not about an address.
      else if (!othersSucceed) for (const tracked of prices) tracked.suspect(undefined, tracked.failures)
      else return this.#isolate(first, error, isRefused)
      if (isSplit && isRefused) return undefined
    }
    const failure = this.#context.backoff.recordFailure(error, sentAt)
    // The parts are requested at once, also if the failure was charged: otherwise each halving would take an interval.
    return { ...failure, maybeCharged: isSearchOver || (failure.maybeCharged && !isSplit) }
  }

  #isAlwaysRefused(): boolean {
    this.#refusals = this.#refusals === MAX_REFUSALS ? 0 : this.#refusals + 1
    return this.#refusals === 0
  }

  /** Counts what a failure may have been charged. Returns whether the search for the address has to wait for the interval. */
  #payForSearch(prices: Prices, error: unknown): boolean {
    const search = prices[0]?.suspectGroup?.search
    if (search === undefined || creditsChargedBy(error) === 0) return false
    search.left -= requestCredits(prices.length)
    if (search.left >= 0) return false
    search.left = this.#searchCredits(prices)
    return true
  }

  #searchCredits({ length }: Prices): number {
    return Math.max(0, MAX_SEARCH_COST - this.#context.backoff.failures) * requestCredits(length)
  }

  #newGroup(prices: Prices, isRefused: boolean): SuspectGroup {
    return { search: { left: this.#searchCredits(prices), isRefused } }
  }

  #halve(prices: Prices, isRefused: boolean): void {
    const { search } = prices[0]?.suspectGroup ?? this.#newGroup(prices, isRefused)
    const half = Math.ceil(prices.length / 2)
    for (const part of [...splitIntoRequests(prices.slice(0, half)), ...splitIntoRequests(prices.slice(half))]) {
      const group = { search }
      for (const tracked of part) tracked.suspect(group)
    }
  }

  #isolate(tracked: TrackedPrice, error: EtnMarketError, isRefused: boolean): Failure {
    const { clock, emit } = this.#context
    const { address, failures, watchers, intervalMs } = tracked
    const isCharged = error.charge !== 'none'
    const backoff = isRefused ? MAX_RETRY_MS : exponentialBackoff(failures, MIN_RETRY_MS, MAX_RETRY_MS)
    const waitMs = isCharged && watchers.size > 0 ? Math.max(backoff, intervalMs) : backoff
    tracked.suspect(tracked.suspectGroup ?? this.#newGroup([tracked], isRefused), failures + 1)
    if (failures === 0)
      emit({ type: 'feed.isolated', address, code: error.code, retryAt: clock.toUnix(clock.now() + waitMs) })
    return { error, waitMs, transient: !isCharged && !isRefused, maybeCharged: isCharged }
  }
}
