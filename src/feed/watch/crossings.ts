import { compareDecimals, type Decimal, hasMovedBy, parseDecimal } from '../../utils/decimal.ts'
import type { FeedPrice } from '../types.ts'
import type { FeedAlert } from './alert-types.ts'
import { createExtreme, type Quote } from './extreme.ts'

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
export function detectCrossings({ above, below, movePercent, withinMs }: Conditions): (price: FeedPrice) => Crossing[] {
  const detectors: Detector[] = []
  if (above) detectors.push(detectLimit('above', (usd) => compareDecimals(usd, above) > 0))
  if (below) detectors.push(detectLimit('below', (usd) => compareDecimals(usd, below) < 0))
  if (movePercent) detectors.push(detectMove(movePercent, withinMs))
  let before: FeedPrice | undefined

  return (price) => {
    const usd = parseDecimal(price.usd)
    // Without a price, nothing is known: neither side is reached or left.
    if (usd === undefined) return []
    const crossings = detectors.flatMap((detect) => detect({ price, usd }, before) ?? [])
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
  const lowest = createExtreme(withinMs, (a, b) => compareDecimals(a, b) <= 0)
  const highest = createExtreme(withinMs, (a, b) => compareDecimals(a, b) >= 0)
  return (quote) => {
    const from = [lowest, highest]
      .map((extreme) => extreme.before(quote.price.at))
      .find((other) => other !== undefined && hasMovedBy(other.usd, quote.usd, { percent }))
    for (const extreme of [lowest, highest]) {
      if (from) extreme.clear()
      extreme.add(quote)
    }
    return from && { condition: 'move', price: quote.price, from: from.price }
  }
}
