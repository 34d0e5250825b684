import { startTimer } from '../../concurrency/clock.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import type { Trade } from '../../generated/types.ts'
import { isArray, isObject } from '../../operations/type-guards.ts'
import type { FeedTradesFailedEvent } from '../events.ts'
import { creditsChargedBy, isServiceWide, isUnreadable } from '../failures.ts'
import type { Lifetime } from '../lifetime.ts'
import type { Requester, RequesterParts, RequestSpec } from '../requests/requester.ts'
import type { OtherRequests } from '../schedule/explain.ts'
import type { FeedClient } from '../types.ts'
import { adaptInterval, PAGE_SIZE, TradeCost, tradeCredits } from './cost.ts'
import { mergePage, TradeDedupe, type TradeGap, type TradePage } from './dedupe.ts'
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

export interface TradeSourceParts extends RequesterParts {
  readonly client: FeedClient
  readonly lifetime: Lifetime
  readonly store: TradeStore | undefined
  /**
   * @param everyMs the wait after a failure that may have been charged, in milliseconds
   * @param onReason called with the first of several failures in a row that have the same code
   */
  createRequester(everyMs: () => number, onReason: (error: EtnMarketError) => void): Requester
}

interface TradeRequest {
  readonly limit: number
  readonly sentAt: number
  readonly intervalMs: number
  /** Whether it is sent between two intervals. */
  readonly isExtra: boolean
}

export function createTradeSource(token: string | undefined, parts: TradeSourceParts): TradeSource {
  const { clock, dailyBudget, store, lifetime, emit } = parts
  const { signal } = lifetime
  const readers = new Set<TradeReader>()
  let memory: TradeMemory | undefined
  let cost = new TradeCost()
  let dedupe = new TradeDedupe()
  let isLoaded = false
  /** Whether another request is needed before the next interval. */
  let needsExtra = false
  let needsFullPage = false
  let working: Promise<void> | undefined
  let stopTimer = () => {}

  const reportFailed = (error: EtnMarketError) => emit(toFailedEvent(error, token, clock.toUnix(nextInterval())))
  const onReason = (error: EtnMarketError) => {
    // Those that hold every request up have events of their own, and an answer that was paid for is reported each time.
    if (!isServiceWide(error) && !isUnreadable(error)) reportFailed(error)
  }
  const requester = parts.createRequester(() => intervalOf(waiting()), onReason)

  const waiting = () => [...readers].filter(({ isWaiting }) => isWaiting)
  const nextInterval = () => cost.state.intervalStart + intervalOf(waiting()) * dailyBudget.requestStretch
  const intervalOf = (some: readonly TradeReader[]) => intervalWithin(some, memory?.everyMs ?? 0)

  function wake(): void {
    stopTimer()
    if (working !== undefined || signal.aborted || waiting().length === 0) return
    const waitMs = isLoaded ? Math.max(dueInMs(), requester.waitMs(toSpec(nextRequest()))) : 0
    if (waitMs > 0) stopTimer = startTimer(clock, Math.ceil(waitMs), wake)
    else {
      // A reader that begins and aborts in the same turn costs nothing: the first request is decided after loading.
      working = (isLoaded ? buy() : load()).finally(() => {
        working = undefined
        wake()
      })
    }
  }

  function dueInMs(): number {
    return needsExtra && cost.coversExtra ? 0 : nextInterval() - clock.now()
  }

  async function load(): Promise<void> {
    const [stored] = await Promise.all([store?.readMemory(token), dailyBudget.load()])
    isLoaded = true
    if (stored === undefined) return
    memory = stored
    cost = new TradeCost({ intervalStart: stored.at, ...stored.cost })
    dedupe = new TradeDedupe(stored.trades)
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

  function nextRequest(): TradeRequest {
    const sentAt = clock.now()
    const elapsedMs = sentAt - (memory?.at ?? sentAt)
    const limit = needsFullPage || memory === undefined ? PAGE_SIZE : cost.limitAfter(elapsedMs)
    return { limit, sentAt, intervalMs: intervalOf(waiting()), isExtra: sentAt < nextInterval() }
  }

  function toSpec({ limit }: TradeRequest): RequestSpec<Trade[]> {
    return {
      operation: 'trade.list',
      addresses: [],
      worstCase: tradeCredits(limit),
      params: { limit, ...(token !== undefined && { token }) },
      // Without `validate: 'strict'` a client hands over what it does not expect.
      isUsable: isArray,
    }
  }

  async function buy(): Promise<void> {
    const request = nextRequest()
    try {
      const { data, credits } = await requester.attempt(() => toSpec(request))
      recordCost(credits, request)
      needsExtra = false
      accept({ trades: data.filter(isObject), isComplete: data.length < request.limit }, request)
    } catch (error) {
      if (!signal.aborted) recordFailure(error, request)
    }
  }

  function recordCost(credits: number, { sentAt, isExtra }: TradeRequest): void {
    cost.recordCost(credits, sentAt, isExtra)
    // Even if no page arrives: after a restart, what a lost answer cost is not spent again.
    if (memory) remember(memory)
  }

  function accept(page: TradePage, { limit, sentAt, intervalMs }: TradeRequest): void {
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
    remember({ ...merged, at: sentAt, everyMs: adaptInterval(intervalMs, fresh.length) })
    deliver(readers, merged)
  }

  function remember(known: Omit<TradeMemory, 'cost'>): void {
    memory = { ...known, cost: cost.state }
    store?.writeMemory(token, memory)
  }

  function recordFailure(error: unknown, request: TradeRequest): void {
    const charged = creditsChargedBy(error)
    if (charged !== 0) recordCost(charged ?? tradeCredits(request.limit), request)
    needsExtra = charged === undefined || (needsExtra && !isUnreadable(error))
    if (isUnreadable(error)) reportFailed(error)
    if (requester.mayRetry(error, toSpec(request))) return
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

/** The interval nearest to `everyMs` that suits every reader; `everyMs` itself without any. */
function intervalWithin(
  readers: readonly { readonly bounds: Record<'min' | 'max', number> }[],
  everyMs: number,
): number {
  if (readers.length === 0) return everyMs
  const min = Math.min(...readers.map(({ bounds }) => bounds.min))
  const max = Math.min(...readers.map(({ bounds }) => bounds.max))
  return Math.min(max, Math.max(min, everyMs))
}

/** The requests for the trades of a token, undefined for all tokens. */
function planTrades(token: string | undefined, everyMs: number, cost: TradeCost): OtherRequests {
  const credits = (intervalMs: number) => tradeCredits(cost.limitAfter(intervalMs))
  return { operation: 'trade.list', address: token, everyMs, credits }
}

function toFailedEvent(
  { code, message, credits }: EtnMarketError,
  token: string | undefined,
  retryAt: number,
): FeedTradesFailedEvent {
  return { type: 'feed.trades_failed', token, code, message, credits, retryAt }
}
