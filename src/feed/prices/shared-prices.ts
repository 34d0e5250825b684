import { callStore } from '../../concurrency/call-store.ts'
import type { CancellationSignal } from '../../concurrency/cancellation.ts'
import { sleep, startTimer } from '../../concurrency/clock.ts'
import { invalidOption } from '../../errors/input.ts'
import { fleetInternalsOf, type SharedLease } from '../../fleet/fleet.ts'
import { isNumber, isObject } from '../../operations/type-guards.ts'
import type { CheckedStore } from '../checked-store.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { FeedOptions, FeedStore } from '../types.ts'
import type { KnownPrice } from './tracked-price.ts'

/** Prices that were bought earlier or by another process. If the store fails or hangs, the feed buys the price itself. */
export interface PriceStore {
  /** Resolves with undefined if the store has nothing valid, fails, or is slow. */
  read(address: string): Promise<KnownPrice | undefined>
  write(address: string, stored: KnownPrice, ttlMs: number): void
}

export function createPriceStore(checked: CheckedStore, clock: FeedClock): PriceStore {
  return {
    read: (address) => checked.read(keyOf(address), (value) => checkStored(address, value, clock)),
    write: (address, { price, requestedAt: at }, ttlMs) => checked.write(keyOf(address), { price, at }, ttlMs),
  }
}

/** One key per address, in every spelling of it. */
function keyOf(address: string): string {
  return `etn-market:feed:1:${address.toLowerCase()}`
}

/** Checks a stored value: another program, or a process whose clock is ahead, may have written it. */
function checkStored(address: string, parsed: unknown, clock: FeedClock): KnownPrice {
  if (!isObject(parsed) || !isNumber(parsed.at) || parsed.at > clock.wall.now()) throw invalidEntry(address)
  const { price, at: requestedAt } = parsed
  const at = clock.fromUnix(requestedAt)
  if (price === null) return { price, at, requestedAt }
  if (!isObject(price) || !isSameAddress(price.address, address)) throw invalidEntry(address)
  if (!isPrice(price.usd) || !isPrice(price.etn)) throw invalidEntry(address)
  return { price: { ...price, address }, at, requestedAt }
}

function isSameAddress(value: unknown, address: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === address.toLowerCase()
}

function isPrice(value: unknown): value is string | null | undefined {
  return value === undefined || value === null || typeof value === 'string'
}

function invalidEntry(address: string): Error {
  return new Error(`The store has an invalid price of ${address}. It is ignored.`)
}

/** Lets one of several processes that share a store buy an address. */
export interface BuyLease {
  /**
   * Resolves with the addresses that this process may buy. Others are being bought by another process.
   * Rejects as soon as the feed is closed; what was acquired until then is given back.
   */
  acquire(addresses: readonly string[]): Promise<ReadonlySet<string>>
  /** Renews leases of this process until the returned function is called, which ends them. */
  hold(addresses: readonly string[]): () => void
}

/** A lease ends by itself, so that a process that stops cannot block the others. */
const LEASE_MS = 5_000
const RENEWAL_MS = LEASE_MS / 2
/** What another process buys may be bought twice: nobody waits long for a store. */
const ACQUIRE_MS = 1_000
/** Without an atomic `add`, processes that write at the same time see the last of their writes after this time. */
const SETTLE_MS = 50
/** Beyond this number of leases of others, the oldest is forgotten. */
const MAX_SEEN = 1_000

export interface BuyLeaseParts {
  readonly store: FeedStore
  readonly clock: FeedClock
  readonly closed: CancellationSignal
  /** Where there is a fleet: it decides, and the store has no leases. */
  readonly shared: SharedLease | undefined
  /** Called once, when the store turns out not to show what is written to it. */
  onBlind(): void
}

export function createBuyLease({ store, clock, closed, shared, onBlind }: BuyLeaseParts): BuyLease {
  const owner = `${clock.wall.now().toString(36)}-${Math.floor(clock.random() * 2 ** 48).toString(36)}-${crypto.randomUUID()}`
  /** Leases of others, by address, and since when each is seen: the clock of its owner may be wrong, and the store may be old. */
  const seen = new Map<string, { readonly value: string; readonly since: number }>()
  /** Addresses whose lease the store did not show after it was written. */
  const unshown = new Set<string>()
  let isReported = false
  function reportBlind(): void {
    if (!isReported) onBlind()
    isReported = true
  }
  const write = () => JSON.stringify({ owner, until: clock.wall.now() + LEASE_MS })

  /** Whether another process holds the lease. None counts for longer than a lease lasts. */
  function isHeld(address: string, value: unknown): boolean {
    const lease = parse(value)
    const known = seen.get(address)
    if (lease === undefined || lease.owner === owner || lease.until <= clock.wall.now()) {
      seen.delete(address)
      return false
    }
    const since = known !== undefined && known.value === value ? known.since : clock.now()
    seen.set(address, { value: String(value), since })
    const [oldest] = seen.keys()
    if (seen.size > MAX_SEEN && oldest !== undefined) seen.delete(oldest)
    const isOver = clock.now() - since >= LEASE_MS
    if (isOver) reportBlind()
    return !isOver
  }

  /** `add` is atomic: a value that is there already stays. */
  async function add(address: string): Promise<boolean> {
    const key = leaseKeyOf(address)
    if (await store.add?.(key, write(), LEASE_MS)) return true
    // The store may keep values longer than a lease lasts.
    if (isHeld(address, await store.get(key))) return false
    await store.delete(key)
    if (await store.add?.(key, write(), LEASE_MS)) return true
    return isHeldByNobody(address)
  }

  async function writeAndReadBack(addresses: readonly string[]): Promise<boolean[]> {
    const held = await Promise.all(
      addresses.map(async (address) => isHeld(address, await store.get(leaseKeyOf(address)))),
    )
    const free = addresses.filter((_, index) => !held[index])
    await Promise.all(free.map((address) => store.set(leaseKeyOf(address), write(), LEASE_MS)))
    // When the feed is closed, what was written is given back at once.
    if (free.length > 0) await sleep(clock, SETTLE_MS, closed).catch(() => {})
    return Promise.all(addresses.map(async (address, index) => !held[index] && (await isHeldByNobody(address))))
  }

  /** Whether nobody else holds a lease that this process has written. A store that does not show it costs a request, and never a price. */
  async function isHeldByNobody(address: string): Promise<boolean> {
    const value = await store.get(leaseKeyOf(address))
    if (parse(value)?.owner === owner) {
      unshown.delete(address)
      return true
    }
    if (isHeld(address, value)) return false
    // Once, another process may have ended its lease meanwhile: then the store has the price.
    const isBlind = unshown.has(address) && !closed.aborted
    unshown.add(address)
    if (isBlind) reportBlind()
    return isBlind
  }

  async function tryAcquire(addresses: readonly string[]): Promise<ReadonlySet<string>> {
    if (shared !== undefined) return shared.acquire(addresses, LEASE_MS)
    const acquired = store.add ? await Promise.all(addresses.map(add)) : await writeAndReadBack(addresses)
    return new Set(addresses.filter((_, index) => acquired[index]))
  }

  function release(addresses: Iterable<string>): void {
    if (shared !== undefined) return void shared.release([...addresses]).catch(() => {})
    for (const address of addresses)
      Promise.resolve(address)
        .then((key) => store.delete(leaseKeyOf(key)))
        .catch(() => {})
  }

  function renew(addresses: readonly string[]): void {
    const renewAll = async () => {
      if (shared !== undefined) await shared.acquire(addresses, LEASE_MS)
      else await Promise.all(addresses.map((address) => store.set(leaseKeyOf(address), write(), LEASE_MS)))
    }
    // If it fails, another process may buy the prices, too.
    callStore(renewAll, { clock, signal: closed }).catch(() => {})
  }

  return {
    hold(addresses) {
      let stop = () => {}
      const keep = () => {
        stop = startTimer(clock, RENEWAL_MS, () => {
          renew(addresses)
          keep()
        })
      }
      if (addresses.length > 0) keep()
      return () => {
        stop()
        release(addresses)
      }
    },
    async acquire(addresses) {
      const all = new Set(addresses)
      if (all.size === 0) return all
      const acquired = tryAcquire(addresses)
      try {
        // A store that fails or hangs costs a request, and never a price.
        return await callStore(() => acquired, { clock, timeoutMs: ACQUIRE_MS, signal: closed })
      } catch {
        if (!closed.aborted) return all
        acquired.then(release, () => {})
        throw closed.reason
      }
    },
  }
}

function leaseKeyOf(address: string): string {
  return `etn-market:feed:lease:1:${address.toLowerCase()}`
}

function parse(value: unknown): { owner: unknown; until: number } | undefined {
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
