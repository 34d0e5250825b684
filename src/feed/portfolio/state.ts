import type { FeedContext } from '../context.ts'
import { isRefusal } from '../failures.ts'
import type { FeedPrice, Watch } from '../watch/types.ts'
import { watchPrices } from '../watch/watch.ts'
import type { TokenInfo, TokenInfos } from './token-info.ts'
import { valueWallet } from './value-wallet.ts'
import type { Portfolio } from './watch-portfolio.ts'

/** How often it is checked whether a token without a price has one now, in milliseconds. */
const RECHECK_MS = 3_600_000

/** Who reads a portfolio. */
export interface PortfolioReader {
  /** As the caller wrote it. */
  readonly wallet: string
  /** The interval of prices. */
  readonly everyMs: number
  /** @param at when its balances were requested, by the clock of the feed */
  publish(portfolio: Portfolio, at: number): void
  fail(error: unknown): void
}

/**
 * What is known of a portfolio, whose prices it watches. It is published when it is complete, and as stale when something holds it up.
 */
export class PortfolioState {
  readonly #context: FeedContext
  readonly #reader: PortfolioReader
  readonly #tokens: TokenInfos
  readonly #prices = new Map<string, FeedPrice>()
  #wanted: readonly string[] = []
  /** The running watches by what they watch: of tokens with a price, and of those that have had none. */
  #watches: ReadonlyMap<string, Watch> = new Map()
  #holdings: Holdings | undefined
  #isLookedUp = false
  /** Whether balances or decimals do not arrive. */
  #isBehind = false
  #haveFailed = false
  #isScheduled = false

  constructor(context: FeedContext, reader: PortfolioReader, tokens: TokenInfos) {
    this.#context = context
    this.#reader = reader
    this.#tokens = tokens
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
    this.#watchTokens(fresh)
  }

  /** The decimals of the holdings were looked up, all of them or not. */
  setLookedUp(isComplete: boolean): void {
    this.#isLookedUp = true
    this.#isBehind = !isComplete
    this.#watchTokens(this.#holdings)
    this.#update()
  }

  stop(): void {
    this.#watchTokens(undefined)
  }

  #watchTokens(holdings: Holdings | undefined): void {
    const held = [...(holdings?.balances.keys() ?? [])]
    // Without decimals a price is of no use.
    this.#wanted = held.filter((address) => this.#tokens.get(address) !== undefined).sort()
    for (const address of this.#prices.keys()) if (!this.#wanted.includes(address)) this.#prices.delete(address)
    const hasNoPrice = (address: string) => {
      const price = this.#prices.get(address)
      return price !== undefined && price.usd === null && price.etn === null
    }
    const { everyMs } = this.#reader
    const before = this.#watches
    const watches = new Map<string, Watch>()
    const start = (watched: readonly string[], intervalMs: number) => {
      const key = `${intervalMs} ${watched}`
      if (watched.length > 0) watches.set(key, before.get(key) ?? this.#watch(watched, intervalMs))
    }
    const unpriced = this.#wanted.filter(hasNoPrice)
    const others = this.#wanted.filter((address) => !unpriced.includes(address))
    start(others, everyMs)
    start(unpriced, Math.max(everyMs, RECHECK_MS))
    this.#watches = watches
    // Afterwards, so that nobody stops wanting a token that stays.
    for (const [key, watch] of before) if (!watches.has(key)) watch.stop()
  }

  #watch(addresses: readonly string[], everyMs: number): Watch {
    const onPrice = (price: FeedPrice) => {
      if (!this.#wanted.includes(price.address)) return
      this.#prices.set(price.address, price)
      this.#update()
    }
    const onError = (error: unknown) => {
      if (isRefusal(error)) return this.#reader.fail(error)
      this.#haveFailed = true
      this.#update()
    }
    return watchPrices(addresses, { everyMs, onPrice, onError }, this.#context)
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
    const holdings = this.#holdings
    if (holdings === undefined) return
    // Every token has a price, or is known to have none.
    const isReady = this.#wanted.every((address) => this.#prices.has(address))
    if (isReady) this.#haveFailed = false
    if (!this.#isBehind && !this.#haveFailed && !(this.#isLookedUp && isReady)) return
    const infoOf = (address: string) => this.#tokens.get(address)
    const priceOf = (address: string) => this.#prices.get(address)
    const { wallet, publish } = this.#reader
    publish(summarize(wallet, holdings, infoOf, priceOf, this.#isBehind || !isReady), holdings.at)
  }
}

/** The balances of a wallet, as they were last requested. */
export interface Holdings {
  /** By EIP-55 token address, as the service sends them, without those of 0. */
  readonly balances: ReadonlyMap<string, string>
  readonly complete: boolean
  readonly updated: number
  /** When they were requested, by the clock of the feed. */
  readonly at: number
  /** The same moment in unix milliseconds. */
  readonly requestedAt: number
  /** What the request was charged. */
  readonly credits: number
}

function summarize(
  wallet: string,
  { balances, complete, updated, requestedAt }: Holdings,
  infoOf: (address: string) => TokenInfo | undefined,
  priceOf: (address: string) => FeedPrice | undefined,
  isBehind: boolean,
): Portfolio {
  const { totalUsd, totalEtn, tokens } = valueWallet(balances, infoOf, priceOf)
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
