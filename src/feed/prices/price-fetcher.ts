import { LightAbortController } from '../../concurrency/cancellation.ts'
import { sleep } from '../../concurrency/clock.ts'
import { refusedForGuarantees, refusedRequests } from './daily-budget.ts'
import { LEASE_MS } from './lease.ts'
import { createPriceBuyer, type PriceBuyerParts } from './price-buyer.ts'
import type { PriceStore, StoredPrice } from './price-store.ts'
import { isWanted, type Stretch, stretchedInterval, type TrackedPrice } from './tracked-price.ts'

/** Gets prices from the store, else from the service. */
export interface PriceFetcher {
  /**
   * Resolves with the credits paid, less what was set aside for them. Never rejects: each address ends with a price or with a failure, or is scheduled again if
   * nobody wants it any longer.
   */
  fetch(batch: FetchBatch): Promise<number>
  /** Fails the price requests that do not fit the budget beside the watches. Returns the rest. */
  admit(requested: readonly TrackedPrice[]): readonly TrackedPrice[]
  /** Delivers a price that nobody had to buy. */
  deliver(tracked: TrackedPrice, stored: StoredPrice): void
}

export interface FetchBatch {
  /** Addresses that need a price now. */
  readonly due: readonly TrackedPrice[]
  /** Addresses that are bought early, if a request is made at all. */
  readonly early: readonly TrackedPrice[]
}

/** How often the store is read while another process buys a price. */
const POLL_MS = 200

export function createPriceFetcher(parts: PriceBuyerParts): PriceFetcher {
  const { clock, dailyBudget, store, signal, schedule } = parts
  const { buy, deliver, fail, release } = createPriceBuyer(parts)
  const closed = new LightAbortController()
  signal.addEventListener('abort', () => closed.abort(signal.reason), { once: true })

  /** Delivers what the store has, and returns the rest. */
  async function readStore(from: PriceStore, prices: readonly TrackedPrice[]): Promise<Set<TrackedPrice>> {
    const found = await Promise.all(prices.map(({ address }) => from.read(address)))
    const now = clock.now()
    const missing = prices.filter((tracked, index) => {
      const stored = found[index]
      if (stored === undefined || stored.at <= tracked.at) return true
      if (now - stored.at >= maxAgeOf(tracked, dailyBudget)) return true
      deliver(tracked, stored)
      return false
    })
    return new Set(missing)
  }

  /** Fails the price requests that would use the share of the watches. Returns the addresses that may be bought. */
  function refuseRequests(prices: readonly TrackedPrice[], decidedAt: number): readonly TrackedPrice[] {
    const refusal = refusedRequests(prices, dailyBudget)
    if (refusal === undefined) return prices
    const { refused, error } = refusal
    fail([...refused], { error, waitMs: 0, transient: false, maybeCharged: false }, decidedAt)
    return prices.filter((tracked) => !refused.has(tracked))
  }

  /** Postpones prices by an interval that would use what the watches with an `atLeastEveryMs` need. Returns the rest. */
  function keepGuarantees(prices: readonly TrackedPrice[], decidedAt: number): readonly TrackedPrice[] {
    const refusal = refusedForGuarantees(prices, dailyBudget, clock.now())
    if (refusal === undefined) return prices
    const { refused, error } = refusal
    fail([...refused], { error, waitMs: 0, transient: false, maybeCharged: true }, decidedAt)
    return prices.filter((tracked) => !refused.has(tracked))
  }

  async function fetchMissing({ due, early }: FetchBatch, decidedAt: number): Promise<number> {
    const wanted = [...due, ...early]
    // Before the store is read, because a stretched interval accepts older prices.
    const loading = dailyBudget.load()
    if (loading) await loading
    const missing = store === undefined ? undefined : await readStore(store, wanted)
    // Early addresses alone are no reason for a request, unless somebody has requested one of them meanwhile.
    const required = [...due, ...early.filter(({ requesters }) => requesters.size > 0)]
    if (missing && !required.some((tracked) => missing.has(tracked) && isWanted(tracked))) {
      release([...missing])
      return 0
    }
    const unknown = missing === undefined ? wanted : wanted.filter((tracked) => missing.has(tracked))
    const toBuy = keepGuarantees(refuseRequests(unknown, decidedAt), decidedAt)
    return store === undefined ? buy(toBuy, decidedAt) : buyLeased(store, toBuy, new Set(required), decidedAt)
  }

  /** Buys what no other process is buying, and waits for the store to have the rest. */
  async function buyLeased(
    from: PriceStore,
    prices: readonly TrackedPrice[],
    required: ReadonlySet<TrackedPrice>,
    decidedAt: number,
  ): Promise<number> {
    const due = prices.filter((tracked) => required.has(tracked))
    const early = prices.filter((tracked) => !required.has(tracked))
    const leased = await acquire(from, due)
    const withEarly = leased.size === 0 ? leased : new Set([...leased, ...(await acquire(from, early))])
    release(early.filter((tracked) => !withEarly.has(tracked)))
    const mine = prices.filter((tracked) => withEarly.has(tracked))
    const paid = buy(mine, decidedAt).finally(() => from.lease.release(mine.map(({ address }) => address)))
    // It rejects when the feed closes, perhaps while the others are read.
    paid.catch(() => {})
    const others = due.filter((tracked) => !withEarly.has(tracked))
    try {
      return (await buyOthers(from, others, decidedAt)) + (await paid)
    } catch (error) {
      // The feed was closed: its own request ends too, and gives the lease back.
      await paid.catch(() => {})
      throw error
    }
  }

  /** Waits until the store has prices that other processes are buying, and buys what they do not buy. */
  async function buyOthers(from: PriceStore, prices: readonly TrackedPrice[], decidedAt: number): Promise<number> {
    let others = prices
    let credits = 0
    for (let polls = 1; others.length > 0; polls++) {
      await sleep(clock, POLL_MS, closed)
      const missing = await readStore(from, others)
      // However many processes take turns: nobody waits for longer than one lease.
      const free = polls * POLL_MS < LEASE_MS ? await acquire(from, [...missing]) : missing
      credits += await buy([...free], decidedAt).finally(() =>
        from.lease.release([...free].map(({ address }) => address)),
      )
      others = [...missing].filter((tracked) => !free.has(tracked))
    }
    return credits
  }

  async function acquire(from: PriceStore, prices: readonly TrackedPrice[]): Promise<Set<TrackedPrice>> {
    if (prices.length === 0) return new Set()
    const leased = await from.lease.acquire(prices.map(({ address }) => address))
    return new Set(prices.filter(({ address }) => leased.has(address)))
  }

  return {
    deliver,
    // The store may have their prices for free.
    admit: (requested) => (store === undefined ? refuseRequests(requested, clock.now()) : requested),
    async fetch(batch) {
      const prices = [...batch.due, ...batch.early]
      for (const tracked of prices) {
        tracked.inFlight = true
        schedule(tracked)
      }
      try {
        return await fetchMissing(batch, clock.now())
      } catch (error) {
        // The feed was closed while requests waited for a slot.
        const left = prices.filter(({ inFlight }) => inFlight)
        fail(left, { error, waitMs: 0, transient: false, maybeCharged: false }, clock.now())
        return 0
      }
    },
  }
}

/** The age that satisfies every subscriber of an address. */
function maxAgeOf(tracked: TrackedPrice, stretch: Stretch): number {
  let maxAgeMs = stretchedInterval(tracked, stretch)
  for (const { everyMs } of tracked.requesters) maxAgeMs = Math.min(maxAgeMs, everyMs * stretch.stretch)
  return maxAgeMs
}
