import { operations } from '../generated/operations.ts'

// Pure calls, so that a bundle that buys no prices leaves out the table of operations.
const SINGLE = /* @__PURE__ */ (() => operations['token.price'].credits.base)()
export const BASE = /* @__PURE__ */ (() => operations['prices.batch'].credits.base)()
export const PER_ITEM = /* @__PURE__ */ (() => operations['prices.batch'].credits.perItem)()
export const MAX_ITEMS = /* @__PURE__ */ (() => operations['prices.batch'].credits.maxItems)()

/** The cost of one request: `token.price` for one address, `prices.batch` for more. */
export function requestCredits(addresses: number): number {
  return addresses === 1 ? SINGLE : BASE + PER_ITEM * addresses
}

/** Whether single requests are cheaper than a batch (1 × 50 < 110, 2 × 50 < 120). */
function areSinglesCheaper(addresses: number): boolean {
  return addresses * SINGLE < BASE + PER_ITEM * addresses
}

/** The lowest cost of buying this number of addresses, in credits. */
export function creditsFor(addresses: number): number {
  const rest = addresses % MAX_ITEMS
  const batches = (addresses - rest) / MAX_ITEMS
  return batches * requestCredits(MAX_ITEMS) + Math.min(rest * SINGLE, BASE + PER_ITEM * rest)
}

/** How many requests cost the least for this number of addresses. */
export function requestsFor(addresses: number): number {
  const rest = addresses % MAX_ITEMS
  return (addresses - rest) / MAX_ITEMS + (areSinglesCheaper(rest) ? rest : 1)
}

/** Splits addresses into the cheapest requests: batches of 50, and single requests for a rest of one or two. */
export function splitIntoRequests<T>(addresses: readonly T[]): T[][] {
  const requests: T[][] = []
  for (let start = 0; start < addresses.length; start += MAX_ITEMS) {
    const chunk = addresses.slice(start, start + MAX_ITEMS)
    if (areSinglesCheaper(chunk.length)) requests.push(...chunk.map((address) => [address]))
    else requests.push(chunk)
  }
  return requests
}

export function maxAffordable(credits: number, addresses: number): number {
  let count = addresses
  while (count > 0 && creditsFor(count) > credits) count--
  return count
}
