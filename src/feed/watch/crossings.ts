import { compareDecimals, type Decimal, hasMovedBy, parseDecimal } from '../../utils/decimal.ts'
import type { FeedAlert, FeedPrice } from './types.ts'

/** The conditions of an alert, with exact numbers. */
export interface Conditions {
  readonly above: Decimal | undefined
  readonly below: Decimal | undefined
  readonly movePercent: Decimal | undefined
  /** Infinity: since the last move. */
  readonly withinMs: number
}

export type Crossing = Pick<FeedAlert, 'condition' | 'price' | 'from'>

type Detector = (quote: Quote, before: FeedPrice | undefined) => Crossing | undefined

/** Returns a function that takes the prices of one token in their order, and returns what each crosses. */
export function detectCrossings({
  above,
  below,
  movePercent,
  withinMs,
}: Conditions): (price: FeedPrice, at: number) => Crossing[] {
  const detectors: Detector[] = []
  if (above) detectors.push(detectLimit('above', (usd) => compareDecimals(usd, above) > 0))
  if (below) detectors.push(detectLimit('below', (usd) => compareDecimals(usd, below) < 0))
  if (movePercent) detectors.push(detectMove(movePercent, withinMs))
  let before: FeedPrice | undefined

  return (price, at) => {
    const usd = parseDecimal(price.usd)
    // Without a price, nothing is known: neither side is reached or left.
    if (usd === undefined) return []
    const crossings = detectors.flatMap((detect) => detect({ price, usd, at }, before) ?? [])
    before = price
    return crossings
  }
}

/** Fires once when the price goes beyond a limit, and again after it has been back. */
function detectLimit(condition: 'above' | 'below', isBeyond: (usd: Decimal) => boolean): Detector {
  let wasBeyond = false
  return ({ price, usd }, from) => {
    const crosses = !wasBeyond && isBeyond(usd)
    wasBeyond = isBeyond(usd)
    return crosses ? { condition, price, from } : undefined
  }
}

/** Fires when the price is far from the lowest or highest one, and then begins again with this price. */
function detectMove(percent: Decimal, withinMs: number): Detector {
  const lowest = new Extreme(withinMs, (a, b) => compareDecimals(a, b) <= 0)
  const highest = new Extreme(withinMs, (a, b) => compareDecimals(a, b) >= 0)
  return (quote) => {
    const from = [lowest, highest]
      .map((extreme) => extreme.before(quote.at))
      .find((other) => other !== undefined && hasMovedBy(other.usd, quote.usd, { percent }))
    for (const extreme of [lowest, highest]) {
      if (from) extreme.clear()
      extreme.add(quote)
    }
    return from && { condition: 'move', price: quote.price, from: from.price }
  }
}

/** A price whose value in USD is known. */
interface Quote {
  readonly price: FeedPrice
  readonly usd: Decimal
  /** When the price was requested, by a clock that is never set. */
  readonly at: number
}

/** The lowest or the highest price of the last `withinMs`. */
class Extreme {
  /** A monotonic queue: each price is less extreme than the one before it. */
  #queue: Quote[] = []
  readonly #withinMs: number
  readonly #isBeyond: (a: Decimal, b: Decimal) => boolean

  /** @param isBeyond whether the first price makes the second one irrelevant once it is the newer one */
  constructor(withinMs: number, isBeyond: (a: Decimal, b: Decimal) => boolean) {
    this.#withinMs = withinMs
    this.#isBeyond = isBeyond
  }

  add(quote: Quote): void {
    const queue = this.#queue
    while (queue.length > 0 && this.#isBeyond(quote.usd, (queue.at(-1) as Quote).usd)) queue.pop()
    // Without an end of the window, only the first price can ever be the extreme.
    if (queue.length === 0 || this.#withinMs < Number.POSITIVE_INFINITY) queue.push(quote)
  }

  /** The extreme of the prices from `at - withinMs` to `at`; undefined without any. */
  before(at: number): Quote | undefined {
    while (this.#queue[0] !== undefined && this.#queue[0].at < at - this.#withinMs) this.#queue.shift()
    return this.#queue[0]
  }

  clear(): void {
    this.#queue = []
  }
}
