import { isNumber, isObject } from '../../operations/type-guards.ts'
import type { CheckedStore } from '../checked-store.ts'
import type { FeedClock } from '../feed-clock.ts'
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
