import { operations } from '../generated/operations.ts'

// Functions, so that a bundle without them has no table of operations either.

/** How many candles the service returns at most. */
export function maxCandles(): number {
  return operations['token.candles'].credits.maxItems
}

export function candleCredits(count: number): number {
  const { base, perItem } = operations['token.candles'].credits
  return base + perItem * count
}
