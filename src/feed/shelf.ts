import { checksumAddress, looksLikeAddress } from '../address.ts'
import { type Clock, startTimer } from '../clock.ts'
import type { TokenPrice } from '../generated/types.ts'
import { isNumber, isObject } from '../guard.ts'
import type { CacheStore } from '../options.ts'
import type { FeedEvent } from './events.ts'

/** A price as it is kept for others. */
export interface Kept {
  readonly price: TokenPrice | null
  /** When it was asked for, unix milliseconds. */
  readonly at: number
}

/** Prices that were paid for elsewhere or before. A store that fails or hangs costs a request, never a price. */
export interface Shelf {
  /** What is kept of an address; undefined when nothing is, or the store is slow. */
  find(address: string): Promise<Kept | undefined>
  keep(address: string, kept: Kept, ttlMs: number): void
}

/** A store that takes longer is not waited for. */
const PATIENCE_MS = 1_000

export function createShelf(store: CacheStore, clock: Clock, emit: (event: FeedEvent) => void): Shelf {
  const failed = (error: unknown) =>
    emit({ type: 'feed.store_failed', message: error instanceof Error ? error.message : String(error) })
  const attempt = async <T>(work: () => T) => await work()

  return {
    find: (address) =>
      new Promise((resolve) => {
        const stopTimer = startTimer(clock, PATIENCE_MS, () => {
          failed(`No answer within ${PATIENCE_MS} ms.`)
          resolve(undefined)
        })
        attempt(async () => read(await store.get(keyOf(address)), clock.now()))
          .catch(failed)
          .then((kept) => {
            stopTimer()
            resolve(kept ?? undefined)
          })
      }),
    keep(address, kept, ttlMs) {
      attempt(() => store.set(keyOf(address), JSON.stringify(kept), ttlMs)).catch(failed)
    },
  }
}

/** One key for each address, however it was spelled. */
function keyOf(address: string): string {
  return `etn-market:feed:1:${address.toLowerCase()}`
}

/** What a store holds may be from anybody, and from a clock that is ahead. */
function read(stored: unknown, now: number): Kept | undefined {
  if (typeof stored !== 'string') return undefined
  const kept: unknown = JSON.parse(stored)
  if (!isObject(kept) || !isNumber(kept.at) || kept.at > now) return undefined
  const { price, at } = kept
  if (price === null) return { price, at }
  if (!isObject(price) || !looksLikeAddress(price.address)) return undefined
  return { price: { ...price, address: checksumAddress(price.address) }, at }
}
