import { checkCallbacks, invalidOption, rejectUnknown } from '../errors/input.ts'
import { feedInternalsOf } from '../feed/feed-internals.ts'
import type { PriceFeed } from '../feed/types.ts'
import type { Trade } from '../generated/types.ts'
import { PAGE_SIZE } from './cost.ts'
import { type Reading, readTrades } from './reader.ts'
import { TradeSources } from './source.ts'

/** Options of `followTrades`. */
export interface TradesOptions {
  /** Only trades of this token. @default all tokens */
  token?: string | undefined
  /**
   * Milliseconds between requests. With `{ min, max }` the feed adapts to the number of trades. Readers of the same token share
   * their requests, at the shortest of the intervals of those that wait for trades.
   */
  everyMs:
    | number
    | {
        /** The shortest interval, in milliseconds. */
        min: number
        /** The longest interval, in milliseconds. */
        max: number
      }
  /** Ends the iteration. It rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /**
   * Called when the reader has missed trades: every trade of a page was new, or more than 1,000 waited while other readers went on.
   * They are not delivered later. The feed's `onEvent` receives `feed.gap` too.
   */
  onGap?: (() => void) | undefined
  /**
   * Name under which the feed's `store` keeps what this reader has read. After a restart the reader continues where it stopped, instead of beginning
   * with the newest 25 trades. After a crash, it gets the trades again that it took since it last waited. One reader of a token at a time may use a
   * name. It needs a `store`.
   * @default the reader begins with the newest 25 trades
   */
  resumeAs?: string | undefined
}

/**
 * Yields each trade once, newest last, beginning with the newest 25. If these are known and young enough for `everyMs`, they need no request. A
 * request is made when a reader waits for trades, and serves every reader of the token. It costs 250 credits and 10 for each trade, and asks for as
 * many as are expected. In total this costs at most 500 credits per interval, plus 500 once.
 *
 * With a `store` of the feed a restart does not buy known trades again. An answer that cannot be read is reported by
 * `feed.trades_failed`, and the next request follows after the interval.
 * @example for await (const { hash, usd } of followTrades(feed, { token, everyMs: 60_000 })) record(hash, usd)
 * @throws the client's error, unless it is transient.
 */
export function followTrades(feed: PriceFeed, options: TradesOptions): AsyncIterable<Trade> {
  rejectUnknown('trades option', options, ['token', 'everyMs', 'signal', 'onGap', 'resumeAs'])
  checkCallbacks(options)
  const { token, everyMs, signal, onGap, resumeAs } = options
  const internals = feedInternalsOf(feed)
  const { client, lifetime, store, toChecksum, share } = internals
  if (resumeAs !== undefined && !(typeof resumeAs === 'string' && resumeAs !== ''))
    throw invalidOption('resumeAs', resumeAs, 'a text that is not empty')
  if (resumeAs !== undefined && store === undefined)
    throw invalidOption('resumeAs', resumeAs, "left out without the feed's store, which keeps it")
  const bounds = readBounds(everyMs)
  client.trade.list.estimate({ limit: PAGE_SIZE, ...(token !== undefined && { token }) })
  lifetime.throwIfAborted()
  const sources = share('trades', () => new TradeSources(internals))
  const address = token === undefined ? undefined : toChecksum([token])[0]
  const reading = { token: address, bounds, signal, onGap, resumeAs }
  return { [Symbol.asyncIterator]: () => readTrades(internals, sources, reading) }
}

function readBounds(everyMs: TradesOptions['everyMs']): Reading['bounds'] {
  const bounds = typeof everyMs === 'number' ? { min: everyMs, max: everyMs } : everyMs
  rejectUnknown('everyMs', bounds, ['min', 'max'])
  const { min, max } = bounds
  if (!(typeof min === 'number' && typeof max === 'number' && min > 0 && max >= min && max < Number.POSITIVE_INFINITY))
    throw invalidOption('everyMs', JSON.stringify(everyMs), 'a number of milliseconds above 0, or { min, max } of them')
  return bounds
}
