import { sleep } from '../../concurrency/clock.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { rejectUnknown, requireMilliseconds } from '../../errors/input.ts'
import { operations } from '../../generated/operations.ts'
import type { BalanceDocument } from '../../generated/types.ts'
import { checksumAddress } from '../../utils/address.ts'
import { exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedContext } from '../context.ts'
import { toWatchFailed } from '../events.ts'
import { mayBeChargedAgain } from '../failures.ts'
import { followLatest } from '../requests/latest-value-stream.ts'
import { type RecurringRequest, Requester } from '../requests/requester.ts'
import type { FeedPrice, Watch, WatchOptions } from '../watch/types.ts'
import {
  type FollowedWallet,
  type Holdings,
  isBalanceDocument,
  MAX_BALANCES,
  PortfolioState,
  readHoldings,
} from './state.ts'
import type { TokenInfos } from './token-info.ts'

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

/** What the portfolios of a feed share. */
export interface PortfolioContext extends FeedContext {
  readonly tokens: TokenInfos
  /** The newest balances of each wallet, for every reader. */
  readonly holdings: Map<string, Holdings>
  watch(addresses: readonly string[], options: WatchOptions): Watch
}

const { base, perItem } = operations['balances.get'].credits
const WORST_CASE = base + perItem * MAX_BALANCES
/** By default balances are not requested more often, in milliseconds: they cost many times what the prices do. */
const MIN_BALANCES_MS = 15 * 60_000
/** Beyond this number of wallets, the balances of the oldest are forgotten. */
const MAX_WALLETS = 100
/** Balances this much older than their interval may still be on their way. */
const MAX_LATENCY_MS = 10_000
/** The first and the longest wait before decimals are looked up again, in milliseconds. */
const MIN_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000

/** Keeps balances, decimals and prices of a wallet up to date, and yields what they amount to. */
export function watchPortfolio(
  wallet: string,
  options: PortfolioOptions,
  context: PortfolioContext,
): AsyncIterable<Portfolio> {
  rejectUnknown('portfolio option', options, ['everyMs', 'balancesEveryMs', 'signal'])
  const everyMs = requireMilliseconds('everyMs', options.everyMs)
  const balancesEveryMs = requireMilliseconds(
    'balancesEveryMs',
    options.balancesEveryMs ?? Math.max(everyMs, MIN_BALANCES_MS),
  )
  const { client, clock, lifetime } = context
  client.balances.get.estimate({ address: wallet, limit: MAX_BALANCES })
  lifetime.throwIfAborted()
  const isOld = (at: number) => clock.now() - at > balancesEveryMs + MAX_LATENCY_MS
  /** When the balances of a portfolio were requested, by the clock of the feed. */
  const requestedAt = new WeakMap<Portfolio, number>()
  return followLatest<Portfolio>({
    signal: options.signal,
    lifetime,
    onRead: (portfolio) =>
      isOld(requestedAt.get(portfolio) ?? clock.now()) ? { ...portfolio, stale: true } : portfolio,
    follow(push, signal, fail) {
      const publish = (portfolio: Portfolio, at: number) => {
        requestedAt.set(portfolio, at)
        push(portfolio)
      }
      return follow({ wallet, everyMs, balancesEveryMs, publish, signal, fail, isOld }, context)
    },
  })
}

async function follow(followed: FollowedWallet, context: PortfolioContext): Promise<void> {
  const { wallet, balancesEveryMs, signal } = followed
  const { clock, dailyBudget, tokens, emit, recurring } = context
  const state = new PortfolioState(followed, tokens, context.watch)
  const requesters = new Map<string, Requester>()
  const requesterFor = (address: string) => {
    const report = (error: EtnMarketError) => {
      emit(toWatchFailed(address, error))
      state.fallBehind()
    }
    const requester = requesters.get(address) ?? new Requester(context, signal, () => balancesEveryMs, report)
    requesters.set(address, requester)
    return requester
  }
  const address = checksumAddress(wallet)
  const requester = requesterFor(address)
  const planned: RecurringRequest = {
    operation: 'balances.get',
    address,
    key: address,
    everyMs: balancesEveryMs,
    credits: () => context.holdings.get(address)?.credits ?? base,
  }
  recurring.add(planned)
  const interval = () => balancesEveryMs * dailyBudget.requestStretch
  try {
    for (let earlierFailures = 0; ; ) {
      const holdings = await readBalances(wallet, interval(), requester, context)
      signal.throwIfAborted()
      state.setHoldings(holdings)
      const failed = await tokens.lookUp(holdings.addresses, requesterFor)
      signal.throwIfAborted()
      state.setLookedUp(failed.length === 0)
      const dueMs = holdings.at + interval() - clock.now()
      const mayRetry = failed.length > 0 && !failed.some((error) => mayBeChargedAgain(error, earlierFailures))
      const retryMs = exponentialBackoff(earlierFailures, MIN_RETRY_MS, MAX_RETRY_MS)
      earlierFailures = failed.length === 0 ? 0 : earlierFailures + 1
      await sleep(clock, Math.max(0, mayRetry ? Math.min(dueMs, retryMs) : dueMs), signal)
    }
  } finally {
    recurring.delete(planned)
    state.stop()
  }
}

/** Returns the balances, at most `maxAgeMs` old. */
async function readBalances(
  wallet: string,
  maxAgeMs: number,
  requester: Requester,
  { clock, holdings }: PortfolioContext,
): Promise<Holdings> {
  const address = checksumAddress(wallet)
  const known = holdings.get(address)
  const ageMs = clock.now() - (known?.at ?? Number.NEGATIVE_INFINITY)
  if (known && ageMs >= 0 && ageMs < maxAgeMs) return known
  const { data, sentAt, credits } = await requester.request<BalanceDocument>(() => ({
    operation: 'balances.get',
    addresses: [address],
    worstCase: WORST_CASE,
    params: { address, limit: MAX_BALANCES },
    isUsable: isBalanceDocument,
  }))
  const fresh = readHoldings(data, { at: sentAt, requestedAt: clock.toUnix(sentAt), credits })
  holdings.delete(address)
  holdings.set(address, fresh)
  const [oldest] = holdings.keys()
  if (holdings.size > MAX_WALLETS && oldest !== undefined) holdings.delete(oldest)
  return fresh
}
