import type { BalanceDocument } from '../../generated/types.ts'
import { isInteger, isObject } from '../../operations/type-guards.ts'
import { looksLikeAddress } from '../../utils/address.ts'
import { isRefusal } from '../failures.ts'
import type { FeedPrice, Watch, WatchOptions } from '../watch/types.ts'
import type { TokenInfo, TokenInfos } from './token-info.ts'
import { heldBalances, type TokenLookUps, valueWallet } from './value-wallet.ts'
import type { Portfolio } from './watch-portfolio.ts'

/** A wallet, and who follows it. */
export interface FollowedWallet {
  /** As the caller wrote it. */
  readonly wallet: string
  readonly everyMs: number
  readonly balancesEveryMs: number
  readonly signal: AbortSignal
  /** @param at when its balances were requested, by the clock of the feed */
  publish(portfolio: Portfolio, at: number): void
  fail(error: unknown): void
  /** Whether balances that were requested then are older than their interval. */
  isOld(at: number): boolean
}

type StartWatch = (addresses: readonly string[], options: WatchOptions) => Watch

/** What is known of a portfolio. It is published when it is complete, and as stale when something holds it up. */
export class PortfolioState {
  readonly #followed: FollowedWallet
  readonly #tokens: TokenInfos
  readonly #prices: ReturnType<typeof createPortfolioPrices>
  #holdings: Holdings | undefined
  #isLookedUp = false
  /** Whether balances or decimals do not arrive. */
  #isBehind = false
  #haveFailed = false
  #isScheduled = false

  constructor(followed: FollowedWallet, tokens: TokenInfos, watch: StartWatch) {
    this.#followed = followed
    this.#tokens = tokens
    const onError = (error: unknown) => {
      if (isRefusal(error)) return followed.fail(error)
      this.#haveFailed = true
      this.#update()
    }
    this.#prices = createPortfolioPrices(followed.everyMs, watch, () => this.#update(), onError)
  }

  /** Balances or decimals do not arrive. */
  fallBehind(): void {
    this.#isBehind = true
    this.#update()
  }

  setHoldings(fresh: Holdings): void {
    this.#holdings = fresh
    this.#isBehind = false
    this.#isLookedUp = false
    this.#watchPrices(fresh)
  }

  /** The decimals of the holdings were looked up, all of them or not. */
  setLookedUp(isComplete: boolean): void {
    this.#isLookedUp = true
    this.#isBehind = !isComplete
    if (this.#holdings) this.#watchPrices(this.#holdings)
    this.#update()
  }

  stop(): void {
    this.#prices.stop()
  }

  #watchPrices({ addresses }: Holdings): void {
    // Without decimals a price is of no use.
    this.#prices.set(addresses.filter((address) => this.#tokens.get(address) !== undefined))
  }

  /** Later, because the prices of a batch arrive one by one. */
  #update(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#publish()
    })
  }

  #publish(): void {
    const { wallet, signal, isOld, publish } = this.#followed
    const holdings = this.#holdings
    if (holdings === undefined || signal.aborted) return
    const { isReady } = this.#prices
    if (isReady) this.#haveFailed = false
    if (!this.#isBehind && !this.#haveFailed && !(this.#isLookedUp && isReady)) return
    const lookUps = { infoOf: (address: string) => this.#tokens.get(address), priceOf: this.#prices.get }
    const portfolio = summarize(wallet, holdings, lookUps, this.#isBehind || !isReady)
    publish(isOld(holdings.at) ? { ...portfolio, stale: true } : portfolio, holdings.at)
  }
}

/** How often it is checked whether a token without a price has one now, in milliseconds. */
const RECHECK_MS = 3_600_000

/** The prices of the tokens of a wallet, watched by the feed. */
function createPortfolioPrices(
  everyMs: number,
  watch: StartWatch,
  onChange: () => void,
  onError: (error: unknown) => void,
) {
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
    /** Whether every token has a price, or is known to have none. */
    get isReady() {
      return wanted.every((address) => prices.has(address))
    },
    get: (address: string) => prices.get(address),
    /** Watches other tokens. */
    set(addresses: readonly string[]) {
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
