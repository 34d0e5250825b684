import type { FeedPrice, Watch, WatchOptions } from '../types.ts'

export interface PortfolioPricesParts {
  readonly everyMs: number
  watch(addresses: readonly string[], options: WatchOptions): Watch
  onChange(): void
  onError(error: unknown): void
}

/** The prices of the tokens of a wallet, watched by the feed. */
export interface PortfolioPrices {
  /** Whether every token has a price, or is known to have none. */
  readonly isReady: boolean
  get(address: string): FeedPrice | undefined
  /** Watches other tokens. */
  set(addresses: readonly string[]): void
  stop(): void
}

/** How often it is checked whether a token without a price has one now, in milliseconds. */
const RECHECK_MS = 3_600_000

export function createPortfolioPrices({ everyMs, watch, onChange, onError }: PortfolioPricesParts): PortfolioPrices {
  const prices = new Map<string, FeedPrice>()
  let wanted: readonly string[] = []
  const priced = createGroup(everyMs)
  const unpriced = createGroup(Math.max(everyMs, RECHECK_MS))

  const onPrice = (price: FeedPrice) => {
    if (!wanted.includes(price.address)) return
    prices.set(price.address, price)
    onChange()
  }

  function createGroup(interval: number) {
    let watched = ''
    let current: Watch | undefined
    return (addresses: readonly string[]) => {
      const key = addresses.join()
      if (key === watched) return
      watched = key
      const previous = current
      current = key === '' ? undefined : watch(addresses, { everyMs: interval, onPrice, onError })
      // Afterwards, so that nobody stops wanting a token that stays.
      previous?.stop()
    }
  }

  const hasNoPrice = (address: string) => {
    const price = prices.get(address)
    return price !== undefined && price.usd === null && price.etn === null
  }

  return {
    get isReady() {
      return wanted.every((address) => prices.has(address))
    },
    get: (address) => prices.get(address),
    set(addresses) {
      wanted = addresses.toSorted()
      for (const address of prices.keys()) if (!wanted.includes(address)) prices.delete(address)
      priced(wanted.filter((address) => !hasNoPrice(address)))
      unpriced(wanted.filter(hasNoPrice))
    },
    stop() {
      priced([])
      unpriced([])
    },
  }
}
