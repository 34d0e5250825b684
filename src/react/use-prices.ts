import type { FeedPrice } from 'etn-market/feed'
import { useCallback, useMemo, useRef, useSyncExternalStore } from 'react'
import { requireKnown } from '../utils/known-options.ts'

/** Prices by the addresses as they were given; undefined until the first price arrives. */
export type PricesByAddress<Address extends string = string> = Readonly<Record<Address, FeedPrice | undefined>>

/** Knows prices. */
export interface PriceReader {
  /** The known price of an address: the same object until it changes. */
  peek(address: string): FeedPrice | undefined
}

/** Where hooks take prices from: a feed of `etn-market/feed`, or a stream of `etn-market/stream`, which is a seventh of its size. */
export interface PriceSource extends PriceReader {
  /** Keeps prices up to date. */
  watch(
    addresses: readonly string[],
    options: { everyMs: number; onPrice: (price: FeedPrice) => void; onError: (error: unknown) => void },
  ): PriceSourceWatch
}

/** What a price source keeps up to date for a hook. */
export interface PriceSourceWatch {
  /** Ends it. */
  stop(): void
}

/** Options of `usePrice` and `usePrices`. */
export interface UsePriceOptions {
  /** The greatest age of a price while the component is shown, in milliseconds. Components of one feed share what they buy. */
  everyMs: number
  /** Called once when prices fail to arrive, and again when the reason changes. */
  onError?: ((error: unknown) => void) | undefined
}

/**
 * The price of a token, kept up to date while the component is mounted; undefined until it arrives, and on a server. It is watched on the feed:
 * mounting twice, leaving and returning, or showing it in two components buys nothing twice. Without an address, for example while it is still
 * loading, the hook waits and buys nothing.
 * @example const price = usePrice(feed, address, { everyMs: 60_000 })
 * @throws TypeError for an unknown option
 */
export function usePrice(
  feed: PriceSource,
  address: string | undefined,
  options: UsePriceOptions,
): FeedPrice | undefined {
  const prices = usePrices(feed, address === undefined ? [] : [address], options)
  return address === undefined ? undefined : prices[address]
}

/**
 * The prices of several tokens, kept up to date while the component is mounted. The object is the same until a price changes. An
 * empty list watches nothing.
 * @example const { [BOLT]: bolt, [WETN]: wetn } = usePrices(feed, [BOLT, WETN], { everyMs: 60_000 })
 * @throws TypeError for an unknown option
 */
export function usePrices<const Address extends string>(
  feed: PriceSource,
  addresses: readonly Address[],
  options: UsePriceOptions,
): PricesByAddress<Address> {
  requireKnown('price option', options, ['everyMs', 'onError'])
  const { everyMs, onError } = options
  const latestOnError = useRef(onError)
  latestOnError.current = onError
  // An array literal is a new list at each render, and a new list would start a new watch.
  const key = JSON.stringify(addresses)
  const list = useMemo<Address[]>(() => JSON.parse(key), [key])
  const snapshot = useMemo(() => createSnapshot(feed, list), [feed, list])
  const subscribe = useCallback(
    (onChange: () => void) => {
      if (list.length === 0) return () => {}
      const watch = feed.watch(list, {
        everyMs,
        onPrice(price) {
          snapshot.deliver(price)
          onChange()
        },
        onError: (error) => latestOnError.current?.(error),
      })
      // What is known may have changed since it was rendered, and the watch delivers only what is young enough for it.
      snapshot.look()
      return () => watch.stop()
    },
    [feed, list, everyMs, snapshot],
  )
  return useSyncExternalStore(subscribe, snapshot.get, getServerSnapshot) as PricesByAddress<Address>
}

/** What a server renders, and a page before it is hydrated: the two must be equal. */
const getServerSnapshot = (): PricesByAddress => NOTHING

const NOTHING: PricesByAddress = Object.freeze({})

/**
 * The prices that a watch has delivered, and before that those that its feed knows: whether a price is stale depends on the interval of who shows it.
 * The object is the same until a price changes, because React compares snapshots by identity.
 */
export function createSnapshot(feed: PriceReader, addresses: readonly string[]) {
  const shown = new Map<string, FeedPrice | undefined>()
  let last: PricesByAddress | undefined
  function show(address: string, price: FeedPrice | undefined): void {
    const before = shown.get(address)
    if (before?.at === price?.at && before?.stale === price?.stale) return
    shown.set(address, price)
    last = undefined
  }
  const look = () => {
    for (const address of addresses) show(address, feed.peek(address))
  }
  look()
  return {
    look,
    deliver: (price: FeedPrice) => show(price.address, price),
    get(): PricesByAddress {
      last ??= shown.size > 0 ? Object.fromEntries(shown) : NOTHING
      return last
    },
  }
}
