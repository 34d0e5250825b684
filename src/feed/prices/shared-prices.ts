import { callStore } from '../../concurrency/call-store.ts'
import type { CancellationSignal } from '../../concurrency/cancellation.ts'
import { sleep, startTimer } from '../../concurrency/clock.ts'
import { invalidOption } from '../../errors/input.ts'
import { fleetInternalsOf, type SharedLease } from '../../fleet/fleet.ts'
import { isNumber, isObject } from '../../operations/type-guards.ts'
import type { FeedContext } from '../context.ts'
import type { FeedClock } from '../feed-clock.ts'
import { isPriceText } from '../requests/send.ts'
import type { FeedOptions, FeedStore } from '../types.ts'
import type { KnownPrice } from './tracked-price.ts'

/** A lease ends by itself, so that a process that stops cannot block the others. */
const LEASE_MS = 5_000
const RENEWAL_MS = LEASE_MS / 2
/** What another process buys may be bought twice: nobody waits long for a store. */
const ACQUIRE_MS = 1_000
/** Without an atomic `add`, processes that write at the same time see the last of their writes after this time. */
const SETTLE_MS = 50
/** Beyond this number of leases of others, the oldest is forgotten. */
const MAX_SEEN = 1_000
const BLIND_STORE =
  'The store does not show what was written to it. The feed continues; several processes may buy the same price.'

/**
 * Prices that were bought earlier or by another process, and leases that let one process at a time buy an address. If the store fails or
 * hangs, the feed buys the price itself.
 */
export class SharedPrices {
  readonly #context: FeedContext
  readonly #store: FeedStore
  /** Where there is a fleet, it decides who buys, and the store has no leases. */
  readonly #fleet: SharedLease | undefined
  readonly #owner: string
  /** Leases of others, by address, and since when each is seen: the clock of its owner may be wrong, and the store may be old. */
  readonly #seen = new Map<string, { readonly value: unknown; readonly since: number }>()
  /** Addresses whose lease the store did not show after it was written. */
  readonly #unshown = new Set<string>()
  #isReported = false

  constructor(context: FeedContext, store: FeedStore, fleet: SharedLease | undefined) {
    this.#context = context
    this.#store = store
    this.#fleet = fleet
    const random = Math.floor(context.clock.random() * 2 ** 48).toString(36)
    this.#owner = `${context.clock.wall.now().toString(36)}-${random}-${crypto.randomUUID()}`
  }

  get #clock(): FeedClock {
    return this.#context.clock
  }
  get #closed(): CancellationSignal {
    return this.#context.lifetime
  }

  /** Resolves with undefined if the store has nothing valid, fails, or is slow. */
  async read(address: string): Promise<KnownPrice | undefined> {
    return this.#context.checkedStore?.read(priceKeyOf(address), (value) => checkStored(address, value, this.#clock))
  }

  write(address: string, { price, requestedAt: at }: KnownPrice, ttlMs: number): void {
    this.#context.checkedStore?.write(priceKeyOf(address), { price, at }, ttlMs)
  }

  /**
   * Resolves with the addresses that this process may buy. Others are being bought by another process.
   * Rejects as soon as the feed is closed; what was acquired until then is given back.
   */
  async acquire(addresses: readonly string[]): Promise<ReadonlySet<string>> {
    const all = new Set(addresses)
    if (all.size === 0) return all
    const acquired = this.#tryAcquire(addresses)
    try {
      // A store that fails or hangs costs a request, and never a price.
      return await callStore(() => acquired, { clock: this.#clock, timeoutMs: ACQUIRE_MS, signal: this.#closed })
    } catch {
      if (!this.#closed.aborted) return all
      acquired.then((leased) => this.#release(leased)).catch(() => {})
      throw this.#closed.reason
    }
  }

  /** Renews leases of this process until the returned function is called, which ends them. */
  hold(addresses: readonly string[]): () => void {
    let stop = () => {}
    const keep = () => {
      stop = startTimer(this.#clock, RENEWAL_MS, () => {
        // If it fails, another process may buy the prices, too.
        callStore(() => this.#renew(addresses), { clock: this.#clock, signal: this.#closed }).catch(() => {})
        keep()
      })
    }
    if (addresses.length > 0) keep()
    return () => {
      stop()
      this.#release(addresses)
    }
  }

  async #tryAcquire(addresses: readonly string[]): Promise<ReadonlySet<string>> {
    if (this.#fleet) return this.#fleet.acquire(addresses, LEASE_MS)
    // `add` is atomic: a value that is there already stays.
    const add = async (address: string) => this.#store.add?.(leaseKeyOf(address), this.#newLease(), LEASE_MS)
    const added = await Promise.all(addresses.map(add))
    const mine = new Set(addresses.filter((_, index) => added[index]))
    // The others are written and read back: the store has no `add`, or keeps a lease longer than it lasts.
    const others = addresses.filter((address) => !mine.has(address))
    const held = await Promise.all(others.map((address) => this.#isHeld(address)))
    const free = others.filter((_, index) => !held[index])
    await Promise.all(free.map((address) => this.#setLease(address)))
    // When the feed is closed, what was written is given back at once.
    if (free.length > 0) await sleep(this.#clock, SETTLE_MS, this.#closed).catch(() => {})
    const isMine = await Promise.all(free.map((address) => this.#isHeldByNobody(address)))
    return new Set([...mine, ...free.filter((_, index) => isMine[index])])
  }

  async #renew(addresses: readonly string[]): Promise<void> {
    if (this.#fleet) await this.#fleet.acquire(addresses, LEASE_MS)
    else await Promise.all(addresses.map((address) => this.#setLease(address)))
  }

  #release(addresses: Iterable<string>): void {
    if (this.#fleet) return void this.#fleet.release([...addresses]).catch(() => {})
    for (const address of addresses) (async () => this.#store.delete(leaseKeyOf(address)))().catch(() => {})
  }

  #newLease(): string {
    return JSON.stringify({ owner: this.#owner, until: this.#clock.wall.now() + LEASE_MS })
  }

  async #setLease(address: string): Promise<void> {
    await this.#store.set(leaseKeyOf(address), this.#newLease(), LEASE_MS)
  }

  /** Whether another process holds the lease. None counts for longer than a lease lasts. */
  async #isHeld(address: string, found?: { readonly value: unknown }): Promise<boolean> {
    const value = found ? found.value : await this.#store.get(leaseKeyOf(address))
    const lease = parseLease(value)
    const known = this.#seen.get(address)
    if (lease === undefined || lease.owner === this.#owner || lease.until <= this.#clock.wall.now()) {
      this.#seen.delete(address)
      return false
    }
    const since = known && known.value === value ? known.since : this.#clock.now()
    this.#seen.set(address, { value, since })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest)
    const isOver = this.#clock.now() - since >= LEASE_MS
    if (isOver) this.#reportBlind()
    return !isOver
  }

  /** Whether nobody else holds a lease that this process has written. A store that does not show it costs a request, and never a price. */
  async #isHeldByNobody(address: string): Promise<boolean> {
    const value = await this.#store.get(leaseKeyOf(address))
    if (parseLease(value)?.owner === this.#owner) {
      this.#unshown.delete(address)
      return true
    }
    if (await this.#isHeld(address, { value })) return false
    // Once, another process may have ended its lease meanwhile: then the store has the price.
    const isBlind = this.#unshown.has(address) && !this.#closed.aborted
    this.#unshown.add(address)
    if (isBlind) this.#reportBlind()
    return isBlind
  }

  #reportBlind(): void {
    if (!this.#isReported) this.#context.emit({ type: 'feed.store_failed', message: BLIND_STORE })
    this.#isReported = true
  }
}

/** One key per address, in every spelling of it. */
const priceKeyOf = (address: string) => `etn-market:feed:1:${address.toLowerCase()}`
const leaseKeyOf = (address: string) => `etn-market:feed:lease:1:${address.toLowerCase()}`

/** Checks a stored value: another program, or a process whose clock is ahead, may have written it. */
function checkStored(address: string, parsed: unknown, clock: FeedClock): KnownPrice {
  const invalid = new Error(`The store has an invalid price of ${address}. It is ignored.`)
  if (!isObject(parsed) || !isNumber(parsed.at) || parsed.at > clock.wall.now()) throw invalid
  const { price, at: requestedAt } = parsed
  const at = clock.fromUnix(requestedAt)
  if (price === null) return { price, at, requestedAt }
  if (!isObject(price) || !isPriceText(price.usd) || !isPriceText(price.etn)) throw invalid
  if (typeof price.address !== 'string' || price.address.toLowerCase() !== address.toLowerCase()) throw invalid
  return { price: { ...price, address }, at, requestedAt }
}

function parseLease(value: unknown): { owner: unknown; until: number } | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const lease: unknown = JSON.parse(value)
    return isObject(lease) && isNumber(lease.until) ? { owner: lease.owner, until: lease.until } : undefined
  } catch {
    return undefined
  }
}

/** The lease of the fleet, if there is one. Without a shared store a member could not read what another one buys. */
export function readSharedLease({ fleet, store }: FeedOptions): SharedLease | undefined {
  if (fleet === undefined) return undefined
  const internals = fleetInternalsOf(fleet)
  if (internals === undefined) throw invalidOption('fleet', fleet, 'a fleet of createRedisFleet')
  if (store === undefined) throw invalidOption('store', store, 'a store that all members of the fleet share')
  return internals.buyLease
}
