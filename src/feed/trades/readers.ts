import { LightAbortController, raceWithAbort } from '../../concurrency/cancellation.ts'
import type { Trade } from '../../generated/types.ts'
import type { FeedContext } from '../context.ts'
import { callSafely } from '../events.ts'
import { PAGE_SIZE } from './cost.ts'
import { TradeDedupe, type TradeGap, type TradePage } from './dedupe.ts'
import { type TradeReader, TradeSource } from './source.ts'
import { TradeStore } from './store.ts'
import type { TradesOptions } from './trades.ts'

/** Tokens that are remembered while nobody reads them. */
const MAX_IDLE = 100

export type TradeReaders = ReturnType<typeof createTradeReaders>

/** The readers of trades of a feed. */
export function createTradeReaders(context: FeedContext) {
  const { lifetime } = context
  const store = context.store && new TradeStore(context, context.store)
  const sources = new Map<string | undefined, TradeSource>()

  function sourceOf(token: string | undefined): TradeSource {
    const source = sources.get(token) ?? new TradeSource(token, context, store)
    // The most recently used is last.
    sources.delete(token)
    sources.set(token, source)
    const idle = [...sources].filter(([, { size }]) => size === 0)
    for (const [unused] of idle.slice(0, -MAX_IDLE)) sources.delete(unused)
    return source
  }

  /** Yields the trades of a token, in EIP-55 form, that are new to the reader. */
  async function* read(
    token: string | undefined,
    bounds: TradeReader['bounds'],
    { signal, onGap, resumeAs }: TradesOptions,
  ): AsyncGenerator<Trade, void, undefined> {
    let queue: TradeQueue | undefined
    let saved: Trade | undefined
    const savePosition = () => {
      const [newest] = queue?.read ?? []
      if (resumeAs === undefined || queue === undefined || newest === saved) return
      saved = newest
      store?.writePosition(token, resumeAs, queue.read)
    }
    const ended = new LightAbortController()
    let leave = () => {}
    const end = (reason: unknown) => {
      savePosition()
      // At once, so that nothing is bought for this reader.
      leave()
      ended.abort(reason)
    }
    const stopListening = lifetime.onEnd(signal, ({ reason } = lifetime) => end(reason))
    try {
      lifetime.throwIfAborted()
      signal?.throwIfAborted()
      const position = resumeAs === undefined ? undefined : store?.readPosition(token, resumeAs)
      const readBefore = position && (await raceWithAbort(position, ended))
      queue = new TradeQueue(bounds, readBefore, onGap)
      saved = queue.read[0]
      const source = sourceOf(token)
      leave = source.add(queue)
      for (;;) {
        ended.throwIfAborted()
        const trade = queue.take()
        if (trade) yield trade
        else {
          savePosition()
          const arrival = queue.wait()
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

  return {
    read,
    /** Resolves when no request is in flight and everything is written. */
    async stop(): Promise<void> {
      await Promise.all([...sources.values()].map((source) => source.stop()))
      await store?.flush()
    },
  }
}

/** Maximum number of trades that wait for a reader, while other readers go on. */
const MAX_UNREAD = 1_000

/** A reader, and what it has not read. */
class TradeQueue implements TradeReader {
  readonly bounds: TradeReader['bounds']
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

  get isWaiting(): boolean {
    return this.#pending !== undefined
  }

  receive(page: TradePage): TradeGap | undefined {
    const { fresh, gap } = this.#dedupe.add(page)
    const missed = this.#push(fresh) ?? gap
    if (missed) callSafely(this.#onGap, undefined)
    if (this.#unread.length > 0) {
      this.#pending?.resolve()
      this.#pending = undefined
    }
    return missed
  }

  fail(error: unknown): void {
    this.#pending?.reject(error)
    this.#pending = undefined
  }

  /** Takes the oldest trade. */
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

  #push(fresh: readonly Trade[]): TradeGap | undefined {
    const all = [...this.#unread, ...fresh]
    this.#unread = all.slice(-MAX_UNREAD)
    const lost = all.length - this.#unread.length
    if (lost === 0) return undefined
    return { from: all[lost - 1]?.timestamp ?? undefined, to: this.#unread[0]?.timestamp ?? undefined }
  }
}
