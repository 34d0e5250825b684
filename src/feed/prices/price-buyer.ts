import { LightAbortController } from '../../concurrency/cancellation.ts'
import { Semaphore } from '../../concurrency/semaphore.ts'
import type { Reservation } from '../../credits/budget.ts'
import { maxAffordable, requestCredits } from '../../credits/cheapest-requests.ts'
import { releaseReservation, type SpendingLimit } from '../../credits/joint-budget.ts'
import { type Failure, isOverBudget } from '../failures.ts'
import type { FeedContext } from '../feed.ts'
import { type BoughtPrices, buyPrices } from '../requests/send.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { Isolation } from './isolation.ts'
import type { SharedPrices } from './shared-prices.ts'
import {
  type KnownPrice,
  MAX_LATENCY_MS,
  type Prices,
  release,
  type Subscriber,
  type TrackedPrice,
} from './tracked-price.ts'

/** Maximum number of requests in flight: 2,000 addresses that start together need 40. */
const MAX_REQUESTS = 10

export type BuyingFeed = Pick<FeedContext, 'clock' | 'dailyBudget' | 'send' | 'backoff' | 'lifetime' | 'emit'>

/** Decides what is bought next, and when, and tells subscribers what has arrived. */
type PurchasePlanner = Pick<Schedule, 'deliver' | 'fail' | 'retry' | 'recordLatency' | 'recovered'>

/** Gets prices from the store, else from the service, and delivers them or the failure to the subscribers. */
export class PriceBuyer {
  readonly #context: BuyingFeed
  readonly #planner: PurchasePlanner
  readonly #shared: SharedPrices | undefined
  readonly #isolation: Isolation
  readonly #semaphore = new Semaphore(MAX_REQUESTS)
  /** Requests that wait for a cool-down or for their answer, with what takes them back. */
  readonly #requests = new Map<Prices, LightAbortController>()

  /** @param shared what other processes buy, too; undefined without a store */
  constructor(context: BuyingFeed, planner: PurchasePlanner, shared: SharedPrices | undefined) {
    this.#context = context
    this.#planner = planner
    this.#shared = shared
    this.#isolation = new Isolation(context)
  }

  /**
   * Never rejects: each address ends with a price, with a failure, or released where it is not bought.
   * @param due addresses that need a price now
   * @param early addresses that are bought too, if a request is made at all
   */
  async buy(due: Prices, early: Prices, decidedAt: number): Promise<void> {
    const prices = [...due, ...early]
    for (const tracked of prices) tracked.await(decidedAt)
    const buy = (missing: Prices) => this.#buyAll(missing, decidedAt)
    const deliver = (tracked: TrackedPrice, known: KnownPrice) => this.#planner.deliver(tracked, known)
    try {
      await (this.#shared ? this.#shared.buy(due, early, { buy, deliver }) : buy(prices))
    } catch (error) {
      // The feed was closed while requests waited for a slot.
      const waiting = prices.filter(({ inFlight }) => inFlight)
      this.#refuse(waiting, error, decidedAt)
    }
  }

  /** The look-ups that may be bought, as far as that is known before the store is read, which may have their prices for free. */
  admit(prices: Prices): Prices {
    if (!this.#shared) this.#refuseCallers(prices)
    return prices.filter(({ isWanted }) => isWanted)
  }

  /** Fails the callers whose price requests do not fit, each as a whole, in the order in which they came. */
  #refuseCallers(prices: Prices): void {
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
  }

  /** Fails what would use what others have first. Returns what may be bought. */
  #refuseShares(prices: Prices): Prices {
    this.#refuseCallers(prices)
    const asked = keepWanted(prices)
    const { refused, error } = this.#context.dailyBudget.refuse(asked) ?? {}
    if (refused === undefined) return asked
    // Watches wait for their interval.
    this.#refuse([...refused], error, this.#context.clock.now(), true)
    return asked.filter((tracked) => !refused.has(tracked))
  }

  /** Takes requests back that have not left and that nobody wants any longer. */
  withdraw(): void {
    for (const [prices, stop] of this.#requests)
      if (!prices.some(({ isWanted }) => isWanted)) stop.abort(new Error('Nobody wants the prices.'))
  }

  /** Buys from the service what the caller has the right to buy. */
  async #buyAll(prices: Prices, decidedAt: number): Promise<void> {
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
      prices = keepWanted(wanted)
      sentAt = clock.now()
      if (prices.length === 0) return
      // A request failed while this one waited for its slot: it waits, too, unless for credits, which it has.
      const { failure } = backoff
      if (failure && failure.waitMs > 0 && !isOverBudget(failure.error)) return this.#fail(prices, failure, decidedAt)
      this.#requests.set(prices, stop)
      const addresses = prices.map(({ address }) => address)
      const reserve: SpendingLimit['reserve'] = (...needed) => {
        const isTaken = reserving === undefined
        // It is the call's from then on, which may be read to its end when the feed is closed. One that starts anew has used it up.
        reserving = undefined
        return isTaken ? dailyBudget.budget.reserve(...needed) : reservation
      }
      const bought = await buyPrices(send, addresses, { signal: lifetime, stop, limit: { check() {}, reserve } })
      this.#recordSuccess(prices, bought, sentAt, decidedAt)
    } catch (error) {
      if (lifetime.aborted) return this.#refuse(prices, lifetime.reason, decidedAt)
      const isTakenBack = stop.aborted && error === stop.reason
      const failed = isTakenBack ? undefined : this.#isolation.recordFailure(prices, error, sentAt, decidedAt)
      if (failed) return this.#fail(prices, failed, decidedAt)
      // Nothing was sent, or the parts of the batch are requested now. Somebody may want the prices again.
      release(prices)
      for (const tracked of prices) this.#planner.retry(tracked)
    } finally {
      this.#requests.delete(prices)
      releaseSlot()
      void releaseReservation(reserving)
    }
  }

  #recordSuccess(prices: Prices, bought: BoughtPrices, sentAt: number, decidedAt: number): void {
    const { clock, dailyBudget, backoff, emit } = this.#context
    const { credits, isUnknown = false, cachedForMs = 0, sharedForMs = 0 } = bought
    if (prices.some(({ watchers, paceMs }) => watchers.size === 0 || paceMs > 0)) dailyBudget.recordUnplanned(credits)
    // The first request after a failure may have waited in the client, which is not latency.
    const tookMs = clock.now() - decidedAt
    if (backoff.state === 'none' && tookMs < MAX_LATENCY_MS) this.#planner.recordLatency(tookMs)
    if (backoff.recordSuccess(sentAt)) this.#planner.recovered()
    emit({
      type: 'feed.bought',
      operation: operationFor(prices),
      addresses: prices.map(({ address }) => address),
      credits,
    })
    this.#isolation.recordSuccess(prices, isUnknown)
    const at = sentAt - sharedForMs - cachedForMs
    const requestedAt = clock.toUnix(at)
    for (const tracked of prices) {
      const price = bought.prices.get(tracked.address)
      if (price === undefined) {
        this.#refuse([tracked], bought.error, sentAt, true)
        continue
      }
      const known = { price, at, requestedAt, askedAt: sentAt - sharedForMs }
      this.#planner.deliver(tracked, known)
      this.#shared?.write(tracked, known)
    }
  }

  #fail(prices: Prices, failure: Failure, decidedAt: number): void {
    for (const tracked of prices) this.#planner.fail(tracked, failure, decidedAt)
  }

  #refuse(prices: Prices, error: unknown, decidedAt: number, maybeCharged = false): void {
    this.#fail(prices, { ...refusal(error), maybeCharged }, decidedAt)
  }
}

/** Returns what somebody wants, and releases the rest. */
function keepWanted(prices: Prices): Prices {
  const wanted: TrackedPrice[] = []
  for (const tracked of prices) {
    if (tracked.isWanted) wanted.push(tracked)
    else tracked.release()
  }
  return wanted
}

const refusal = (error: unknown): Failure => ({ error, waitMs: 0, transient: false, maybeCharged: false })
const operationFor = ({ length }: Prices) => (length === 1 ? 'token.price' : 'prices.batch')
