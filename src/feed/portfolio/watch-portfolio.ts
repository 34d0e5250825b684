import { sleep } from '../../concurrency/clock.ts'
import { rejectUnknown, requireMilliseconds } from '../../errors/input.ts'
import { operations } from '../../generated/operations.ts'
import type { BalanceDocument } from '../../generated/types.ts'
import { checksumAddress } from '../../utils/address.ts'
import { exponentialBackoff } from '../../utils/exponential-backoff.ts'
import { toWatchFailed } from '../events.ts'
import { mayBeChargedAgain } from '../failures.ts'
import type { Lifetime } from '../lifetime.ts'
import { followLatest } from '../requests/latest-value-stream.ts'
import type { RecurringRequests } from '../requests/recurring-requests.ts'
import {
  createFailureReport,
  createRequester,
  type FailureReport,
  type Requester,
  type RequesterParts,
} from '../requests/requester.ts'
import type { FeedClient } from '../types.ts'
import type { Watch, WatchOptions } from '../watch/types.ts'
import { createPortfolioState } from './state.ts'
import { type Holdings, isBalanceDocument, MAX_BALANCES, readHoldings } from './summary.ts'
import type { TokenInfos } from './token-info.ts'
import type { Portfolio, PortfolioOptions } from './types.ts'

export interface PortfolioParts extends RequesterParts {
  readonly client: FeedClient
  readonly lifetime: Lifetime
  readonly recurring: RecurringRequests
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
  parts: PortfolioParts,
): AsyncIterable<Portfolio> {
  rejectUnknown('portfolio option', options, ['everyMs', 'balancesEveryMs', 'signal'])
  const everyMs = requireMilliseconds('everyMs', options.everyMs)
  const balancesEveryMs = requireMilliseconds(
    'balancesEveryMs',
    options.balancesEveryMs ?? Math.max(everyMs, MIN_BALANCES_MS),
  )
  const { client, clock, lifetime } = parts
  client.balances.get.estimate({ address: wallet, limit: MAX_BALANCES })
  lifetime.signal.throwIfAborted()
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
      return follow({ wallet, everyMs, balancesEveryMs, publish, signal, fail, isOld }, parts)
    },
  })
}

interface Following {
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

async function follow(following: Following, parts: PortfolioParts): Promise<void> {
  const { wallet, balancesEveryMs, signal } = following
  const { clock, dailyBudget, tokens, emit } = parts
  const state = createPortfolioState({ ...following, tokens, watch: parts.watch })
  const reports = new Map<string, FailureReport>()
  const requesterFor = (address: string) => {
    const failures =
      reports.get(address) ??
      createFailureReport((error) => {
        emit(toWatchFailed(address, error))
        state.fallBehind()
      })
    reports.set(address, failures)
    return createRequester(parts, { signal, failures, everyMs: () => balancesEveryMs })
  }
  const address = checksumAddress(wallet)
  const requester = requesterFor(address)
  const stopPlanning = parts.recurring.add({
    operation: 'balances.get',
    address,
    key: address,
    everyMs: balancesEveryMs,
    credits: () => parts.holdings.get(address)?.credits ?? base,
  })
  const interval = () => balancesEveryMs * dailyBudget.requestStretch
  try {
    for (let earlierFailures = 0; ; ) {
      const holdings = await readBalances(wallet, interval(), requester, parts)
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
    stopPlanning()
    state.stop()
  }
}

/** Returns the balances, at most `maxAgeMs` old. */
async function readBalances(
  wallet: string,
  maxAgeMs: number,
  requester: Requester,
  { clock, holdings }: PortfolioParts,
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
