import { LightAbortController, raceWithAbort } from '../../concurrency/cancellation.ts'
import type { Trade } from '../../generated/types.ts'
import type { OtherRequests } from '../schedule/explain.ts'
import { createTradeQueue, type TradeQueue } from './reader-queue.ts'
import { createTradeSource, type TradeReader, type TradeSource, type TradeSourceParts } from './source.ts'
import type { TradesOptions } from './types.ts'

/** The readers of trades of a feed. */
export interface TradeReaders {
  /** Yields the trades of a token, in EIP-55 form, that are new to the reader. */
  read(
    token: string | undefined,
    bounds: TradeReader['bounds'],
    options: TradesOptions,
  ): AsyncGenerator<Trade, void, undefined>
  /** What is requested, once for all readers of a token. */
  planned(): OtherRequests[]
  /** Resolves when no request is in flight and everything is written. */
  stop(): Promise<void>
}

/** Tokens that are remembered while nobody reads them. */
const MAX_IDLE = 100

export function createTradeReaders(parts: TradeSourceParts): TradeReaders {
  const { lifetime, store } = parts
  const sources = new Map<string | undefined, TradeSource>()

  function sourceOf(token: string | undefined): TradeSource {
    const source = sources.get(token) ?? createTradeSource(token, parts)
    // The most recently used is last.
    sources.delete(token)
    sources.set(token, source)
    const idle = [...sources].filter(([, { size }]) => size === 0)
    for (const [unused] of idle.slice(0, -MAX_IDLE)) sources.delete(unused)
    return source
  }

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
    const stopListening = lifetime.onAbort(signal, () => end(signal?.reason))
    const stopOnClose = lifetime.onClose(() => end(lifetime.signal.reason))
    try {
      lifetime.signal.throwIfAborted()
      signal?.throwIfAborted()
      const position = resumeAs === undefined ? undefined : store?.readPosition(token, resumeAs)
      const readBefore = position && (await raceWithAbort(position, ended))
      queue = createTradeQueue({ bounds, read: readBefore, onGap })
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
      if (!lifetime.signal.aborted) throw error
    } finally {
      savePosition()
      leave()
      stopListening()
      stopOnClose()
    }
  }

  return {
    read,
    planned: () => [...sources.values()].flatMap((source) => source.planned() ?? []),
    async stop() {
      await Promise.all([...sources.values()].map((source) => source.stop()))
      await store?.flush()
    },
  }
}
