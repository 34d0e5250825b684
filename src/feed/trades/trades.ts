import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import { operations } from '../../generated/operations.ts'
import type { Trade } from '../../generated/types.ts'
import type { FeedContext } from '../context.ts'
import type { TradeReader, TradeReaders } from './readers.ts'

/** Options of `feed.trades`. */
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
   * Name under which the feed's `store` keeps what this reader has read. After a restart the reader continues where it stopped,
   * instead of beginning with the newest 25 trades. After a crash, the trades that it took since it last waited come again. One
   * reader of a token at a time may use a name. It needs a `store`.
   * @default the reader begins with the newest 25 trades
   */
  resumeAs?: string | undefined
}

/** The trades of a feed. Their code is loaded with the first reader, because many feeds have none. */
export class Trades {
  readonly #context: FeedContext
  #readers: Promise<TradeReaders> | undefined

  constructor(context: FeedContext) {
    this.#context = context
  }

  follow(options: TradesOptions): AsyncGenerator<Trade, void, undefined> {
    rejectUnknown('trades option', options, ['token', 'everyMs', 'signal', 'onGap', 'resumeAs'])
    const { token, everyMs, resumeAs } = options
    const { client, lifetime, store, toChecksum } = this.#context
    if (resumeAs !== undefined && !(typeof resumeAs === 'string' && resumeAs !== ''))
      throw invalidOption('resumeAs', resumeAs, 'a text that is not empty')
    if (resumeAs !== undefined && store === undefined)
      throw invalidOption('resumeAs', resumeAs, "left out without the feed's store, which keeps it")
    const bounds = readBounds(everyMs)
    const limit = operations['trade.list'].credits.maxItems
    client.trade.list.estimate({ limit, ...(token !== undefined && { token }) })
    lifetime.throwIfAborted()
    return this.#read(token === undefined ? undefined : toChecksum([token])[0], bounds, options)
  }

  /** Resolves when no request is in flight and everything is written. */
  async stop(): Promise<void> {
    const readers = await this.#readers?.catch(() => undefined)
    await readers?.stop()
  }

  async *#read(...query: Parameters<TradeReaders['read']>): ReturnType<TradeReaders['read']> {
    this.#readers ??= import('./readers.ts').then(({ TradeReaders }) => new TradeReaders(this.#context))
    const readers = await this.#readers.catch((error) => {
      this.#readers = undefined
      throw error
    })
    yield* readers.read(...query)
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
