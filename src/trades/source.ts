import { LightAbortController } from '../concurrency/cancellation.ts'
import { startTimer } from '../concurrency/clock.ts'
import type { EtnMarketError } from '../errors/base.ts'
import { creditsChargedBy, isServiceWide, isUnreadable } from '../feed/failures.ts'
import type { FeedInternals } from '../feed/feed-internals.ts'
import { type RecurringRequest, Requester, type RequestSpec } from '../feed/requests/requester.ts'
import { Trade as isTrade } from '../generated/guards.ts'
import type { Trade } from '../generated/types.ts'
import { every, isArray, isNumber, isObject } from '../operations/type-guards.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { adaptInterval, PAGE_SIZE, TradeCost, type TradeCostState, tradeCredits } from './cost.ts'
import { mergePage, TradeDedupe, type TradePage } from './dedupe.ts'
import type { TradeReader } from './reader.ts'

interface TradeMemory extends TradePage {
  /** When the newest page was requested, by the clock of the feed; unix milliseconds in a store. */
  readonly at: number
  /** Milliseconds between requests that suit the number of trades. */
  readonly everyMs: number
  readonly cost: TradeCostState
}

export const TRADES_TTL_MS = 30 * DAY_MS

const MAX_IDLE = 100

/** The trades of a feed, by token. */
export class TradeSources {
  readonly #feed: FeedInternals
  readonly #sources = new Map<string | undefined, TradeSource>()

  constructor(feed: FeedInternals) {
    this.#feed = feed
    feed.closing.add(() => this.#stop())
  }

  /** @param token undefined for the trades of all tokens */
  open(token: string | undefined): TradeSource {
    const source = this.#sources.get(token) ?? new TradeSource(token, this.#feed)
    // The most recently used is last.
    this.#sources.delete(token)
    this.#sources.set(token, source)
    const idle = [...this.#sources].filter(([, { size }]) => size === 0)
    for (const [unused] of idle.slice(0, -MAX_IDLE)) this.#sources.delete(unused)
    return source
  }

  /** Resolves when no request is in flight and everything is written. */
  async #stop(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.stop()))
    await this.#feed.store?.flush()
  }
}

/** Why a request is withdrawn. */
const NOBODY_WAITS = Symbol('nobody waits')

/** The key of what is known of a token, undefined for all tokens; with a reader, of the newest trades that it has read. */
export function tradesKey(token = 'all', reader?: string): string {
  const key = `etn-market:feed:trades:1:${token.toLowerCase()}`
  return reader === undefined ? key : `${key}:${reader}`
}

interface TradeRequest {
  readonly limit: number
  readonly sentAt: number
  readonly intervalMs: number
  /** Whether it is sent between two intervals. */
  readonly isExtra: boolean
}

/** The trades of one token, bought once for all of its readers. */
export class TradeSource implements RecurringRequest {
  readonly operation = 'trade.list'
  readonly address: string | undefined
  readonly key: string
  readonly #feed: FeedInternals
  readonly #requester: Requester
  readonly #readers = new Set<TradeReader>()
  #memory: TradeMemory | undefined
  #cost = new TradeCost()
  #dedupe = new TradeDedupe()
  #isLoaded = false
  /** Whether another request is needed before the next interval. */
  #needsExtra = false
  #needsFullPage = false
  #working: Promise<void> | undefined
  /** Withdraws the request that is under way, where it has not left. */
  #purchase = new LightAbortController()
  #stopTimer = () => {}

  /** @param token undefined for the trades of all tokens */
  constructor(token: string | undefined, feed: FeedInternals) {
    this.address = token
    this.key = tradesKey(token)
    this.#feed = feed
    const report = (error: EtnMarketError) => {
      // Those that hold every request up have events of their own, and an answer that was paid for is reported each time.
      if (!isServiceWide(error) && !isUnreadable(error)) this.#reportFailed(error)
    }
    this.#requester = new Requester(feed, feed.lifetime, () => this.#interval, report)
  }

  get size(): number {
    return this.#readers.size
  }

  get everyMs(): number {
    return this.#intervalOf([...this.#readers])
  }
  credits(intervalMs: number): number {
    return tradeCredits(this.#cost.limitAfter(intervalMs))
  }

  add(reader: TradeReader): void {
    this.#readers.add(reader)
    this.#feed.recurring.add(this)
    if (this.#isLoaded) this.#welcome(reader)
    this.wake()
  }

  remove(reader: TradeReader): void {
    this.#readers.delete(reader)
    if (this.size === 0) this.#feed.recurring.delete(this)
    if (this.#waiting.length === 0) this.#purchase.abort(NOBODY_WAITS)
    this.wake()
  }

  /** Call it when a reader begins to wait. */
  wake(): void {
    const { clock, lifetime } = this.#feed
    this.#stopTimer()
    if (this.#working !== undefined || lifetime.aborted || this.#waiting.length === 0) return
    const isDue = !this.#isLoaded || (this.#needsExtra && this.#cost.coversExtra)
    const waitMs = isDue ? 0 : this.#nextInterval - clock.now()
    if (waitMs > 0) this.#stopTimer = startTimer(clock, Math.ceil(waitMs), () => this.wake())
    else {
      // A reader that begins and aborts in the same turn costs nothing: the first request is decided after loading.
      this.#working = (this.#isLoaded ? this.#buy() : this.#load()).finally(() => {
        this.#working = undefined
        this.wake()
      })
    }
  }

  async stop(): Promise<void> {
    this.#stopTimer()
    await this.#working
  }

  get #waiting(): TradeReader[] {
    return [...this.#readers].filter(({ isWaiting }) => isWaiting)
  }
  get #interval(): number {
    return this.#intervalOf(this.#waiting)
  }
  get #nextInterval(): number {
    return this.#cost.state.intervalStart + this.#interval * this.#feed.dailyBudget.requestStretch
  }

  /** The interval nearest to the one that suits the number of trades, within the bounds of these readers. */
  #intervalOf(readers: readonly TradeReader[]): number {
    const everyMs = this.#memory?.everyMs ?? 0
    if (readers.length === 0) return everyMs
    const min = Math.min(...readers.map(({ bounds }) => bounds.min))
    const max = Math.min(...readers.map(({ bounds }) => bounds.max))
    return Math.min(max, Math.max(min, everyMs))
  }

  async #load(): Promise<void> {
    const { clock } = this.#feed
    const stored = await this.#feed.store?.read(this.key, (value) =>
      isMemory(value, clock.toUnix()) ? withTimes(value, clock.fromUnix) : undefined,
    )
    this.#isLoaded = true
    if (stored === undefined) return
    this.#memory = stored
    this.#cost = new TradeCost(stored.cost)
    this.#dedupe = new TradeDedupe(stored.trades)
    for (const reader of this.#readers) this.#welcome(reader)
  }

  /** Gives a new reader what is known, unless a newer page is due for it. */
  #welcome(reader: TradeReader): void {
    if (this.#memory === undefined) return
    const { clock, dailyBudget } = this.#feed
    const isFresh = clock.now() < this.#memory.at + this.#intervalOf([reader]) * dailyBudget.requestStretch
    if (isFresh || reader.isResumed) this.#deliver([reader], this.#memory)
  }

  #deliver(to: Iterable<TradeReader>, page: TradePage): void {
    const gaps = [...to].flatMap((reader) => reader.receive(page) ?? [])
    if (gaps[0]) this.#feed.emit({ type: 'feed.gap', token: this.address, ...gaps[0] })
  }

  #next(): TradeRequest {
    const sentAt = this.#feed.clock.now()
    const known = this.#memory
    const limit = this.#needsFullPage || !known ? PAGE_SIZE : this.#cost.limitAfter(sentAt - known.at)
    return { limit, sentAt, intervalMs: this.#interval, isExtra: sentAt < this.#nextInterval }
  }

  #specOf({ limit }: TradeRequest): RequestSpec<Trade[]> {
    return {
      operation: 'trade.list',
      addresses: [],
      worstCase: tradeCredits(limit),
      params: { limit, ...(this.address !== undefined && { token: this.address }) },
      // Without `validate: 'strict'` a client hands over what it does not expect.
      isUsable: isArray,
      stop: this.#purchase,
    }
  }

  async #buy(): Promise<void> {
    this.#purchase = new LightAbortController()
    let request = this.#next()
    // The longer it waits, the more trades there are.
    const specify = () => {
      request = this.#next()
      return this.#specOf(request)
    }
    try {
      const { data, credits } = await this.#requester.attempt(specify)
      this.#recordCost(credits, request)
      this.#needsExtra = false
      this.#accept({ trades: data.filter(isObject), isComplete: data.length < request.limit }, request)
    } catch (error) {
      if (!this.#feed.lifetime.aborted && error !== NOBODY_WAITS) this.#recordFailure(error, request)
    }
  }

  #recordCost(credits: number, { sentAt, isExtra }: TradeRequest): void {
    this.#cost.recordCost(credits, sentAt, isExtra)
    // Even if no page arrives: after a restart, what a lost answer cost is not spent again.
    if (this.#memory) this.#remember(this.#memory)
  }

  #accept(page: TradePage, { limit, sentAt, intervalMs }: TradeRequest): void {
    if (this.#dedupe.compare(page).gap && limit < PAGE_SIZE && this.#cost.coversExtra) {
      // More trades than expected: the full page overlaps what is known, or nothing does.
      this.#needsExtra = true
      this.#needsFullPage = true
      return
    }
    this.#needsFullPage = false
    const { fresh, gap } = this.#dedupe.add(page)
    if (this.#memory === undefined) this.#cost.recordFirst(page.trades)
    else this.#cost.recordTrades(fresh.length, sentAt - this.#memory.at)
    const merged = mergePage(page, fresh, gap ? undefined : this.#memory)
    this.#remember({ ...merged, at: sentAt, everyMs: adaptInterval(intervalMs, fresh.length) })
    this.#deliver(this.#readers, merged)
  }

  #remember(known: Omit<TradeMemory, 'cost'>): void {
    this.#memory = { ...known, cost: this.#cost.state }
    const stored = withTimes(this.#memory, this.#feed.clock.toUnix)
    this.#feed.store?.writeInOrder(this.key, stored, TRADES_TTL_MS)
  }

  #recordFailure(error: unknown, request: TradeRequest): void {
    const charged = creditsChargedBy(error)
    if (charged !== 0) this.#recordCost(charged ?? tradeCredits(request.limit), request)
    this.#needsExtra = charged === undefined || (this.#needsExtra && !isUnreadable(error))
    if (isUnreadable(error)) this.#reportFailed(error)
    if (this.#requester.mayRetry(error, this.#specOf(request))) return
    for (const reader of [...this.#readers]) reader.fail(error)
  }

  #reportFailed({ code, message, credits }: EtnMarketError): void {
    const { clock, emit } = this.#feed
    const retryAt = clock.toUnix(this.#nextInterval)
    emit({ type: 'feed.trades_failed', token: this.address, code, message, credits, retryAt })
  }
}

/** The same with other times: those of the clock of the feed end with the process, so a store has unix milliseconds. */
function withTimes(memory: TradeMemory, convert: (time: number) => number): TradeMemory {
  const { at, cost } = memory
  return { ...memory, at: convert(at), cost: { ...cost, intervalStart: convert(cost.intervalStart) } }
}

function isMemory(value: unknown, now: number): value is TradeMemory {
  if (!isObject(value) || !isTrades(value.trades) || typeof value.isComplete !== 'boolean') return false
  const { at, everyMs, cost } = value
  if (!isNumber(at) || at > now || !isNumber(everyMs) || everyMs <= 0 || !isObject(cost)) return false
  const { saved, rate, intervalStart } = cost
  if (!isNumber(intervalStart) || intervalStart > now) return false
  return isNumber(saved) && (rate === null || isNumber(rate))
}

export function isTrades(value: unknown): value is readonly Trade[] {
  return isArray(value) && value.length <= PAGE_SIZE && every(value, isTrade)
}
