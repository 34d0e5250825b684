import { operations } from 'etn-market'

/** The cheapest requests for some prices: batches of 50, and one or two prices alone. */
export function costOfPrices(count: number): number {
  const { base, perItem, maxItems } = operations['prices.batch'].credits
  const rest = count % maxItems
  const ofRest = rest === 0 ? 0 : Math.min(base + perItem * rest, operations['token.price'].credits.base * rest)
  return Math.floor(count / maxItems) * (base + perItem * maxItems) + ofRest
}
