import { LightAbortController, raceWithAbort, throwIfAborted } from '../concurrency/cancellation.ts'
import { checkedStoreOf } from '../feed/checked-store.ts'
import { callSafely } from '../feed/failures.ts'
import type { FeedInternals } from '../feed/feed-internals.ts'
import type { Trade } from '../generated/types.ts'
import { PAGE_SIZE } from './cost.ts'
import { TradeDedupe, type TradeGap, type TradePage } from './dedupe.ts'
import type { TradesOptions } from './follow-trades.ts'
import { isTrades, TRADES_TTL_MS, TradeSource, tradesKey } from './source.ts'

const MAX_IDLE = 100

export class TradeReaders {
  readonly #feed: FeedInternals
  readonly #sources = new Map<string | undefined, TradeSource>()

  constructor(feed: FeedInternals) {
    this.#feed = feed
    feed.closing.add(() => this.#stop())
  }

  async *read(
    token: string | undefined,
    bounds: TradeReader['bounds'],
    { signal, onGap, resumeAs }: TradesOptions,
  ): AsyncGenerator<Trade, void, undefined> {
    const { lifetime } = this.#feed
    const store = checkedStoreOf(this.#feed)
    const key = tradesKey(token, resumeAs)
    let reader: TradeReader | undefined
    let saved: Trade | undefined
    const savePosition = () => {
      const [newest] = reader?.read ?? []
      if (resumeAs === undefined || reader === undefined || newest === saved) return
      saved = newest
      store?.writeInOrder(key, reader.read, TRADES_TTL_MS)
    }
    const ended = new LightAbortController()
    let leave = () => {}
    const stopListening = lifetime.onEnd(signal, ({ reason } = lifetime) => {
      savePosition()
      // At once, so that nothing is bought for this reader.
      leave()
      ended.abort(reason)
    })
    try {
      lifetime.throwIfAborted()
      throwIfAborted(signal)
      const check = (value: unknown) => (isTrades(value) ? value : undefined)
      const position = resumeAs === undefined ? undefined : store?.read(key, check)
      const readBefore = position && (await raceWithAbort(position, ended))
      reader = new TradeReader(bounds, readBefore, onGap)
      saved = reader.read[0]
      const source = this.#sourceOf(token)
      leave = source.add(reader)
      for (;;) {
        ended.throwIfAborted()
        const trade = reader.take()
        if (trade) yield trade
        else {
          savePosition()
          const arrival = reader.wait()
          source.wake()
          await raceWithAbort(arrival, ended)
        }
      }
    } catch (error) {
      if (!lifetime.aborted) throw error
    } finally {
      savePosition()
      leave()
      stopListening()
    }
  }

  /** Resolves when no request is in flight and everything is written. */
  async #stop(): Promise<void> {
    await Promise.all([...this.#sources.values()].map((source) => source.stop()))
    await checkedStoreOf(this.#feed)?.flush()
  }

  #sourceOf(token: string | undefined): TradeSource {
    const source = this.#sources.get(token) ?? new TradeSource(token, this.#feed)
    // The most recently used is last.
    this.#sources.delete(token)
    this.#sources.set(token, source)
    const idle = [...this.#sources].filter(([, { size }]) => size === 0)
    for (const [unused] of idle.slice(0, -MAX_IDLE)) this.#sources.delete(unused)
    return source
  }
}

/** Maximum number of trades that wait for a reader, while other readers go on. */
const MAX_UNREAD = 1_000

/** Somebody who reads the trades of a token, and what is unread. */
export class TradeReader {
  /** The shortest and the longest interval between requests, in milliseconds. */
  readonly bounds: { readonly min: number; readonly max: number }
  /** Whether it has read trades before, so that it begins with those that it has not read. */
  readonly isResumed: boolean
  /** The newest trades that were taken, newest first. */
  read: readonly Trade[]
  readonly #onGap: (() => void) | undefined
  readonly #dedupe: TradeDedupe
  #unread: Trade[] = []
  #pending: { resolve(): void; reject(error: unknown): void } | undefined

  /** @param readBefore what the reader has read before a restart, newest first */
  constructor(
    bounds: TradeReader['bounds'],
    readBefore: readonly Trade[] | undefined,
    onGap: (() => void) | undefined,
  ) {
    this.bounds = bounds
    this.isResumed = readBefore !== undefined
    this.read = readBefore ?? []
    this.#onGap = onGap
    this.#dedupe = new TradeDedupe(readBefore)
  }

  /** Whether it has read everything, and waits for more. */
  get isWaiting(): boolean {
    return this.#pending !== undefined
  }

  /** Takes the newest trades, known ones included. Returns what the reader has missed. */
  receive(page: TradePage): TradeGap | undefined {
    const { fresh, gap } = this.#dedupe.add(page)
    const all = [...this.#unread, ...fresh]
    this.#unread = all.slice(-MAX_UNREAD)
    const [next] = this.#unread
    const lost = all[all.length - this.#unread.length - 1]
    const missed = lost ? { from: lost.timestamp ?? undefined, to: next?.timestamp ?? undefined } : gap
    if (missed) callSafely(this.#onGap, undefined)
    if (next) {
      this.#pending?.resolve()
      this.#pending = undefined
    }
    return missed
  }

  fail(error: unknown): void {
    this.#pending?.reject(error)
    this.#pending = undefined
  }

  take(): Trade | undefined {
    const trade = this.#unread.shift()
    if (trade) this.read = [trade, ...this.read].slice(0, PAGE_SIZE)
    return trade
  }

  /** Resolves when there is a trade; rejects when there will be none. */
  wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject }
    })
  }
}
