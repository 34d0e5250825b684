import { type CancellationSignal, LightAbortController } from '../../concurrency/cancellation.ts'
import { sleep } from '../../concurrency/clock.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { maxAffordable } from '../../credits/batch-cost.ts'
import { isEtnMarketError } from '../../errors/base.ts'
import type { BatchPrice, TokenPrice } from '../../generated/types.ts'
import { isObject } from '../../operations/type-guards.ts'
import type { FeedEvent } from '../events.ts'
import { type Failure, isAboutAddresses, isUnknownToken } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { Backoff } from '../requests/backoff.ts'
import type { Send, SendOptions } from '../requests/send.ts'
import type { DailyBudget } from './daily-budget.ts'
import { Isolation } from './isolation.ts'
import type { BuyLease, PriceStore } from './shared-prices.ts'
import type { KnownPrice, TrackedPrice } from './tracked-price.ts'

/** Prices that are wanted at one moment. */
export interface PriceBatch {
  /** Addresses that need a price now. */
  readonly due: readonly TrackedPrice[]
  /** Addresses that are bought early, if a request is made at all. */
  readonly early: readonly TrackedPrice[]
}

/** Gets prices from the store, else from the service, and delivers them or the failure to the subscribers. */
export interface PriceBuyer {
  /** Never rejects: each address ends with a price, with a failure, or released where it is not bought. */
  buy(batch: PriceBatch): Promise<void>
  /** Fails the price requests that do not fit the budget beside the watches. Returns the rest. */
  admit(requested: readonly TrackedPrice[]): readonly TrackedPrice[]
  /** Delivers a price that nobody had to buy. */
  deliver(tracked: TrackedPrice, known: KnownPrice): void
  /** Takes requests back that have not left and that nobody wants any longer. */
  withdraw(): void
}

export interface PriceBuyerParts {
  readonly send: Send
  readonly clock: FeedClock
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  /** Undefined without a store. */
  readonly shared: { readonly store: PriceStore; readonly lease: BuyLease } | undefined
  /** Aborts when the feed is closed. */
  readonly closed: CancellationSignal
  emit(event: FeedEvent): void
  /** Called when an address is awaited, released or delivered. */
  onChange(tracked: TrackedPrice): void
  /** Called when an address has failed. Without a failure, it is bought again at once. */
  onFailed(tracked: TrackedPrice, failure: Failure | undefined): void
  /** Called after the subscribers of an address have its new price. */
  onDelivered(): void
  /** Called when it is known what earlier processes have spent. */
  onLoaded(): void
  /** Called with the milliseconds from the decision to buy to the answer. */
  onLatency(ms: number): void
  /** Called when a request succeeds after a failure. */
  onRecovery(): void
}

/** Maximum number of requests in flight: 2,000 addresses that start together need 40. */
const MAX_REQUESTS = 10
const MIN_TTL_MS = 3_600_000
/** How often the store is read while another process buys a price, and for how long at most. */
const POLL_MS = 200
const MAX_POLL_MS = 60_000

/** A request that waits for its slot, for a cool-down, or for its answer. */
interface Purchase {
  readonly prices: readonly TrackedPrice[]
  /** Aborts when nobody wants the prices any longer. */
  readonly stop: LightAbortController
}

export function createPriceBuyer(parts: PriceBuyerParts): PriceBuyer {
  const { send, clock, dailyBudget, backoff, shared, closed, emit, onChange, onFailed } = parts
  const isolation = new Isolation(clock, emit, () => backoff.failures)
  const semaphore = createSemaphore(MAX_REQUESTS)
  const purchases = new Set<Purchase>()

  function deliver(tracked: TrackedPrice, known: KnownPrice): void {
    tracked.deliver(known)
    onChange(tracked)
    for (const subscriber of tracked.subscribers()) subscriber.onPrice(tracked)
    parts.onDelivered()
  }

  function fail(prices: readonly TrackedPrice[], failure: Failure, decidedAt: number): void {
    for (const tracked of prices) {
      tracked.fail(decidedAt)
      if (failure.maybeCharged) tracked.chargeInVain(clock.now())
      onFailed(tracked, failure)
      for (const subscriber of tracked.subscribers()) subscriber.onFailure(tracked, failure)
    }
  }

  const refuse = (prices: readonly TrackedPrice[], error: unknown, decidedAt: number, maybeCharged = false) =>
    fail(prices, { error, waitMs: 0, transient: false, maybeCharged }, decidedAt)

  function release(prices: Iterable<TrackedPrice>): void {
    for (const tracked of prices) {
      tracked.release()
      onChange(tracked)
    }
  }

  /** Fails the price requests that would use the share of the watches. Returns the addresses that may be bought. */
  function refuseRequests(prices: readonly TrackedPrice[]): readonly TrackedPrice[] {
    const refusal = dailyBudget.refuse(prices)
    if (refusal === undefined) return prices
    // Watches wait for their interval.
    refuse([...refusal.refused], refusal.error, clock.now(), true)
    return prices.filter((tracked) => !refusal.refused.has(tracked))
  }

  /** Delivers what the store has, and returns the rest. */
  async function readStore(store: PriceStore, prices: readonly TrackedPrice[]): Promise<TrackedPrice[]> {
    const found = await Promise.all(prices.map(({ address }) => store.read(address)))
    return prices.filter((tracked, index) => {
      const known = found[index]
      if (known === undefined || known.at <= tracked.at) return true
      if (clock.now() - known.at >= maxAgeOf(tracked)) return true
      deliver(tracked, known)
      return false
    })
  }

  async function buyMissing({ due, early }: PriceBatch, decidedAt: number): Promise<void> {
    // Before the store is read, because a stretched interval accepts older prices.
    const loading = dailyBudget.load()
    if (loading) {
      await loading
      parts.onLoaded()
    }
    if (shared === undefined) return buyAll(refuseRequests([...due, ...early]), decidedAt)
    const missing = await readStore(shared.store, [...due, ...early])
    const isEarly = new Set(early)
    // Early addresses alone are no reason for a request, unless somebody has requested one of them meanwhile.
    const isRequired = (tracked: TrackedPrice) => !isEarly.has(tracked) || tracked.requesters.size > 0
    if (!missing.some((tracked) => isRequired(tracked) && tracked.isWanted)) return release(missing)
    const toBuy = refuseRequests(missing)
    await buyLeased(
      shared,
      toBuy.filter(isRequired),
      toBuy.filter((tracked) => !isRequired(tracked)),
      decidedAt,
    )
  }

  /** Buys what no other process is buying, and waits for the store to have the rest. */
  async function buyLeased(
    { store, lease }: NonNullable<typeof shared>,
    due: readonly TrackedPrice[],
    early: readonly TrackedPrice[],
    decidedAt: number,
  ): Promise<void> {
    const acquire = async (prices: readonly TrackedPrice[]) => {
      const leased = await lease.acquire(prices.map(({ address }) => address))
      return prices.filter(({ address }) => leased.has(address))
    }
    const whileHeld = (prices: readonly TrackedPrice[], work: () => Promise<void>) =>
      work().finally(lease.hold(prices.map(({ address }) => address)))
    const mine = await acquire(due)
    const mineEarly = mine.length === 0 ? [] : await acquire(early)
    release(early.filter((tracked) => !mineEarly.includes(tracked)))
    const leased = [...mine, ...mineEarly]
    const bought = whileHeld(leased, () => buyAll(leased, decidedAt))
    // It rejects when the feed closes, perhaps while the others are read.
    bought.catch(() => {})
    let others = due.filter((tracked) => !mine.includes(tracked))
    const giveUpAt = clock.now() + MAX_POLL_MS
    while (others.length > 0) {
      // Not all at the moment at which a lease ends: the first one to see it buys for all.
      await sleep(clock, POLL_MS * (1 + clock.random()), closed)
      const missing = await readStore(store, others)
      const free = clock.now() < giveUpAt ? await acquire(missing) : missing
      others = missing.filter((tracked) => !free.includes(tracked))
      // Whoever had the lease may have written the price before it ended it.
      if (free.length > 0) await whileHeld(free, async () => buyAll(await readStore(store, free), decidedAt))
    }
    await bought
  }

  function buyAll(toBuy: readonly TrackedPrice[], decidedAt: number): Promise<void> {
    // What does not fit the budget goes last, so that the rest is still bought.
    const fitting = maxAffordable(dailyBudget.available, toBuy.length)
    const chunks = [...isolation.split(toBuy.slice(0, fitting)), ...isolation.split(toBuy.slice(fitting))]
    return Promise.all(chunks.map((chunk) => buyChunk(chunk, decidedAt))).then(() => {})
  }

  async function buyChunk(chunk: readonly TrackedPrice[], decidedAt: number): Promise<void> {
    const releaseSlot = await semaphore.acquire(closed)
    const prices = chunk.filter(({ isWanted }) => isWanted)
    release(chunk.filter(({ isWanted }) => !isWanted))
    const purchase: Purchase = { prices, stop: new LightAbortController() }
    const sentAt = clock.now()
    try {
      if (prices.length === 0) return
      // A request failed while this one waited for its slot: it waits for the same backoff.
      if (sentAt < backoff.until && backoff.failure)
        return fail(prices, { ...backoff.failure, maybeCharged: false }, decidedAt)
      purchases.add(purchase)
      const addresses = prices.map(({ address }) => address)
      const bought = await buyPrices(send, addresses, { signal: closed, stop: purchase.stop })
      recordSuccess(purchase, bought, sentAt, decidedAt)
    } catch (error) {
      if (closed.aborted) refuse(prices, closed.reason, decidedAt)
      else if (purchase.stop.aborted && error === purchase.stop.reason) takeBack(prices)
      else recordFailure(prices, error, sentAt, decidedAt)
    } finally {
      purchases.delete(purchase)
      releaseSlot()
    }
  }

  function recordSuccess({ prices }: Purchase, bought: BoughtPrices, sentAt: number, decidedAt: number): void {
    const { credits, invalid } = bought
    if (prices.some(({ watchers, paceMs }) => watchers.size === 0 || paceMs > 0)) dailyBudget.recordUnplanned(credits)
    // The first request after a failure may have waited in the client, which is not latency.
    if (backoff.state === 'none') parts.onLatency(clock.now() - decidedAt)
    if (backoff.recordSuccess(sentAt)) parts.onRecovery()
    const operation = prices.length === 1 ? 'token.price' : 'prices.batch'
    emit({ type: 'feed.bought', operation, addresses: prices.map(({ address }) => address), credits })
    isolation.recordSuccess(prices, bought.isUnknown ?? false)
    const requestedAt = clock.toUnix(sentAt)
    for (const tracked of prices) {
      if (invalid?.addresses.has(tracked.address)) {
        refuse([tracked], invalid.error, sentAt, true)
        continue
      }
      const known = { price: bought.priceOf(tracked.address), at: sentAt, requestedAt }
      deliver(tracked, known)
      shared?.store.write(tracked.address, known, storeTtlOf(tracked, dailyBudget.stretch))
    }
  }

  function recordFailure(prices: readonly TrackedPrice[], error: unknown, sentAt: number, decidedAt: number): void {
    const mustWait = isolation.recordCharge(prices, error)
    const verdict = isolation.recordFailure(prices, error, decidedAt)
    if (verdict.kind === 'isolated') {
      fail(prices, verdict.failure, decidedAt)
      return
    }
    const isSplit = verdict.kind === 'split'
    // A refusal is free: the parts are requested at once, and nobody has to know.
    if (isSplit && isAboutAddresses(error)) {
      for (const tracked of prices) {
        tracked.fail(decidedAt)
        onFailed(tracked, undefined)
      }
      return
    }
    const failure = backoff.recordFailure(error, sentAt)
    // The parts are requested at once, also if the failure was charged: otherwise each halving would take an interval.
    fail(prices, { ...failure, maybeCharged: mustWait || (failure.maybeCharged && !isSplit) }, decidedAt)
  }

  /** Nothing was sent. Somebody may want the prices again. */
  function takeBack(prices: readonly TrackedPrice[]): void {
    release(prices)
    for (const tracked of prices) if (tracked.isWanted) onFailed(tracked, undefined)
  }

  return {
    deliver,
    withdraw() {
      for (const { prices, stop } of purchases)
        if (!prices.some(({ isWanted }) => isWanted)) stop.abort(new Error('Nobody wants the prices.'))
    },
    // The store may have their prices for free.
    admit: (requested) => (shared === undefined ? refuseRequests(requested) : requested),
    async buy(batch) {
      const prices = [...batch.due, ...batch.early]
      const decidedAt = clock.now()
      for (const tracked of prices) {
        tracked.await(decidedAt)
        onChange(tracked)
      }
      try {
        await buyMissing(batch, decidedAt)
      } catch (error) {
        // The feed was closed while requests waited for a slot.
        refuse(
          prices.filter(({ inFlight }) => inFlight),
          error,
          decidedAt,
        )
      }
    },
  }
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

/** What one request brought. */
export interface BoughtPrices {
  /** The price of an address; null if the token has none. */
  priceOf(address: string): TokenPrice | null
  readonly credits: number
  /** Whether the service does not know the one token that was asked for. */
  readonly isUnknown?: boolean
  /** Addresses whose entry in the answer is invalid. */
  readonly invalid?: { readonly addresses: ReadonlySet<string>; readonly error: unknown } | undefined
}

/** Buys one price with `token.price`, or several with `prices.batch`. */
export async function buyPrices(send: Send, addresses: readonly string[], options: SendOptions): Promise<BoughtPrices> {
  const [address = ''] = addresses
  try {
    if (addresses.length > 1) {
      const { data, credits } = await send<Record<string, TokenPrice | null>>('prices.batch', { addresses }, options)
      return { priceOf: (wanted) => orNull(data[wanted]), credits }
    }
    const { data, credits } = await send<TokenPrice>('token.price', { address }, options)
    return { priceOf: () => orNull(data), credits }
  } catch (error) {
    if (addresses.length === 1 && isUnknownToken(error)) return { priceOf: () => null, credits: 0, isUnknown: true }
    const valid = addresses.length > 1 ? validEntries(error, addresses) : undefined
    if (valid === undefined) throw error
    return valid
  }
}

/** With `validate: 'strict'`, one invalid entry rejects a batch that is paid for: the others are read from the error. */
function validEntries(error: unknown, addresses: readonly string[]): BoughtPrices | undefined {
  if (!isEtnMarketError(error) || error.code !== 'unexpected_shape') return undefined
  const data = isObject(error.body) ? error.body.data : undefined
  if (!isObject(data)) return undefined
  const entries = new Map(Object.entries(data).map(([address, entry]) => [address.toLowerCase(), entry]))
  const prices = new Map<string, TokenPrice | null>()
  for (const address of addresses) {
    const entry = entries.get(address.toLowerCase())
    if (entry === undefined || entry === null) prices.set(address, null)
    else if (isValidEntry(entry)) prices.set(address, orNull({ ...entry, address }))
  }
  const invalid = new Set(addresses.filter((address) => !prices.has(address)))
  if (invalid.size === 0 || invalid.size === addresses.length) return undefined
  return {
    priceOf: (address) => prices.get(address) ?? null,
    credits: error.credits,
    invalid: { addresses: invalid, error },
  }
}

function isValidEntry(entry: unknown): entry is BatchPrice {
  const isPrice = (value: unknown) => value === undefined || value === null || typeof value === 'string'
  return isObject(entry) && isPrice(entry.usd) && isPrice(entry.etn)
}

/** A token without a price is absent from a batch; `token.price` returns it without both fields. */
function orNull(price: TokenPrice | null | undefined): TokenPrice | null {
  if (price === undefined || price === null) return null
  return typeof price.usd === 'string' || typeof price.etn === 'string' ? price : null
}
