import type { FeedPrice } from '../watch/types.ts'

/** Options of `feed.portfolio`. */
export interface PortfolioOptions {
  /** Maximum age of a price before a newer one arrives, in milliseconds, above 0. */
  everyMs: number
  /**
   * Milliseconds between requests for the balances. One costs 800 credits and 10 for each token, many times what the prices cost.
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
