import { type Clock, startTimer } from '../../concurrency/clock.ts'
import type { TokenPrice } from '../../generated/types.ts'
import { isNumber, isObject } from '../../operations/type-guards.ts'
import { type FeedEvent, messageOf } from '../events.ts'
import type { FeedStore } from '../types.ts'
import { type BuyLease, createBuyLease } from './buy-lease.ts'

/** A price as the store keeps it. */
export interface StoredPrice {
  readonly price: TokenPrice | null
  /** When the price was requested, unix milliseconds. */
  readonly at: number
}

/** Prices that were bought earlier or by another process. If the store fails or hangs, the feed buys the price itself. */
export interface PriceStore {
  /** Resolves with undefined if the store has nothing valid, fails, or is slow. */
  read(address: string): Promise<StoredPrice | undefined>
  write(address: string, stored: StoredPrice, ttlMs: number): void
  readonly lease: BuyLease
}

const TIMEOUT_MS = 1_000

export function createPriceStore(store: FeedStore, clock: Clock, emit: (event: FeedEvent) => void): PriceStore {
  const failed = (error: unknown) => emit({ type: 'feed.store_failed', message: messageOf(error) })
  const attempt = async <T>(work: () => T) => await work()

  return {
    lease: createBuyLease(store, clock),
    read: (address) =>
      new Promise((resolve) => {
        const stopTimer = startTimer(clock, TIMEOUT_MS, () => {
          failed(`No answer within ${TIMEOUT_MS} ms.`)
          resolve(undefined)
        })
        attempt(async () => parseStored(address, await store.get(keyOf(address)), clock.now()))
          .catch(failed)
          .then((stored) => {
            stopTimer()
            resolve(stored ?? undefined)
          })
      }),
    write(address, stored, ttlMs) {
      attempt(() => store.set(keyOf(address), JSON.stringify(stored), ttlMs)).catch(failed)
    },
  }
}

/** One key per address, in every spelling of it. */
function keyOf(address: string): string {
  return `etn-market:feed:1:${address.toLowerCase()}`
}

/** Checks a stored value: another program, or a process whose clock is ahead, may have written it. */
function parseStored(address: string, stored: unknown, now: number): StoredPrice | undefined {
  if (stored === undefined || stored === null) return undefined
  if (typeof stored !== 'string') throw invalidEntry(address)
  const parsed: unknown = JSON.parse(stored)
  if (!isObject(parsed) || !isNumber(parsed.at) || parsed.at > now) throw invalidEntry(address)
  const { price, at } = parsed
  if (price === null) return { price, at }
  if (!isObject(price) || !isSameAddress(price.address, address)) throw invalidEntry(address)
  if (!isPrice(price.usd) || !isPrice(price.etn)) throw invalidEntry(address)
  return { price: { ...price, address }, at }
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
