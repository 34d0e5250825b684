import type { Decimal } from '../../utils/decimal.ts'
import type { FeedPrice } from '../types.ts'

/** A price whose value in USD is known. */
export interface Quote {
  readonly price: FeedPrice
  readonly usd: Decimal
}

/** The lowest or the highest price of the last `withinMs`. */
export interface Extreme {
  add(quote: Quote): void
  /** The extreme of the prices from `at - withinMs` to `at`; undefined without any. */
  before(at: number): Quote | undefined
  clear(): void
}

/** @param isBeyond whether the first price makes the second one irrelevant once it is the newer one */
export function createExtreme(withinMs: number, isBeyond: (a: Decimal, b: Decimal) => boolean): Extreme {
  /** A monotonic queue: each price is less extreme than the one before it. */
  let queue: Quote[] = []
  return {
    add(quote) {
      while (queue.length > 0 && isBeyond(quote.usd, (queue.at(-1) as Quote).usd)) queue.pop()
      // Without an end of the window, only the first price can ever be the extreme.
      if (queue.length === 0 || withinMs < Number.POSITIVE_INFINITY) queue.push(quote)
    },
    before(at) {
      while (queue[0] !== undefined && queue[0].price.at < at - withinMs) queue.shift()
      return queue[0]
    },
    clear() {
      queue = []
    },
  }
}
