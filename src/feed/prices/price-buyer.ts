import { LightAbortController } from '../../concurrency/cancellation.ts'
import { sleep } from '../../concurrency/clock.ts'
import { Semaphore } from '../../concurrency/semaphore.ts'
import { maxAffordable } from '../../credits/cheapest-requests.ts'
import type { FeedContext } from '../context.ts'
import type { Failure } from '../failures.ts'
import { type BoughtPrices, buyPrices } from '../requests/send.ts'
import { Isolation } from './isolation.ts'
import type { SharedPrices } from './shared-prices.ts'
import type { KnownPrice, TrackedPrice } from './tracked-price.ts'

/** Maximum number of requests in flight: 2,000 addresses that start together need 40. */
const MAX_REQUESTS = 10
const MIN_TTL_MS = 3_600_000
/** How often the store is read while another process buys a price. */
const POLL_MS = 200

type Prices = readonly TrackedPrice[]

/** Gets prices from the store, else from the service, and delivers them or the failure to the subscribers. */
export class PriceBuyer {
  readonly #context: FeedContext
  readonly #shared: SharedPrices | undefined
  readonly #isolation: Isolation
  readonly #semaphore = new Semaphore(MAX_REQUESTS)
  /** Requests that wait for a cool-down or for their answer, with what takes them back. */
  readonly #requests = new Map<Prices, LightAbortController>()

  /** @param shared what other processes buy, too; undefined without a store */
  constructor(context: FeedContext, shared: SharedPrices | undefined) {
    this.#context = context
    this.#shared = shared
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
      if (this.#shared) await this.#buyMissing(this.#shared, due, early, decidedAt)
      else await this.#buyAll(this.#refuseRequests(prices), decidedAt)
    } catch (error) {
      // The feed was closed while requests waited for a slot.
      const waiting = prices.filter(({ inFlight }) => inFlight)
      this.#refuse(waiting, error, decidedAt)
    }
  }

  /** Fails the price requests that do not fit the budget beside the watches. Returns the rest. */
  admit(requested: Prices): Prices {
    // The store may have their prices for free.
    return this.#shared ? requested : this.#refuseRequests(requested)
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

  /** Buys what the store does not have and no other process is buying, and waits for the store to have the rest. */
  async #buyMissing(shared: SharedPrices, due: Prices, early: Prices, decidedAt: number): Promise<void> {
    const { clock, lifetime } = this.#context
    const missing = await this.#readStore(shared, [...due, ...early])
    const isEarly = new Set(early)
    // Early addresses alone are no reason for a request, unless somebody has requested one of them meanwhile.
    const isRequired = (tracked: TrackedPrice) => !isEarly.has(tracked) || tracked.requesters.size > 0
    if (!missing.some((tracked) => isRequired(tracked) && tracked.isWanted)) return release(missing)
    const toBuy = this.#refuseRequests(missing)
    const whileHeld = (prices: Prices, work: () => Promise<void>) => work().finally(shared.hold(prices))
    const mine = await shared.acquire(toBuy.filter(isRequired))
    const rest = toBuy.filter((tracked) => !isRequired(tracked))
    const mineToo = mine.length === 0 ? [] : await shared.acquire(rest)
    release(rest.filter((tracked) => !mineToo.includes(tracked)))
    const leased = [...mine, ...mineToo]
    const bought = whileHeld(leased, () => this.#buyAll(leased, decidedAt))
    // It rejects when the feed closes, perhaps while the others are read.
    bought.catch(() => {})
    let others = toBuy.filter((tracked) => isRequired(tracked) && !mine.includes(tracked))
    while (others.length > 0) {
      // Not all at the moment at which a lease ends: the first one to see it buys for all.
      await sleep(clock, POLL_MS * (1 + clock.random()), lifetime)
      const unknown = await this.#readStore(shared, others)
      const free = await shared.acquire(unknown)
      others = unknown.filter((tracked) => !free.includes(tracked))
      // The process that held the lease may have written the price before it released the lease.
      if (free.length > 0)
        await whileHeld(free, async () => this.#buyAll(await this.#readStore(shared, free), decidedAt))
    }
    await bought
  }

  /** Delivers what the store has, and returns the rest. */
  async #readStore(shared: SharedPrices, prices: Prices): Promise<Prices> {
    const found = await Promise.all(prices.map(({ address }) => shared.read(address)))
    return prices.filter((tracked, index) => {
      const known = found[index]
      if (known === undefined || known.at <= tracked.at) return true
      if (this.#context.clock.now() - known.at >= maxAgeOf(tracked)) return true
      this.deliver(tracked, known)
      return false
    })
  }

  async #buyAll(toBuy: Prices, decidedAt: number): Promise<void> {
    // What does not fit the budget goes last, so that the rest is still bought.
    const fitting = maxAffordable(this.#context.dailyBudget.available, toBuy.length)
    const requests = [toBuy.slice(0, fitting), toBuy.slice(fitting)].flatMap((part) => this.#isolation.split(part))
    await Promise.all(requests.map((prices) => this.#request(prices, decidedAt)))
  }

  async #request(wanted: Prices, decidedAt: number): Promise<void> {
    const { send, clock, backoff, lifetime } = this.#context
    const releaseSlot = await this.#semaphore.acquire(lifetime)
    const prices = wanted.filter(({ isWanted }) => isWanted)
    release(wanted.filter(({ isWanted }) => !isWanted))
    const stop = new LightAbortController()
    const sentAt = clock.now()
    try {
      if (prices.length === 0) return
      // A request failed while this one waited for its slot: it waits for the same backoff.
      if (sentAt < backoff.until && backoff.failure)
        return this.#fail(prices, { ...backoff.failure, maybeCharged: false }, decidedAt)
      this.#requests.set(prices, stop)
      const addresses = prices.map(({ address }) => address)
      this.#recordSuccess(prices, await buyPrices(send, addresses, { signal: lifetime, stop }), sentAt, decidedAt)
    } catch (error) {
      if (lifetime.aborted) return this.#refuse(prices, lifetime.reason, decidedAt)
      const isTakenBack = stop.aborted && error === stop.reason
      const failure = isTakenBack ? undefined : this.#isolation.recordFailure(prices, error, sentAt, decidedAt)
      if (failure) return this.#fail(prices, failure, decidedAt)
      // Nothing was sent, or the parts of the batch are requested now. Somebody may want the prices again.
      release(prices)
      for (const tracked of prices) this.#context.schedule.failed(tracked, undefined)
    } finally {
      this.#requests.delete(prices)
      releaseSlot()
    }
  }

  #recordSuccess(prices: Prices, bought: BoughtPrices, sentAt: number, decidedAt: number): void {
    const { clock, dailyBudget, backoff, emit } = this.#context
    const { credits, isUnknown = false } = bought
    if (prices.some(({ watchers, paceMs }) => watchers.size === 0 || paceMs > 0)) dailyBudget.recordUnplanned(credits)
    // The first request after a failure may have waited in the client, which is not latency.
    if (backoff.state === 'none') this.#context.schedule.recordLatency(clock.now() - decidedAt)
    if (backoff.recordSuccess(sentAt)) this.#context.schedule.recovered()
    const operation = prices.length === 1 ? 'token.price' : 'prices.batch'
    emit({ type: 'feed.bought', operation, addresses: prices.map(({ address }) => address), credits })
    this.#isolation.recordSuccess(prices, isUnknown)
    const requestedAt = clock.toUnix(sentAt)
    for (const tracked of prices) {
      const price = bought.prices.get(tracked.address)
      if (price === undefined) {
        this.#refuse([tracked], bought.error, sentAt, true)
        continue
      }
      const known = { price, at: sentAt, requestedAt }
      this.deliver(tracked, known)
      this.#shared?.write(tracked.address, known, storeTtlOf(tracked, dailyBudget.stretch))
    }
  }

  #fail(prices: Prices, failure: Failure, decidedAt: number): void {
    for (const tracked of prices) {
      tracked.fail(decidedAt)
      if (failure.maybeCharged) tracked.chargeInVain(this.#context.clock.now())
      this.#context.schedule.failed(tracked, failure)
      for (const subscriber of tracked.subscribers()) subscriber.onFailure(tracked, failure)
    }
  }

  #refuse(prices: Prices, error: unknown, decidedAt: number, maybeCharged = false): void {
    this.#fail(prices, { error, waitMs: 0, transient: false, maybeCharged }, decidedAt)
  }

  /** Fails the price requests that would use the share of the watches. Returns the addresses that may be bought. */
  #refuseRequests(prices: Prices): Prices {
    const refusal = this.#context.dailyBudget.refuse(prices)
    if (refusal === undefined) return prices
    // Watches wait for their interval.
    this.#refuse([...refusal.refused], refusal.error, this.#context.clock.now(), true)
    return prices.filter((tracked) => !refusal.refused.has(tracked))
  }
}

function release(prices: Prices): void {
  for (const tracked of prices) tracked.release()
}

/** The age that satisfies every subscriber of an address. */
function maxAgeOf({ intervalMs, requesters }: TrackedPrice): number {
  let maxAgeMs = intervalMs
  for (const { everyMs } of requesters) maxAgeMs = Math.min(maxAgeMs, everyMs)
  return maxAgeMs
}

/** The age at which no watcher has a use for a price; an hour at least. */
function storeTtlOf({ watchers }: TrackedPrice, stretch: number): number {
  let ttlMs = MIN_TTL_MS
  for (const { everyMs } of watchers.items()) ttlMs = Math.max(ttlMs, Math.ceil(everyMs * stretch))
  return ttlMs
}
