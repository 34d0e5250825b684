import type { BalanceDocument } from '../../generated/types.ts'
import { isInteger, isObject } from '../../operations/type-guards.ts'
import { looksLikeAddress } from '../../utils/address.ts'
import { isRefusal } from '../failures.ts'
import type { FeedPrice, Watch, WatchOptions } from '../watch/types.ts'
import type { TokenInfo, TokenInfos } from './token-info.ts'
import { heldBalances, type TokenLookUps, valueWallet } from './value-wallet.ts'
import type { Portfolio } from './watch-portfolio.ts'

export interface PortfolioStateParts {
  /** As the caller wrote it. */
  readonly wallet: string
  readonly everyMs: number
  readonly signal: AbortSignal
  readonly tokens: TokenInfos
  watch(addresses: readonly string[], options: WatchOptions): Watch
  /** @param at when its balances were requested, by the clock of the feed */
  publish(portfolio: Portfolio, at: number): void
  fail(error: unknown): void
  /** Whether balances that were requested then are older than their interval. */
  isOld(at: number): boolean
}

/** What is known of a portfolio. It is published when it is complete, and as stale when something holds it up. */
export interface PortfolioState {
  /** Balances or decimals do not arrive. */
  fallBehind(): void
  setHoldings(holdings: Holdings): void
  /** The decimals of the holdings were looked up, all of them or not. */
  setLookedUp(isComplete: boolean): void
  stop(): void
}

export function createPortfolioState(parts: PortfolioStateParts): PortfolioState {
  const { wallet, everyMs, signal, tokens, watch, publish, fail, isOld } = parts
  let holdings: Holdings | undefined
  let isLookedUp = false
  /** Whether balances or decimals do not arrive. */
  let isBehind = false
  let haveFailed = false
  let isScheduled = false

  const prices = createPortfolioPrices({
    everyMs,
    watch,
    onChange: update,
    onError(error) {
      if (isRefusal(error)) return fail(error)
      haveFailed = true
      update()
    },
  })

  /** Later, because the prices of a batch arrive one by one. */
  function update(): void {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      if (holdings === undefined || signal.aborted) return
      const { isReady } = prices
      if (isReady) haveFailed = false
      if (!isBehind && !haveFailed && !(isLookedUp && isReady)) return
      const portfolio = summarize(wallet, holdings, { infoOf: tokens.get, priceOf: prices.get }, isBehind || !isReady)
      publish(isOld(holdings.at) ? { ...portfolio, stale: true } : portfolio, holdings.at)
    })
  }

  function watchPrices({ addresses }: Holdings): void {
    // Without decimals a price is of no use.
    prices.set(addresses.filter((address) => tokens.get(address) !== undefined))
  }

  return {
    fallBehind() {
      isBehind = true
      update()
    },
    setHoldings(fresh: Holdings) {
      holdings = fresh
      isBehind = false
      isLookedUp = false
      watchPrices(fresh)
    },
    setLookedUp(isComplete: boolean) {
      isLookedUp = true
      isBehind = !isComplete
      if (holdings) watchPrices(holdings)
      update()
    },
    stop: prices.stop,
  }
}

interface PortfolioPricesParts {
  readonly everyMs: number
  watch(addresses: readonly string[], options: WatchOptions): Watch
  onChange(): void
  onError(error: unknown): void
}

/** The prices of the tokens of a wallet, watched by the feed. */
interface PortfolioPrices {
  /** Whether every token has a price, or is known to have none. */
  readonly isReady: boolean
  get(address: string): FeedPrice | undefined
  /** Watches other tokens. */
  set(addresses: readonly string[]): void
  stop(): void
}

/** How often it is checked whether a token without a price has one now, in milliseconds. */
const RECHECK_MS = 3_600_000

function createPortfolioPrices({ everyMs, watch, onChange, onError }: PortfolioPricesParts): PortfolioPrices {
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

/** The balances of a wallet, as they were last requested. */
export interface Holdings {
  /** By EIP-55 token address, as the service sends them, without those of 0. */
  readonly balances: ReadonlyMap<string, string>
  /** The tokens that can be looked up: keys that are addresses. */
  readonly addresses: readonly string[]
  readonly complete: boolean
  readonly updated: number
  /** When they were requested, by the clock of the feed. */
  readonly at: number
  /** The same moment in unix milliseconds. */
  readonly requestedAt: number
  /** What the request was charged. */
  readonly credits: number
}

/** The largest page. */
export const MAX_BALANCES = 200

/** With `validate: 'warn'` an answer may have any shape. */
export function isBalanceDocument(value: unknown): boolean {
  return isObject(value) && isObject(value.balances)
}

export function readHoldings(
  document: BalanceDocument,
  request: Pick<Holdings, 'at' | 'requestedAt' | 'credits'>,
): Holdings {
  const balances = heldBalances(document)
  const updated = isInteger(document.updated) ? document.updated : 0
  const addresses = [...balances.keys()].filter(looksLikeAddress)
  const complete = Object.keys(document.balances).length < MAX_BALANCES
  return { balances, addresses, complete, updated, ...request }
}

export function summarize(
  wallet: string,
  { balances, complete, updated, requestedAt }: Holdings,
  lookUps: TokenLookUps<TokenInfo, FeedPrice>,
  isBehind: boolean,
): Portfolio {
  const { totalUsd, totalEtn, tokens } = valueWallet(balances, lookUps)
  const positions = tokens.map(({ address, balance, info, price = null, amount, usd, etn }) => {
    const { symbol = null, name = null, decimals = null } = info ?? {}
    return { address, symbol, name, decimals, balance, amount, usd, etn, price }
  })
  return {
    wallet,
    totalUsd,
    totalEtn,
    positions,
    unpriced: positions.filter(({ usd, etn }) => usd === null || etn === null).map(({ address }) => address),
    complete,
    updated,
    at: requestedAt,
    stale: isBehind || positions.some(({ price }) => price?.stale === true),
  }
}
