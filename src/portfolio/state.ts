import type { CancellationSignal } from '../concurrency/cancellation.ts'
import { sleep } from '../concurrency/clock.ts'
import type { EtnMarketError } from '../errors/base.ts'
import { isRefusal, mayBeChargedAgain, toWatchFailed } from '../feed/failures.ts'
import type { FeedInternals } from '../feed/feed-internals.ts'
import { Requester } from '../feed/requests/requester.ts'
import type { PriceFeed } from '../feed/types.ts'
import type { FeedPrice, Watch } from '../feed/watch/types.ts'
import { onceInTurn } from '../utils/runtime.ts'
import { ExponentialBackoff } from '../utils/time-units.ts'
import type { BuyTokens } from './token-info.ts'
import { type HeldBalances, valueWallet } from './value-wallet.ts'
import type { Portfolio, Wallets } from './watch-portfolio.ts'

/** How often it is checked whether a token without a price has one now, in milliseconds. */
const RECHECK_MS = 3_600_000

interface PortfolioReader {
  /** As the caller wrote it. */
  readonly wallet: string
  readonly address: string
  /** The interval of prices. */
  readonly everyMs: number
  readonly balancesEveryMs: number
  /** @param at when its balances were requested, by the clock of the feed */
  publish(portfolio: Portfolio, at: number): void
  fail(error: unknown): void
}

/** Follows a wallet and the prices of its tokens. It is published when it is complete, and as stale when something holds it up. */
export class PortfolioState {
  readonly #feed: PriceFeed
  readonly #internals: FeedInternals
  readonly #reader: PortfolioReader
  readonly #wallets: Wallets
  readonly #prices = new Map<string, FeedPrice>()
  #wanted: readonly string[] = []
  readonly #priced: Watch
  /** Of tokens that have had no price. */
  readonly #unpriced: Watch
  #holdings: Holdings | undefined
  #isLookedUp = false
  /** Whether balances or decimals do not arrive. */
  #isBehind = false
  #haveFailed = false
  /** Once for all prices of a batch, which arrive one by one. */
  readonly #update = onceInTurn(() => this.#publish())

  constructor(feed: PriceFeed, internals: FeedInternals, reader: PortfolioReader, wallets: Wallets) {
    this.#feed = feed
    this.#internals = internals
    this.#reader = reader
    this.#wallets = wallets
    this.#priced = this.#watch(reader.everyMs)
    this.#unpriced = this.#watch(Math.max(reader.everyMs, RECHECK_MS))
  }

  /** Buys balances and decimals until the signal aborts. */
  async follow(signal: CancellationSignal): Promise<void> {
    const { clock, dailyBudget, emit } = this.#internals
    const { address, balancesEveryMs } = this.#reader
    const { tokens } = this.#wallets
    const createRequester = (onReason: (error: EtnMarketError) => void) =>
      new Requester(this.#internals, signal, () => balancesEveryMs, onReason)
    const report = (of: string, error: EtnMarketError) => {
      emit(toWatchFailed(of, error))
      this.#isBehind = true
      this.#update()
    }
    /** Of tokens that are not known yet, by address. One that fails does not hold up the others, or the next look-up. */
    const reported = new Map<string, string>()
    const buyTokens: BuyTokens = async (token, request) => {
      const onReason = (error: EtnMarketError) => {
        if (reported.get(token) !== error.code) report(token, error)
        reported.set(token, error.code)
      }
      return (await createRequester(onReason).attempt(() => request)).data
    }
    const requester = createRequester((error) => report(address, error))
    const interval = () => balancesEveryMs * dailyBudget.requestStretch
    const retries = new ExponentialBackoff()
    try {
      for (;;) {
        const holdings = await this.#wallets.readBalances(address, interval(), requester)
        signal.throwIfAborted()
        this.#holdings = holdings
        this.#isBehind = false
        this.#isLookedUp = false
        this.#watchTokens(holdings)
        const failed = await tokens.lookUp(holdings.balances.keys(), buyTokens)
        signal.throwIfAborted()
        this.#isLookedUp = true
        this.#isBehind = failed.length > 0
        this.#watchTokens(holdings)
        this.#update()
        const dueMs = holdings.askedAt + interval() - clock.now()
        const isDue = failed.some((error) => mayBeChargedAgain(error, retries.failures))
        if (failed.length === 0) retries.failures = 0
        const retryMs = failed.length === 0 ? dueMs : retries.fail()
        await sleep(clock, Math.max(0, isDue ? dueMs : Math.min(dueMs, retryMs)), signal)
      }
    } finally {
      this.#priced.stop()
      this.#unpriced.stop()
    }
  }

  /** Watches those that can be valued: without decimals a price is of no use. */
  #watchTokens({ balances }: Holdings): void {
    this.#wanted = [...balances.keys()].filter((address) => this.#wallets.tokens.get(address) !== undefined)
    for (const address of this.#prices.keys()) if (!this.#wanted.includes(address)) this.#prices.delete(address)
    const isUnpriced = (address: string) => {
      const price = this.#prices.get(address)
      return price !== undefined && price.usd === null && price.etn === null
    }
    this.#unpriced.update({ addresses: this.#wanted.filter(isUnpriced) })
    this.#priced.update({ addresses: this.#wanted.filter((address) => !isUnpriced(address)) })
  }

  #watch(everyMs: number): Watch {
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
    return this.#feed.watch([], { everyMs, onPrice, onError })
  }

  #publish(): void {
    const holdings = this.#holdings
    if (holdings === undefined) return
    // Every token has a price, or is known to have none.
    const isReady = this.#wanted.every((address) => this.#prices.has(address))
    if (isReady) this.#haveFailed = false
    if (!this.#isBehind && !this.#haveFailed && !(this.#isLookedUp && isReady)) return
    const infoOf = (address: string) => this.#wallets.tokens.get(address)
    const priceOf = (address: string) => this.#prices.get(address)
    const { totalUsd, totalEtn, positions } = valueWallet(holdings.balances, infoOf, priceOf)
    const portfolio: Portfolio = {
      wallet: this.#reader.wallet,
      totalUsd,
      totalEtn,
      positions,
      unpriced: positions.filter(({ usd, etn }) => usd === null || etn === null).map(({ address }) => address),
      complete: holdings.complete,
      updated: holdings.updated,
      at: holdings.requestedAt,
      stale: this.#isBehind || !isReady || positions.some(({ price }) => price?.stale === true),
    }
    this.#reader.publish(portfolio, holdings.at)
  }
}

export interface Holdings extends HeldBalances {
  /** When they were requested, by the clock of the feed. */
  readonly askedAt: number
  /** From when they are: earlier, where a cache on the way had kept them. */
  readonly at: number
  /** The same moment in unix milliseconds. */
  readonly requestedAt: number
  readonly credits: number
}
