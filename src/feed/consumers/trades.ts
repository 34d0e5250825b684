import { type Clock, startTimer } from '../../concurrency/clock.ts'
import { isEtnMarketError } from '../../errors/base.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import { operations } from '../../generated/operations.ts'
import type { Trade } from '../../generated/types.ts'
import { callSafely, type FeedEvent } from '../events.ts'
import type { Backoff } from '../prices/backoff.ts'
import { spendFromBudget } from '../prices/buy-prices.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import type { FeedClient, TradesOptions } from '../types.ts'
import type { Lifetime } from './lifetime.ts'
import { createTradeDedupe } from './trade-dedupe.ts'

export interface TradesParts {
  readonly client: FeedClient
  readonly clock: Clock
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly lifetime: Lifetime
  emit(event: FeedEvent): void
  isPaused(): boolean
}

const { base, perItem, maxItems: PAGE_SIZE } = operations['trade.list'].credits
const WORST_CASE = base + perItem * PAGE_SIZE
/** The number of new trades a request aims for. After a full page, trades may be missing. */
const TARGET_TRADES = PAGE_SIZE / 2
/** How often a hidden page is checked. */
const PAUSE_MS = 1_000
/** How often it is checked whether the budget has room beside the watches. */
const SHARE_CHECK_MS = 60_000

/** Requests the newest page again and again, and yields the trades that are new. */
export function followTrades(options: TradesOptions, parts: TradesParts): AsyncGenerator<Trade, void, undefined> {
  rejectUnknown('trades option', options, ['token', 'everyMs', 'signal', 'onGap'])
  const bounds = readBounds(options.everyMs)
  const params = { limit: PAGE_SIZE, ...(options.token !== undefined && { token: options.token }) }
  parts.client.trade.list.estimate(params)
  parts.lifetime.signal.throwIfAborted()
  return follow(params, bounds, options, parts)
}

async function* follow(
  params: { limit: number; token?: string },
  { min, max }: { min: number; max: number },
  { token, signal, onGap }: TradesOptions,
  parts: TradesParts,
): AsyncGenerator<Trade, void, undefined> {
  const { clock, dailyBudget, lifetime, emit } = parts
  const ended = endOf(signal, lifetime)
  const dedupe = createTradeDedupe()
  let everyMs = min
  try {
    for (;;) {
      const requestedAt = clock.now()
      const page = await readPage(params, ended.signal, parts)
      const { fresh, gap } = dedupe.add(page, PAGE_SIZE)
      if (gap) {
        emit({ type: 'feed.gap', token, ...gap })
        callSafely(onGap, undefined)
      }
      yield* fresh
      // At most twice as slow or twice as fast, because one page says little.
      const factor = Math.min(2, Math.max(0.5, TARGET_TRADES / Math.max(1, fresh.length)))
      everyMs = Math.min(max, Math.max(min, everyMs * factor))
      const waitMs = requestedAt + everyMs * dailyBudget.requestStretch - clock.now()
      if (waitMs > 0) await pause(waitMs, ended.signal, parts)
    }
  } catch (error) {
    if (!lifetime.signal.aborted) throw error
  } finally {
    ended.stopListening()
  }
}

/** Reads one page. Waits while a failure or a lack of credits holds requests up. */
async function readPage(
  params: { limit: number; token?: string },
  signal: AbortSignal,
  parts: TradesParts,
): Promise<readonly Trade[]> {
  const { client, clock, dailyBudget, backoff, emit, isPaused } = parts
  for (;;) {
    signal.throwIfAborted()
    if (isPaused()) await pause(PAUSE_MS, signal, parts)
    else if (mustLeaveShare(dailyBudget)) await pause(SHARE_CHECK_MS, signal, parts)
    else if (clock.now() < backoff.until) await pause(backoff.until - clock.now(), signal, parts)
    else {
      const sentAt = clock.now()
      try {
        const send = () => client.trade.list(params, { signal, retry: false })
        const { data, credits } = await spendFromBudget(dailyBudget.budget, WORST_CASE, send)
        dailyBudget.recordUnplanned(credits)
        backoff.recordSuccess(sentAt)
        emit({ type: 'feed.bought', operation: 'trade.list', addresses: [], credits })
        return data
      } catch (error) {
        signal.throwIfAborted()
        const { transient } = backoff.recordFailure(error, sentAt)
        if (!transient && !isShortOfCredits(error)) throw error
      }
    }
  }
}

/** Whether the next page would use the share of the budget that the watches need. */
function mustLeaveShare({ budget, availableForRequests }: DailyBudget): boolean {
  return availableForRequests < Math.min(WORST_CASE, budget.available)
}

function isShortOfCredits(error: unknown): boolean {
  return isEtnMarketError(error) && /^(BudgetExceeded|InsufficientCredits)Error$/.test(error.name)
}

function pause(ms: number, signal: AbortSignal, { clock }: TradesParts): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => {
      stopTimer()
      reject(signal.reason)
    }
    const stopTimer = startTimer(clock, ms, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** A signal that aborts with the caller's signal or with the feed, whichever is first. */
function endOf(signal: AbortSignal | undefined, lifetime: Lifetime) {
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal?.reason)
  const onClose = () => controller.abort(lifetime.signal.reason)
  if (signal?.aborted) onAbort()
  const stopListening = lifetime.onAbort(signal, onAbort)
  if (lifetime.signal.aborted) onClose()
  const stopOnClose = lifetime.onClose(onClose)
  return {
    signal: controller.signal,
    stopListening() {
      stopListening()
      stopOnClose()
    },
  }
}

function readBounds(everyMs: TradesOptions['everyMs']): { min: number; max: number } {
  const bounds = typeof everyMs === 'number' ? { min: everyMs, max: everyMs } : everyMs
  rejectUnknown('everyMs', bounds, ['min', 'max'])
  const { min, max } = bounds
  if (!(typeof min === 'number' && typeof max === 'number' && min > 0 && max >= min && max < Number.POSITIVE_INFINITY))
    throw invalidOption('everyMs', JSON.stringify(everyMs), 'a number of milliseconds above 0, or { min, max } of them')
  return bounds
}
