import { checkedStoreOf } from '../feed/checked-store.ts'
import { callSafely } from '../feed/failures.ts'
import type { FeedInternals } from '../feed/feed-internals.ts'
import { iterateLatest, type LatestValueStream } from '../feed/requests/latest-value-stream.ts'
import type { Trade } from '../generated/types.ts'
import { PAGE_SIZE } from './cost.ts'
import { TradeDedupe, type TradeGap, type TradePage } from './dedupe.ts'
import type { TradesOptions } from './follow-trades.ts'
import { isTrades, TRADES_TTL_MS, type TradeSource, tradesKey } from './source.ts'

/** Maximum number of trades that wait for a reader, while other readers go on. */
const MAX_UNREAD = 1_000

export interface IntervalBounds {
  /** The shortest interval between requests, in milliseconds. */
  readonly min: number
  /** The longest interval between requests, in milliseconds. */
  readonly max: number
}

/** Iterates over the trades of a source that a reader has not read. */
export function readTrades(
  feed: FeedInternals,
  source: TradeSource,
  bounds: IntervalBounds,
  options: Pick<TradesOptions, 'signal' | 'onGap' | 'resumeAs'>,
): AsyncIterableIterator<Trade> {
  const { signal } = options
  let reader: TradeReader | undefined
  return iterateLatest<Trade>({
    signal,
    lifetime: feed.lifetime,
    maxUnread: MAX_UNREAD,
    start(stream) {
      const started = new TradeReader(feed, source, bounds, options, stream)
      reader = started
      return () => started.end()
    },
    onDrop: (lost, next) => reader?.onDrop(lost as Trade, next as Trade),
    onWait: () => reader?.onWait(),
  })
}

/** Somebody who reads the trades of a token. */
export class TradeReader {
  readonly bounds: IntervalBounds
  /** Whether it has read trades before, so that it begins with those that it has not read. */
  isResumed = false
  readonly #feed: FeedInternals
  readonly #source: TradeSource
  readonly #stream: LatestValueStream<Trade>
  readonly #onGap: (() => void) | undefined
  /** Where the store keeps what it has read. */
  readonly #key: string | undefined
  #dedupe = new TradeDedupe()
  /** The newest trades that were taken, newest first, and the newest of those that are saved. */
  #read: readonly Trade[] = []
  #saved: Trade | undefined
  #missed: TradeGap | undefined
  #isEnded = false
  #leave: () => void

  constructor(
    feed: FeedInternals,
    source: TradeSource,
    bounds: IntervalBounds,
    { signal, onGap, resumeAs }: Pick<TradesOptions, 'signal' | 'onGap' | 'resumeAs'>,
    stream: LatestValueStream<Trade>,
  ) {
    this.#feed = feed
    this.#source = source
    this.bounds = bounds
    this.#onGap = onGap
    this.#stream = stream
    this.#key = resumeAs === undefined ? undefined : tradesKey(source.address, resumeAs)
    this.#leave = feed.lifetime.onEnd(signal, (error) => this.end(error))
    void this.#join()
  }

  /** Whether it has read everything, and waits for more. */
  get isWaiting(): boolean {
    return this.#stream.isAwaited
  }

  onWait(): void {
    this.#savePosition()
    this.#source.wake()
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
    if (this.isWaiting) this.end({ reason })
  }

  /** At once, so that nothing is bought for this reader. */
  end(error?: { reason: unknown }): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#savePosition()
    this.#stream.end(error)
    this.#leave()
  }

  /** Joins the readers of its source, once it is known what it has read before. */
  async #join(): Promise<void> {
    const readBefore = this.#key === undefined ? undefined : await this.#readPosition(this.#key)
    if (this.#isEnded) return
    if (readBefore) {
      this.isResumed = true
      this.#read = readBefore
      this.#saved = readBefore[0]
      this.#dedupe = new TradeDedupe(readBefore)
    }
    const stopListening = this.#leave
    const remove = this.#source.add(this)
    this.#leave = () => {
      stopListening()
      remove()
    }
    this.#source.wake()
  }

  #take(trade: Trade): Trade {
    this.#read = [trade, ...this.#read].slice(0, PAGE_SIZE)
    return trade
  }

  #readPosition(key: string): Promise<readonly Trade[] | undefined> | undefined {
    return checkedStoreOf(this.#feed)?.read(key, (value) => (isTrades(value) ? value : undefined))
  }

  #savePosition(): void {
    const [newest] = this.#read
    if (this.#key === undefined || newest === this.#saved) return
    this.#saved = newest
    checkedStoreOf(this.#feed)?.writeInOrder(this.#key, this.#read, TRADES_TTL_MS)
  }
}
