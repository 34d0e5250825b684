import { LightAbortController, raceWithAbort } from '../../concurrency/cancellation.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import type { Trade } from '../../generated/types.ts'
import type { OtherRequests } from '../schedule/explain.ts'
import type { TradesOptions } from '../trade-types.ts'
import { PAGE_SIZE } from './trade-cost.ts'
import { createTradeQueue, type TradeQueue } from './trade-reader.ts'
import { createTradeSource, type TradeReader, type TradeSource, type TradeSourceParts } from './trade-source.ts'

export interface TradesParts extends TradeSourceParts {
  /** Returns the EIP-55 form of addresses; throws the client's error for an invalid one. */
  toChecksum(addresses: readonly string[]): string[]
}

/** The readers of trades of a feed. */
export interface Trades {
  /** Yields the trades of a token that are new to the reader. */
  follow(options: TradesOptions): AsyncGenerator<Trade, void, undefined>
  /** What is requested, once for all readers of a token. */
  planned(): OtherRequests[]
  /** Resolves when no request is in flight and everything is written. */
  stop(): Promise<void>
}

/** Tokens that are remembered while nobody reads them. */
const MAX_IDLE = 100

export function createTrades(parts: TradesParts): Trades {
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
    follow(options) {
      rejectUnknown('trades option', options, ['token', 'everyMs', 'signal', 'onGap', 'resumeAs'])
      const { token, everyMs, resumeAs } = options
      if (resumeAs !== undefined && !(typeof resumeAs === 'string' && resumeAs !== ''))
        throw invalidOption('resumeAs', resumeAs, 'a text that is not empty')
      if (resumeAs !== undefined && store === undefined)
        throw invalidOption('resumeAs', resumeAs, "left out without the feed's store, which keeps it")
      const bounds = readBounds(everyMs)
      parts.client.trade.list.estimate({ limit: PAGE_SIZE, ...(token !== undefined && { token }) })
      lifetime.signal.throwIfAborted()
      return read(token === undefined ? undefined : parts.toChecksum([token])[0], bounds, options)
    },
    planned: () => [...sources.values()].flatMap((source) => source.planned() ?? []),
    async stop() {
      await Promise.all([...sources.values()].map((source) => source.stop()))
      await store?.flush()
    },
  }
}

function readBounds(everyMs: TradesOptions['everyMs']): TradeReader['bounds'] {
  const bounds = typeof everyMs === 'number' ? { min: everyMs, max: everyMs } : everyMs
  rejectUnknown('everyMs', bounds, ['min', 'max'])
  const { min, max } = bounds
  if (!(typeof min === 'number' && typeof max === 'number' && min > 0 && max >= min && max < Number.POSITIVE_INFINITY))
    throw invalidOption('everyMs', JSON.stringify(everyMs), 'a number of milliseconds above 0, or { min, max } of them')
  return bounds
}
