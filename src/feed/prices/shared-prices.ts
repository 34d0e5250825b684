import { sleep, startTimer } from '../../concurrency/clock.ts'
import { callStore, storedText } from '../../concurrency/store-call.ts'
import type { SharedLease } from '../../fleet/fleet.ts'
import { BatchPrice as isBatchPrice } from '../../generated/guards.ts'
import { isNumber, isObject } from '../../operations/type-guards.ts'
import { randomId } from '../../utils/runtime.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { FeedInternals } from '../feed-internals.ts'
import type { FeedStore } from '../types.ts'
import { type KnownPrice, type Prices, release, type TrackedPrice } from './tracked-price.ts'

/** A lease ends by itself, so that a process that stops cannot block the others. */
const LEASE_MS = 5_000
const RENEWAL_MS = LEASE_MS / 2
/** What another process buys may be bought twice: nobody waits long for a store. */
const ACQUIRE_MS = 1_000
const POLL_MS = 200
/** Without an atomic `add`, processes that write at the same time see the last of their writes after this time. */
const SETTLE_MS = 50
const MAX_SEEN = 1_000
const MIN_TTL_MS = 3_600_000
const BLIND_STORE =
  'The store does not show what was written to it. The feed continues; several processes may buy the same price.'

/** How prices are bought that the store does not have, and where those go that it has. */
interface Purchase {
  buy(prices: Prices): Promise<void>
  deliver(tracked: TrackedPrice, known: KnownPrice): void
}

/**
 * Prices that were bought earlier or by another process, and leases that let one process at a time buy an address. If the store fails or
 * hangs, the feed buys the price itself.
 */
export class SharedPrices {
  readonly #context: FeedInternals
  /** Where there is a fleet, it decides who buys, and the store has no leases. */
  readonly #lease: SharedLease

  constructor(context: FeedInternals, store: FeedStore, fleet: SharedLease | undefined) {
    this.#context = context
    this.#lease = fleet ?? new StoreLease(context, store)
  }

  /** Buys what the store does not have and no other process is buying, and waits for the store to have the rest. */
  async buy(due: Prices, early: Prices, { buy, deliver }: Purchase): Promise<void> {
    const { clock, lifetime } = this.#context
    const missing = await this.#read([...due, ...early], deliver)
    const isEarly = new Set(early)
    // Early addresses alone are no reason for a request, unless somebody has requested one of them meanwhile.
    const isRequired = (tracked: TrackedPrice) => !isEarly.has(tracked) || tracked.requesters.size > 0
    if (!missing.some((tracked) => isRequired(tracked) && tracked.isWanted)) return release(missing)
    const mine = await this.#acquire(missing.filter(isRequired))
    const rest = missing.filter((tracked) => !isRequired(tracked))
    const mineToo = mine.length === 0 ? [] : await this.#acquire(rest)
    release(rest.filter((tracked) => !mineToo.includes(tracked)))
    const leased = [...mine, ...mineToo]
    const bought = buy(leased).finally(this.#hold(leased))
    // It rejects when the feed closes, perhaps while the others are read.
    bought.catch(() => {})
    let others = missing.filter((tracked) => isRequired(tracked) && !mine.includes(tracked))
    while (others.length > 0) {
      // Not all at the moment at which a lease ends: the first one to see it buys for all.
      await sleep(clock, POLL_MS * (1 + clock.random()), lifetime)
      const unknown = await this.#read(others, deliver)
      const free = await this.#acquire(unknown)
      others = unknown.filter((tracked) => !free.includes(tracked))
      // The process that held the lease may have written the price before it released the lease.
      const buyFree = async () => buy(await this.#read(free, deliver))
      if (free.length > 0) await buyFree().finally(this.#hold(free))
    }
    await bought
  }

  write(tracked: TrackedPrice, { price, requestedAt: at }: KnownPrice): void {
    const ttlMs = storeTtlOf(tracked, this.#context.dailyBudget.stretch)
    this.#context.store?.write(priceKeyOf(tracked.address), { price, at }, ttlMs)
  }

  /** Delivers what the store has, and returns the rest. */
  async #read(prices: Prices, deliver: Purchase['deliver']): Promise<Prices> {
    const { clock, store } = this.#context
    const read = ({ address }: TrackedPrice) =>
      store?.read(priceKeyOf(address), (value) => checkStored(address, value, clock))
    const found = await Promise.all(prices.map(read))
    return prices.filter((tracked, index) => {
      const known = found[index]
      // The price that is known is no newer one, whatever both clocks say of its time now.
      if (known === undefined || known.requestedAt === tracked.requestedAt || known.at <= tracked.at) return true
      if (clock.now() - known.at >= maxAgeOf(tracked)) return true
      deliver(tracked, known)
      return false
    })
  }

  /**
   * Resolves with what this process may buy. The rest is being bought by another process.
   * Rejects as soon as the feed is closed; what was acquired until then is given back.
   */
  async #acquire(prices: Prices): Promise<Prices> {
    if (prices.length === 0) return prices
    const { clock, lifetime } = this.#context
    const acquired = this.#lease.acquire(addressesOf(prices), LEASE_MS)
    try {
      // A store that fails or hangs costs a request, and never a price.
      const leased = await callStore(() => acquired, { clock, timeoutMs: ACQUIRE_MS, signal: lifetime })
      return prices.filter(({ address }) => leased.has(address))
    } catch {
      if (!lifetime.aborted) return prices
      acquired.then((leased) => this.#lease.release([...leased])).catch(() => {})
      throw lifetime.reason
    }
  }

  /** Renews leases of this process until the returned function is called, which ends them. */
  #hold(prices: Prices): () => void {
    if (prices.length === 0) return () => {}
    const { clock, lifetime } = this.#context
    const addresses = addressesOf(prices)
    let stop = () => {}
    const keep = () => {
      stop = startTimer(clock, RENEWAL_MS, () => {
        // If it fails, another process may buy the prices, too.
        callStore(() => this.#lease.acquire(addresses, LEASE_MS), { clock, signal: lifetime }).catch(() => {})
        keep()
      })
    }
    keep()
    return () => {
      stop()
      this.#lease.release(addresses).catch(() => {})
    }
  }
}

/** Leases in a store. `add` makes them exact; without it, a lease is written and read back. */
class StoreLease implements SharedLease {
  readonly #context: FeedInternals
  readonly #store: FeedStore
  readonly #owner: string
  /** Leases of others, by address, and since when each is seen: the clock of its owner may be wrong, and the store may be old. */
  readonly #seen = new Map<string, { readonly lease: string; readonly since: number }>()
  /** Addresses whose lease the store did not show after it was written. */
  readonly #unshown = new Set<string>()
  #isReported = false

  constructor(context: FeedInternals, store: FeedStore) {
    this.#context = context
    this.#store = store
    const random = Math.floor(context.clock.random() * 2 ** 48).toString(36)
    this.#owner = `${context.clock.toUnix().toString(36)}-${random}-${randomId()}`
  }

  async acquire(addresses: readonly string[], leaseMs: number): Promise<ReadonlySet<string>> {
    const { clock, lifetime } = this.#context
    const lease = this.#newLease(leaseMs)
    // It is atomic: a lease that is there already stays.
    const add = async (address: string) => this.#store.add?.(leaseKeyOf(address), lease, leaseMs)
    const added = await Promise.all(addresses.map(add))
    const leased = new Set(addresses.filter((_, index) => added[index]))
    if (leased.size === addresses.length) return leased
    // The store has no `add` for these, or keeps a lease longer than it lasts.
    const others = addresses.filter((address) => !leased.has(address))
    const readOne = async (address: string) => storedText(await this.#store.get(leaseKeyOf(address)))
    const read = (some: readonly string[]) => Promise.all(some.map(readOne))
    const found = await read(others)
    const free = others.filter((address, index) => !this.#isHeld(address, found[index]))
    const newLease = this.#newLease(leaseMs)
    await Promise.all(free.map(async (address) => this.#store.set(leaseKeyOf(address), newLease, leaseMs)))
    // When the feed is closed, what was written is given back at once.
    if (free.length > 0) await sleep(clock, SETTLE_MS, lifetime).catch(() => {})
    const written = await read(free)
    const shown = free.filter((address, index) => this.#isShown(address, written[index]))
    return new Set([...leased, ...shown])
  }

  async release(addresses: readonly string[]): Promise<void> {
    await Promise.allSettled(addresses.map(async (address) => this.#store.delete(leaseKeyOf(address))))
  }

  /** Whether the store shows a lease that was written. A store that does not costs a request, and never a price. */
  #isShown(address: string, written: unknown): boolean {
    if (this.#isMine(written)) {
      this.#unshown.delete(address)
      return true
    }
    if (this.#isHeld(address, written)) return false
    // Once, another process may have ended its lease meanwhile: then the store has the price.
    const isBlind = this.#unshown.has(address) && !this.#context.lifetime.aborted
    this.#unshown.add(address)
    if (isBlind) this.#reportBlind()
    return isBlind
  }

  #newLease(leaseMs: number): string {
    return `${this.#context.clock.toUnix() + leaseMs} ${this.#owner}`
  }

  #isMine(lease: unknown): boolean {
    return typeof lease === 'string' && lease.endsWith(this.#owner)
  }

  /** Whether another process holds the lease. None counts for longer than a lease lasts. */
  #isHeld(address: string, lease: unknown): boolean {
    const { clock } = this.#context
    // A text that is no lease is none.
    const [, until] = (typeof lease === 'string' && /^(\d+) \S+$/.exec(lease)) || []
    if (until === undefined || this.#isMine(lease) || Number(until) <= clock.toUnix()) {
      this.#seen.delete(address)
      return false
    }
    const known = this.#seen.get(address)
    const since = known !== undefined && known.lease === lease ? known.since : clock.now()
    this.#seen.set(address, { lease: String(lease), since })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest)
    const isOver = clock.now() - since >= LEASE_MS
    if (isOver) this.#reportBlind()
    return !isOver
  }

  #reportBlind(): void {
    if (!this.#isReported) this.#context.emit({ type: 'feed.store_failed', message: BLIND_STORE })
    this.#isReported = true
  }
}

/** The age at which no watcher has a use for a price; an hour at least. */
function storeTtlOf({ watchers }: TrackedPrice, stretch: number): number {
  let ttlMs = MIN_TTL_MS
  for (const { everyMs } of watchers) ttlMs = Math.max(ttlMs, Math.ceil(everyMs * stretch))
  return ttlMs
}

const addressesOf = (prices: Prices) => prices.map(({ address }) => address)

function maxAgeOf({ intervalMs, requesters }: TrackedPrice): number {
  let maxAgeMs = intervalMs
  for (const { everyMs } of requesters) maxAgeMs = Math.min(maxAgeMs, everyMs)
  return maxAgeMs
}

/** One key per address, in every spelling of it. */
const priceKeyOf = (address: string) => `etn-market:feed:1:${address.toLowerCase()}`
const leaseKeyOf = (address: string) => `etn-market:feed:lease:1:${address.toLowerCase()}`

function checkStored(address: string, value: unknown, clock: FeedClock): KnownPrice | undefined {
  if (!isObject(value) || !isNumber(value.at) || value.at > clock.toUnix()) return undefined
  const { price, at: requestedAt } = value
  const at = clock.fromUnix(requestedAt)
  if (price === null) return { price, at, requestedAt }
  if (!isObject(price) || !isBatchPrice(price)) return undefined
  if (typeof price.address !== 'string' || price.address.toLowerCase() !== address.toLowerCase()) return undefined
  return { price: { ...price, address }, at, requestedAt }
}
