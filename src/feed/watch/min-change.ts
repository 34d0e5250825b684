import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import { type Change, type Decimal, hasMovedBy, parseDecimal } from '../../utils/decimal.ts'
import type { FeedPrice, WatchOptions } from './types.ts'

/** Decides which prices differ enough from the last one that was delivered. */
export class MoveFilter {
  readonly #change: Change | undefined
  readonly #delivered = new Map<string, FeedPrice>()

  constructor(change: Change | undefined) {
    this.#change = change
  }

  shouldDeliver(price: FeedPrice): boolean {
    const last = this.#delivered.get(price.address)
    if (this.#change === undefined || last === undefined || last.stale !== price.stale) return true
    return hasMoved(last, price, this.#change)
  }

  /** Returns the price. */
  recordDelivery(price: FeedPrice): FeedPrice {
    if (this.#change !== undefined) this.#delivered.set(price.address, price)
    return price
  }

  /** The next price of this input counts as the first one. */
  forget(input: string): void {
    this.#delivered.delete(input)
  }
}

/** A price in another currency, or one that appears or disappears, has moved. */
function hasMoved(from: FeedPrice, to: FeedPrice, change: Change): boolean {
  if (from.usd === null && to.usd === null) return hasValueMoved(from.etn, to.etn, change)
  return hasValueMoved(from.usd, to.usd, change)
}

function hasValueMoved(from: string | null, to: string | null, change: Change): boolean {
  if (from === to) return false
  const [before, after] = [parseDecimal(from), parseDecimal(to)]
  return before === undefined || after === undefined || hasMovedBy(before, after, change)
}

export function readMinChange(minChange: WatchOptions['minChange']): Change | undefined {
  if (minChange === undefined) return undefined
  rejectUnknown('minChange option', minChange, ['percent', 'absolute'])
  const { percent, absolute } = minChange as { percent?: unknown; absolute?: unknown }
  if ((percent === undefined) === (absolute === undefined))
    throw invalidOption('minChange', minChange, 'either { percent } or { absolute }')
  if (percent !== undefined) return { percent: readAmount('minChange.percent', percent) }
  return { absolute: readAmount('minChange.absolute', absolute) }
}

export function readAmount(name: string, value: unknown): Decimal {
  const amount = parseDecimal(value)
  if (amount !== undefined && amount.digits >= 0n) return amount
  throw invalidOption(name, value, 'a number or a decimal string, 0 or more')
}
