import { LightAbortController } from '../../concurrency/cancellation.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { maxAffordable } from '../../credits/batch-cost.ts'
import type { FeedEvent } from '../events.ts'
import type { Failure } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { Backoff } from '../requests/backoff.ts'
import type { FeedClient } from '../types.ts'
import { type BoughtPrices, buyPrices } from './buy-prices.ts'
import type { DailyBudget } from './daily-budget.ts'
import { createIsolation } from './isolation.ts'
import type { PriceStore, StoredPrice } from './price-store.ts'
import {
  chargeForgotten,
  delivered,
  failed,
  isWanted,
  maybeCharged,
  released,
  subscribersOf,
  type TrackedPrice,
} from './tracked-price.ts'

export interface PriceBuyerParts {
  readonly client: FeedClient
  readonly clock: FeedClock
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly store: PriceStore | undefined
  readonly signal: AbortSignal
  emit(event: FeedEvent): void
  /** Sets credits of the watches aside for more requests than they need; false if they cannot pay. */
  reserveExtra(credits: number): boolean
  /** Computes when an address is due again. */
  schedule(tracked: TrackedPrice): void
  /** Called after the subscribers of an address have its new price. */
  onDelivered(): void
  /** Called with the milliseconds from the decision to buy to the answer. */
  onLatency(ms: number): void
  /** Called when a request succeeds after a failure. */
  onRecovery(): void
}

/** Buys prices, and delivers them or the failure to the subscribers. */
export interface PriceBuyer {
  /** Resolves with the credits paid, less what was set aside; rejects if the feed is closed while requests wait for a slot. */
  buy(prices: readonly TrackedPrice[], decidedAt: number): Promise<number>
  deliver(tracked: TrackedPrice, stored: StoredPrice): void
  fail(prices: readonly TrackedPrice[], failure: Failure, decidedAt: number): void
  /** Schedules addresses again that are not bought. */
  release(prices: readonly TrackedPrice[]): void
}

/** Maximum number of requests in flight: 2,000 addresses that start together need 40. */
const MAX_REQUESTS = 10
const MIN_TTL_MS = 3_600_000

export function createPriceBuyer(parts: PriceBuyerParts): PriceBuyer {
  const { client, clock, dailyBudget, backoff, store, signal, emit, schedule } = parts
  const isolation = createIsolation(clock, emit, () => backoff.failures, parts.reserveExtra)
  const semaphore = createSemaphore(MAX_REQUESTS)
  const closed = new LightAbortController()
  signal.addEventListener('abort', () => closed.abort(signal.reason), { once: true })

  function deliver(tracked: TrackedPrice, stored: StoredPrice): void {
    delivered(tracked, stored)
    schedule(tracked)
    for (const subscriber of subscribersOf(tracked)) subscriber.onPrice(tracked)
    parts.onDelivered()
  }

  function fail(prices: readonly TrackedPrice[], failure: Failure, decidedAt: number): void {
    for (const tracked of prices) {
      failed(tracked, decidedAt)
      if (failure.maybeCharged) maybeCharged(tracked, clock.now())
      schedule(tracked)
      for (const subscriber of subscribersOf(tracked)) subscriber.onFailure(tracked, failure)
    }
  }

  function deliverAll(prices: readonly TrackedPrice[], { priceOf, invalid }: BoughtPrices, at: number): void {
    const requestedAt = clock.toUnix(at)
    for (const tracked of prices) {
      if (invalid?.addresses.has(tracked.address)) {
        fail([tracked], { error: invalid.error, waitMs: 0, transient: false, maybeCharged: true }, at)
        continue
      }
      const stored = { price: priceOf(tracked.address), at, requestedAt }
      deliver(tracked, stored)
      store?.write(tracked.address, stored, storeTtlOf(tracked, dailyBudget.stretch))
    }
  }

  function release(prices: readonly TrackedPrice[]): void {
    for (const tracked of prices) {
      released(tracked)
      schedule(tracked)
    }
  }

  async function buyChunk(chunk: readonly TrackedPrice[], decidedAt: number): Promise<number> {
    const releaseSlot = await semaphore.acquire(closed)
    const prices = chunk.filter(isWanted)
    release(chunk.filter((tracked) => !isWanted(tracked)))
    if (prices.length === 0) {
      releaseSlot()
      return 0
    }
    const addresses = prices.map(({ address }) => address)
    const sentAt = clock.now()
    try {
      // A request failed while this one waited for its slot: it waits for the same backoff.
      if (sentAt < backoff.until && backoff.failure) {
        fail(prices, { ...backoff.failure, maybeCharged: false }, decidedAt)
        return 0
      }
      for (const tracked of prices) chargeForgotten(tracked)
      const bought = await buyPrices(client, dailyBudget.budget, addresses, { signal, retry: false })
      const { credits } = bought
      if (prices.some(({ watchers }) => watchers.size === 0)) dailyBudget.recordUnplanned(credits)
      // The first request after a failure may have waited in the client, which is not latency.
      if (backoff.state === 'none') parts.onLatency(clock.now() - decidedAt)
      if (backoff.recordSuccess(sentAt)) parts.onRecovery()
      emit({ type: 'feed.bought', operation: prices.length === 1 ? 'token.price' : 'prices.batch', addresses, credits })
      const setAside = isolation.recordSuccess(prices)
      deliverAll(prices, bought, sentAt)
      return credits - setAside
    } catch (error) {
      const mustWait = isolation.recordCharge(prices, error)
      const isolated = isolation.recordFailure(prices, error, decidedAt)
      const isSplit = isolated === 'split'
      const failure = isolated === undefined || isSplit ? backoff.recordFailure(error, sentAt) : isolated
      // The parts are requested at once, also if the failure was charged: otherwise each halving would take an interval.
      fail(prices, { ...failure, maybeCharged: mustWait || (failure.maybeCharged && !isSplit) }, decidedAt)
      return 0
    } finally {
      releaseSlot()
    }
  }

  return {
    deliver,
    fail,
    release,
    async buy(toBuy, decidedAt) {
      // What does not fit the budget goes last, so that the rest is still bought.
      const fitting = maxAffordable(dailyBudget.budget.available, toBuy.length)
      const chunks = [...isolation.split(toBuy.slice(0, fitting)), ...isolation.split(toBuy.slice(fitting))]
      const paid = await Promise.all(chunks.map((chunk) => buyChunk(chunk, decidedAt)))
      return paid.reduce((sum, credits) => sum + credits, 0)
    },
  }
}

/** The age at which no watcher has a use for a price; an hour at least. */
function storeTtlOf({ watchers }: TrackedPrice, stretch: number): number {
  let ttlMs = MIN_TTL_MS
  for (const { everyMs } of watchers.items()) ttlMs = Math.max(ttlMs, Math.ceil(everyMs * stretch))
  return ttlMs
}
