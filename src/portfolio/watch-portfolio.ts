import { rejectUnknown, requireMilliseconds } from '../errors/input.ts'
import { type FeedInternals, feedInternalsOf } from '../feed/feed-internals.ts'
import { followLatest } from '../feed/requests/latest-value-stream.ts'
import { buyUnlessKnown, type RecurringRequest, type Requester } from '../feed/requests/requester.ts'
import type { PriceFeed } from '../feed/types.ts'
import type { FeedPrice } from '../feed/watch/types.ts'
import { operations } from '../generated/operations.ts'
import type { BalanceDocument } from '../generated/types.ts'
import { isObject } from '../operations/type-guards.ts'
import { checksumAddress } from '../utils/address.ts'
import { type Holdings, PortfolioState } from './state.ts'
import { TokenInfos } from './token-info.ts'
import { MAX_BALANCES, readBalances } from './value-wallet.ts'

/** Options of `watchPortfolio`. */
export interface PortfolioOptions {
  /** Maximum age of a price before a newer one arrives, in milliseconds, above 0. */
  everyMs: number
  /**
   * Milliseconds between requests for the balances. A request costs 800 credits and 10 for each token, many times the cost of the prices.
   * @default `everyMs`, and 15 minutes at least
   */
  balancesEveryMs?: number | undefined
  /** Ends the iteration. It rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** What a wallet holds and what it is worth. Every figure is exact. */
export interface Portfolio {
  /** The address as the caller wrote it. */
  readonly wallet: string
  /** The value of all positions that have one in USD, a decimal string. */
  readonly totalUsd: string
  /** The value of all positions that have one in ETN, a decimal string. */
  readonly totalEtn: string
  /** Every token that the wallet holds, the highest value in USD first. Balances of 0 are left out. */
  readonly positions: readonly PortfolioPosition[]
  /** The addresses of positions that are missing in a total, in EIP-55 form. */
  readonly unpriced: readonly string[]
  /** False if the wallet may hold more tokens: the service returns at most 200. */
  readonly complete: boolean
  /** When the service recorded the balances, unix milliseconds; 0 if it has none of this wallet. */
  readonly updated: number
  /** When the balances were requested, unix milliseconds. */
  readonly at: number
  /** Whether a balance or a price is older than requested, or decimals are missing, because of a failure or the budget. */
  readonly stale: boolean
}

/** A token of a portfolio. */
export interface PortfolioPosition {
  /** The token, in EIP-55 form. */
  readonly address: string
  /** Null while nothing is known about the token. */
  readonly symbol: string | null
  /** Null while nothing is known about the token. */
  readonly name: string | null
  /** Decimal places of the smallest unit; null if they are not known. */
  readonly decimals: number | null
  /** Amount in the smallest unit, as the service sends it: hex with 0x; empty if it sends something else. */
  readonly balance: string
  /** Amount in whole tokens, a decimal string; null if the decimals are not known. */
  readonly amount: string | null
  /** Value in USD, a decimal string; null if the amount or the price is not known. */
  readonly usd: string | null
  /** Value in ETN, a decimal string; null if the amount or the price is not known. */
  readonly etn: string | null
  /** The price of one token; null while none is known. */
  readonly price: FeedPrice | null
}

const { base, perItem } = operations['balances.get'].credits
const WORST_CASE = base + perItem * MAX_BALANCES
/** By default balances are not requested more often, in milliseconds: they cost many times what the prices do. */
const MIN_BALANCES_MS = 15 * 60_000
const MAX_WALLETS = 100
/** Balances this much older than their interval may still be on their way. */
const MAX_LATENCY_MS = 10_000

/**
 * Keeps the balances of a wallet and the prices of its tokens up to date. Iterating over it yields the portfolio after each
 * change; a slow reader misses older states. Balances cost 800 credits and 10 for each token, once per interval. Prices are
 * watched, and shared with other watches. The decimals of a token cost at most 100 once for all wallets of the feed and of its
 * store.
 * @example for await (const { totalUsd, positions } of watchPortfolio(feed, wallet, { everyMs: 300_000 })) show(totalUsd, positions)
 * @throws the client's error, unless it is transient.
 */
export function watchPortfolio(feed: PriceFeed, wallet: string, options: PortfolioOptions): AsyncIterable<Portfolio> {
  rejectUnknown('portfolio option', options, ['everyMs', 'balancesEveryMs', 'signal'])
  const everyMs = requireMilliseconds('everyMs', options.everyMs)
  const { balancesEveryMs: given = Math.max(everyMs, MIN_BALANCES_MS), signal } = options
  const balancesEveryMs = requireMilliseconds('balancesEveryMs', given)
  const internals = feedInternalsOf(feed)
  const { client, clock, lifetime, share } = internals
  client.balances.get.estimate({ address: wallet, limit: MAX_BALANCES })
  lifetime.throwIfAborted()
  const address = checksumAddress(wallet)
  const wallets = share('portfolios', () => new Wallets(internals))
  const planned: RecurringRequest = {
    operation: 'balances.get',
    address,
    key: address,
    everyMs: balancesEveryMs,
    credits: () => wallets.creditsFor(address),
  }
  return followLatest<Portfolio>(internals, signal, planned, (push, ended, fail) => {
    const publish = (portfolio: Portfolio, at: number) => {
      const isOld = () => clock.now() - at > balancesEveryMs + MAX_LATENCY_MS
      push(() => (isOld() ? { ...portfolio, stale: true } : portfolio))
    }
    const reader = { wallet, address, everyMs, balancesEveryMs, publish, fail }
    return new PortfolioState(feed, internals, reader, wallets).follow(ended)
  })
}

/** What the portfolios of a feed share: the newest balances of each wallet, and the decimals of tokens. */
export class Wallets {
  readonly tokens: TokenInfos
  readonly #feed: FeedInternals
  readonly #holdings = new Map<string, Holdings>()

  constructor(feed: FeedInternals) {
    this.#feed = feed
    this.tokens = new TokenInfos(feed.clock.now, feed.store)
  }

  /** What the balances of a wallet cost, as far as that is known. */
  creditsFor(address: string): number {
    return this.#holdings.get(address)?.credits ?? base
  }

  /** Resolves with balances that are at most so old. */
  readBalances(address: string, maxAgeMs: number, requester: Requester): Promise<Holdings> {
    const { clock } = this.#feed
    const readKnown = () => {
      const known = this.#holdings.get(address)
      return known && clock.now() - known.askedAt < maxAgeMs ? known : undefined
    }
    return buyUnlessKnown(readKnown, async (check) => {
      const { data, sentAt, credits, cachedForMs } = await requester.request<BalanceDocument>(() => {
        check()
        return {
          operation: 'balances.get',
          addresses: [address],
          worstCase: WORST_CASE,
          params: { address, limit: MAX_BALANCES },
          // With `validate: 'warn'` an answer may have any shape.
          isUsable: (answer: unknown) => isObject(answer) && isObject(answer.balances),
        }
      })
      const fresh = {
        ...readBalances(data),
        askedAt: sentAt,
        at: sentAt - cachedForMs,
        requestedAt: clock.toUnix(sentAt - cachedForMs),
        credits,
      }
      this.#holdings.delete(address)
      this.#holdings.set(address, fresh)
      const [oldest] = this.#holdings.keys()
      if (this.#holdings.size > MAX_WALLETS && oldest !== undefined) this.#holdings.delete(oldest)
      return fresh
    })
  }
}
