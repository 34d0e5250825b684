import type { Clock } from '../clock.ts'
import { isEtnMarketError } from '../errors/base.ts'
import type { Allowance } from './allowance.ts'
import type { Book, Failure, Quote, Watcher } from './book.ts'
import { callSafely } from './events.ts'
import type { Pace } from './pace.ts'
import { toFeedPrice } from './quote.ts'
import type { Scheduler } from './scheduler.ts'
import type { FeedPrice } from './types.ts'

export interface WatchParts {
  readonly clock: Clock
  readonly book: Book
  readonly pace: Pace
  readonly allowance: Allowance
  readonly scheduler: Scheduler
  readonly windowMs: number
}

/** Whom a watch tells. */
export interface Sink {
  price(price: FeedPrice): void
  error?(error: unknown): void
}

/** Watches addresses, by every spelling they were given in, until what it returns is called. */
export function startWatch(
  spellings: ReadonlyMap<string, readonly string[]>,
  everyMs: number,
  sink: Sink,
  { clock, book, pace, allowance, scheduler, windowMs }: WatchParts,
): () => void {
  const quotes = [...spellings.keys()].map((address) => book.open(address))
  /** Addresses whose failure was told, until they have news. */
  const silent = new Set<Quote>()
  let trouble: string | undefined
  let running = true

  const onThrow = (error: unknown) => callSafely(sink.error, error)
  const tell = (quote: Quote, stale: boolean) => {
    for (const spelling of spellings.get(quote.address) ?? []) {
      const price = toFeedPrice(quote, spelling, clock.now(), stale)
      if (price !== undefined && running) callSafely(sink.price, price, onThrow)
    }
  }

  const reader: Watcher = {
    everyMs,
    quotes,
    news(quote) {
      silent.delete(quote)
      if (silent.size === 0) trouble = undefined
      tell(quote, clock.now() - quote.at > everyMs)
    },
    failed(quote, failure: Failure) {
      if (!silent.has(quote)) {
        silent.add(quote)
        tell(quote, true)
      }
      const code = isEtnMarketError(failure.error) ? failure.error.code : 'unknown'
      if (code === trouble || !running) return
      trouble = code
      callSafely(sink.error, failure.error)
    },
  }

  const now = clock.now()
  const leave = allowance.join(quotes.length, everyMs, now)
  const known: Quote[] = []
  for (const quote of quotes) {
    if (quote.watchers.size === 0) quote.wantedAt = now + windowMs
    quote.lostAt = Number.NEGATIVE_INFINITY
    quote.watchers.add(reader)
    if (quote.price !== undefined && now - quote.at <= everyMs * pace.stretch) known.push(quote)
    book.schedule(quote)
  }
  scheduler.wake()
  // Not before the caller has got hold of the watch.
  queueMicrotask(() => {
    for (const quote of known) if (running) tell(quote, clock.now() - quote.at > everyMs)
  })

  return () => {
    if (!running) return
    running = false
    leave(clock.now())
    for (const quote of quotes) {
      quote.watchers.delete(reader)
      book.schedule(quote)
    }
    scheduler.wake()
  }
}
