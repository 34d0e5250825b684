import type { CheckedStore } from '../feed/checked-store.ts'
import type { FeedInternals } from '../feed/feed-internals.ts'
import { iterateLatest, type LatestValueStream, type StreamSource } from '../feed/requests/latest-value-stream.ts'
import type { Trade } from '../generated/types.ts'
import { callSafely } from '../utils/runtime.ts'
import { PAGE_SIZE } from './cost.ts'
import { TradeDedupe, type TradeGap, type TradePage } from './dedupe.ts'
import type { TradesOptions } from './follow-trades.ts'
import { isTrades, TRADES_TTL_MS, type TradeSource, type TradeSources, tradesKey } from './source.ts'

/** Maximum number of trades that wait for a reader, while other readers go on. */
const MAX_UNREAD = 1_000

/** How a reader reads. */
export interface Reading extends Pick<TradesOptions, 'signal' | 'onGap' | 'resumeAs'> {
  /** In EIP-55 form; undefined for the trades of all tokens. */
  readonly token: string | undefined
  /** The shortest and the longest interval between requests, in milliseconds. */
  readonly bounds: { readonly min: number; readonly max: number }
}

/** Iterates over the trades of a token that a reader has not read. */
export function readTrades(feed: FeedInternals, sources: TradeSources, reading: Reading): AsyncIterableIterator<Trade> {
  const start = (stream: LatestValueStream<Trade>) => new TradeReader(feed, sources, reading, stream)
  return iterateLatest<Trade>({ signal: reading.signal, lifetime: feed.lifetime, maxUnread: MAX_UNREAD, start })
}

/** Somebody who reads the trades of a token. */
export class TradeReader implements StreamSource {
  readonly bounds: Reading['bounds']
  /** Whether it has read trades before, so that it begins with those that it has not read. */
  isResumed = false
  readonly #stream: LatestValueStream<Trade>
  readonly #onGap: (() => void) | undefined
  readonly #store: CheckedStore | undefined
  /** Where the store keeps what it has read; undefined for a reader without a name. */
  readonly #key: string | undefined
  readonly #stopListening: () => void
  /** Undefined before it joins. */
  #source: TradeSource | undefined
  #dedupe = new TradeDedupe()
  /** The newest trades that were taken, newest first. */
  #read: readonly Trade[] = []
  #isSaved = true
  #missed: TradeGap | undefined
  #isEnded = false

  constructor(
    feed: FeedInternals,
    sources: TradeSources,
    { token, bounds, signal, onGap, resumeAs }: Reading,
    stream: LatestValueStream<Trade>,
  ) {
    this.bounds = bounds
    this.#stream = stream
    this.#onGap = onGap
    this.#store = feed.store
    this.#key = resumeAs && tradesKey(token, resumeAs)
    this.#stopListening = feed.lifetime.onEnd(signal, (error) => this.stop(error))
    void this.#join(() => sources.open(token))
  }

  /** Whether it has read everything, and waits for more. */
  get isWaiting(): boolean {
    return this.#stream.isAwaited
  }

  onWait(): void {
    this.#savePosition()
    this.#source?.wake()
  }

  /** A trade has waited for too long. */
  onDrop(lost: Trade, next: Trade): void {
    this.#missed = { from: lost.timestamp ?? undefined, to: next.timestamp ?? undefined }
  }

  /** Takes the newest trades, known ones included. Returns what the reader has missed. */
  receive(page: TradePage): TradeGap | undefined {
    const { fresh, gap } = this.#dedupe.add(page)
    this.#missed = gap
    for (const trade of fresh) this.#stream.push(trade, () => this.#take(trade))
    if (this.#missed) callSafely(this.#onGap, undefined)
    return this.#missed
  }

  /** There are no trades for those that wait. */
  fail(reason: unknown): void {
    if (this.isWaiting) this.stop({ reason })
  }

  /** At once, so that nothing is bought for this reader. */
  stop(error?: { reason: unknown }): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#savePosition()
    this.#stream.end(error)
    this.#stopListening()
    this.#source?.remove(this)
  }

  /** Joins the readers of its source, once it is known what it has read before. */
  async #join(open: () => TradeSource): Promise<void> {
    const check = (value: unknown) => (isTrades(value) ? value : undefined)
    const readBefore = this.#key && (await this.#store?.read(this.#key, check))
    if (this.#isEnded) return
    if (readBefore) {
      this.isResumed = true
      this.#read = readBefore
      this.#dedupe = new TradeDedupe(readBefore)
    }
    // Not before: a source without readers is dropped when there are many.
    this.#source = open()
    this.#source.add(this)
  }

  #take(trade: Trade): Trade {
    this.#read = [trade, ...this.#read].slice(0, PAGE_SIZE)
    this.#isSaved = false
    return trade
  }

  #savePosition(): void {
    if (this.#key === undefined || this.#isSaved) return
    this.#isSaved = true
    this.#store?.writeInOrder(this.#key, this.#read, TRADES_TTL_MS)
  }
}
