import { startTimer } from '../../concurrency/clock.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { ResponseError } from '../../errors/response.ts'
import type { Trade } from '../../generated/types.ts'
import { isObject } from '../../operations/type-guards.ts'
import type { FeedEvent, FeedTradesFailedEvent } from '../events.ts'
import { creditsChargedBy, type Failure, isShortOfCredits, isUnreadable } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { Lifetime } from '../lifetime.ts'
import { spendFromBudget } from '../prices/buy-prices.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import type { Backoff } from '../requests/backoff.ts'
import type { OtherRequests } from '../schedule/explain.ts'
import type { FeedClient } from '../types.ts'
import { adaptInterval, createTradeCost, FULL_PAGE, PAGE_SIZE, type TradeCost, tradeCredits } from './cost.ts'
import { createTradeDedupe, mergePage, type TradeDedupe, type TradeGap, type TradePage } from './dedupe.ts'
import type { TradeMemory, TradeStore } from './store.ts'

/** Somebody who reads the trades of a token. */
export interface TradeReader {
  /** The shortest and the longest interval between requests, in milliseconds. */
  readonly bounds: { readonly min: number; readonly max: number }
  /** Whether the reader has read everything, and waits for more. */
  readonly isWaiting: boolean
  /** Whether it has read trades before, so that it begins with those that it has not read. */
  readonly isResumed: boolean
  /** Takes the newest trades, known ones included. Returns what the reader has missed. */
  receive(page: TradePage): TradeGap | undefined
  fail(error: unknown): void
}

/** The trades of one token, bought once for all of its readers. */
export interface TradeSource {
  readonly size: number
  /** What is requested for the readers; undefined without any. */
  planned(): OtherRequests | undefined
  /** Adds a reader. Returns a function that removes it. */
  add(reader: TradeReader): () => void
  /** Call it when a reader begins to wait. */
  wake(): void
  /** Resolves when no request is in flight. */
  stop(): Promise<void>
}

export interface TradeSourceParts extends TradeRequestParts {
  readonly store: TradeStore | undefined
  emit(event: FeedEvent): void
  isPaused(): boolean
}

interface SentRequest {
  readonly limit: number
  readonly sentAt: number
  readonly intervalMs: number
}

/** How often a hidden page is checked. */
const PAUSE_MS = 1_000
/** How often it is checked whether the budget has room beside the watches. */
const SHARE_CHECK_MS = 60_000

export function createTradeSource(token: string | undefined, parts: TradeSourceParts): TradeSource {
  const { clock, dailyBudget, backoff, store, lifetime, emit, isPaused } = parts
  const readers = new Set<TradeReader>()
  let memory: TradeMemory | undefined
  let cost: TradeCost = createTradeCost()
  let dedupe: TradeDedupe = createTradeDedupe()
  let isLoaded = store === undefined
  /** When the request of the current interval was sent. */
  let intervalStart = Number.NEGATIVE_INFINITY
  /** Whether another request is needed before the next interval. */
  let needsExtra = false
  let needsFullPage = false
  let notBefore = Number.NEGATIVE_INFINITY
  let working: Promise<void> | undefined
  let stopTimer = () => {}

  const waiting = () => [...readers].filter(({ isWaiting }) => isWaiting)
  const nextInterval = (some: readonly TradeReader[]) => intervalStart + intervalOf(some) * dailyBudget.requestStretch
  const intervalOf = (some: readonly TradeReader[]) => intervalWithin(some, memory?.everyMs ?? 0)

  function wake(): void {
    stopTimer()
    if (working !== undefined || lifetime.signal.aborted) return
    const some = waiting()
    if (some.length === 0) return
    const dueAt = needsExtra && cost.coversExtra ? clock.now() : nextInterval(some)
    const sendAt = isLoaded ? Math.max(dueAt, backoff.until, notBefore) : clock.now()
    const waitMs = isPaused() ? PAUSE_MS : sendAt - clock.now()
    if (waitMs > 0) stopTimer = startTimer(clock, Math.ceil(waitMs), wake)
    else {
      working = work().finally(() => {
        working = undefined
        wake()
      })
    }
  }

  async function work(): Promise<void> {
    if (!isLoaded) return load()
    // A reader that begins and aborts in the same turn costs nothing.
    await dailyBudget.load()
    if (waiting().length === 0) return
    if (dailyBudget.availableForRequests < Math.min(FULL_PAGE, dailyBudget.budget.available)) {
      notBefore = clock.now() + SHARE_CHECK_MS
      return
    }
    await buy()
  }

  async function load(): Promise<void> {
    const stored = await store?.readMemory(token)
    isLoaded = true
    if (stored === undefined) return
    memory = stored
    cost = createTradeCost(stored.cost)
    dedupe = createTradeDedupe(stored.trades)
    intervalStart = stored.at
    for (const reader of readers) welcome(reader)
  }

  /** Gives a new reader what is known, unless a newer page is due for it. */
  function welcome(reader: TradeReader): void {
    if (memory === undefined) return
    const isFresh = clock.now() < memory.at + intervalOf([reader]) * dailyBudget.requestStretch
    if (isFresh || reader.isResumed) deliver([reader], memory)
  }

  function deliver(to: Iterable<TradeReader>, page: TradePage): void {
    const gaps = [...to].flatMap((reader) => reader.receive(page) ?? [])
    if (gaps[0]) emit({ type: 'feed.gap', token, ...gaps[0] })
  }

  async function buy(): Promise<void> {
    const sentAt = clock.now()
    const intervalMs = intervalOf(waiting())
    const isExtra = sentAt < nextInterval(waiting())
    const elapsedMs = sentAt - (memory?.at ?? sentAt)
    const limit = needsFullPage || memory === undefined ? PAGE_SIZE : cost.limitAfter(elapsedMs)
    const recordCost = (credits: number) => {
      if (!isExtra) intervalStart = sentAt
      cost.recordCost(credits, isExtra)
    }
    try {
      const { data, credits } = await requestTrades(token, limit, parts)
      recordCost(credits)
      dailyBudget.recordUnplanned(credits)
      backoff.recordSuccess(sentAt)
      emit({ type: 'feed.bought', operation: 'trade.list', addresses: [], credits })
      needsExtra = false
      accept({ trades: data.filter(isObject), isComplete: data.length < limit }, { limit, sentAt, intervalMs })
    } catch (error) {
      if (lifetime.signal.aborted) return
      if (creditsChargedBy(error) !== 0) recordCost(creditsChargedBy(error) ?? tradeCredits(limit))
      recordFailure(error, sentAt, intervalMs)
    }
  }

  function accept(page: TradePage, { limit, sentAt, intervalMs }: SentRequest): void {
    if (dedupe.compare(page).gap && limit < PAGE_SIZE && cost.coversExtra) {
      // More trades than expected: the full page overlaps what is known, or nothing does.
      needsExtra = true
      needsFullPage = true
      return
    }
    needsFullPage = false
    const { fresh, gap } = dedupe.add(page)
    if (memory === undefined) cost.recordFirst(page.trades)
    else cost.recordTrades(fresh.length, sentAt - memory.at)
    const merged = mergePage(page, fresh, gap ? undefined : memory)
    memory = { ...merged, at: sentAt, everyMs: adaptInterval(intervalMs, fresh.length), cost: cost.state }
    store?.writeMemory(token, memory)
    deliver(readers, memory)
  }

  function recordFailure(error: unknown, sentAt: number, intervalMs: number): void {
    if (isUnreadable(error)) {
      needsExtra = false
      const retryAt = intervalStart + intervalMs * dailyBudget.requestStretch
      emit(toFailedEvent(error, token, clock.toUnix(retryAt)))
      return
    }
    if (creditsChargedBy(error) === undefined) needsExtra = true
    const failure = backoff.recordFailure(error, sentAt)
    if (canRetry(error, failure)) return
    for (const reader of [...readers]) reader.fail(error)
  }

  return {
    get size() {
      return readers.size
    },
    planned: () => (readers.size === 0 ? undefined : planTrades(token, intervalOf([...readers]), cost)),
    add(reader) {
      readers.add(reader)
      if (isLoaded) welcome(reader)
      return () => {
        readers.delete(reader)
        wake()
      }
    },
    wake,
    async stop() {
      stopTimer()
      await working
    },
  }
}

/** The interval nearest to `everyMs` that suits every reader. */
function intervalWithin(
  readers: readonly { readonly bounds: Record<'min' | 'max', number> }[],
  everyMs: number,
): number {
  const min = Math.min(...readers.map(({ bounds }) => bounds.min))
  const max = Math.min(...readers.map(({ bounds }) => bounds.max))
  return Math.min(max, Math.max(min, everyMs))
}

/** The requests for the trades of a token, undefined for all tokens. */
function planTrades(token: string | undefined, everyMs: number, cost: TradeCost): OtherRequests {
  const credits = (intervalMs: number) => tradeCredits(cost.limitAfter(intervalMs))
  return { operation: 'trade.list', address: token, everyMs, credits }
}

interface TradeRequestParts {
  readonly client: FeedClient
  readonly clock: FeedClock
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly lifetime: Lifetime
}

/** Requests the newest trades, once. */
async function requestTrades(
  token: string | undefined,
  limit: number,
  { client, dailyBudget, lifetime }: TradeRequestParts,
): Promise<{ data: readonly Trade[]; credits: number }> {
  const params = { limit, ...(token !== undefined && { token }) }
  const send = () => client.trade.list(params, { signal: lifetime.signal, retry: false })
  const answer = await spendFromBudget(dailyBudget.budget, tradeCredits(limit), send)
  // Without `validate: 'strict'` a client hands over what it does not expect.
  if (Array.isArray(answer.data)) return answer
  const message = 'trade.list: the answer has no list of trades.'
  throw new ResponseError(message, { code: 'unexpected_shape', charge: 'charged', credits: answer.credits })
}

/** Whether the same request may succeed later without any change. */
function canRetry(error: unknown, { transient }: Failure): boolean {
  return transient || isShortOfCredits(error)
}

function toFailedEvent(
  { code, message, credits }: EtnMarketError,
  token: string | undefined,
  retryAt: number,
): FeedTradesFailedEvent {
  return { type: 'feed.trades_failed', token, code, message, credits, retryAt }
}
