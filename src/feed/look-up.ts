import type { Clock } from '../clock.ts'
import { invalidOption, refuseUnknown } from '../errors/input.ts'
import type { Book, Failure, Quote, Reader } from './book.ts'
import type { Life } from './life.ts'
import type { Pace } from './pace.ts'
import { toFeedPrice } from './quote.ts'
import type { Scheduler } from './scheduler.ts'
import type { Trouble } from './trouble.ts'
import type { FeedPrice, LookUpOptions } from './types.ts'

export interface LookUpParts {
  readonly clock: Clock
  readonly book: Book
  readonly pace: Pace
  readonly trouble: Trouble
  readonly scheduler: Scheduler
  readonly life: Life
  readonly maxAgeMs: number
  /** Spells addresses in EIP-55 form; throws what the client throws for one that is wrong. */
  spell(addresses: readonly string[]): string[]
}

/** Repeats of a request that failed, as many as the client makes by itself; and the longest wait for one. */
const MOST_REPEATS = 2
const LONGEST_WAIT_MS = 60_000

/** Answers from what is known, and waits for the rest. */
export async function lookUp(
  spellings: readonly string[],
  options: LookUpOptions,
  parts: LookUpParts,
): Promise<Record<string, FeedPrice>> {
  const { clock, book, pace, life, spell } = parts
  refuseUnknown('look-up option', options, ['maxAgeMs', 'signal'])
  const { maxAgeMs = parts.maxAgeMs, signal } = options
  if (!(typeof maxAgeMs === 'number' && maxAgeMs >= 0))
    throw invalidOption('maxAgeMs', maxAgeMs, 'a number of milliseconds, 0 or more')
  life.signal.throwIfAborted()
  signal?.throwIfAborted()
  const quotes = spell(spellings).map((address) => book.open(address))
  const askedAt = clock.now()
  const isFresh = ({ price, at }: Quote) => price !== undefined && askedAt - at <= maxAgeMs * pace.stretch
  const missing = quotes.filter((quote) => !isFresh(quote))
  if (missing.length > 0) await waitFor(new Set(missing), maxAgeMs, signal, parts)
  const now = clock.now()
  const prices: Record<string, FeedPrice> = {}
  for (const [index, spelling] of spellings.entries()) {
    const quote = quotes[index]
    const price = quote && toFeedPrice(quote, spelling, now, quote.at < askedAt - maxAgeMs)
    if (price !== undefined) prices[spelling] = price
  }
  return prices
}

/** Resolves when there is something to say of each address; rejects when there never will be, or on an abort. */
function waitFor(
  missing: Set<Quote>,
  everyMs: number,
  signal: AbortSignal | undefined,
  { scheduler, trouble, life, clock }: LookUpParts,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const repeats = new Map<Quote, number>()
    const leave = (quote: Quote) => {
      missing.delete(quote)
      quote.lookUps.delete(reader)
      if (quote.lookUps.size === 0) scheduler.drop(quote)
    }
    const end = () => {
      for (const quote of [...missing]) leave(quote)
      stopListening()
      life.leave(onClose)
    }
    const fail = (error: unknown) => {
      end()
      reject(error)
    }
    const reader: Reader = {
      everyMs,
      news(quote) {
        leave(quote)
        if (missing.size > 0) return
        end()
        resolve()
      },
      failed(quote, failure) {
        // An old price that says so is better than none.
        if (quote.price !== undefined) return reader.news(quote)
        const tries = (repeats.get(quote) ?? 0) + 1
        repeats.set(quote, tries)
        if (tries > MOST_REPEATS || !canWait(failure)) return fail(failure.error)
        scheduler.ask(quote)
      },
    }
    const onClose = () => fail(life.signal.reason)
    const stopListening = life.listen(signal, () => fail(signal?.reason))
    life.join(onClose)

    // While the service is in trouble an old price is told at once: nobody knows how long a new one takes.
    const { failure, until } = trouble
    for (const quote of [...missing]) {
      quote.lookUps.add(reader)
      if (failure && quote.price !== undefined) reader.news(quote)
      else if (failure && clock.now() < until && !canWait(failure)) return fail(failure.error)
      else scheduler.ask(quote)
    }
  })
}

function canWait({ passing, waitMs }: Failure): boolean {
  return passing && waitMs <= LONGEST_WAIT_MS
}
