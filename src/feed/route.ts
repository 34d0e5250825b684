import { operations } from '../generated/operations.ts'

const SINGLE = operations['token.price'].credits.base
const { base: BASE, perItem: PER_ITEM, maxItems: CHUNK } = operations['prices.batch'].credits

/** The fee of a batch, and of each address in it, in credits; the most addresses that one batch takes. */
export { BASE, CHUNK, PER_ITEM }

/** One request: `token.price` for one address, `prices.batch` for more. */
export function requestCredits(addresses: number): number {
  return addresses === 1 ? SINGLE : BASE + PER_ITEM * addresses
}

/** Whether so many addresses cost less one by one (1 × 50 < 110, 2 × 50 < 120) than in a batch. */
function isCheaperAlone(addresses: number): boolean {
  return addresses * SINGLE < BASE + PER_ITEM * addresses
}

/** The least that so many addresses cost together, in credits. */
export function creditsFor(addresses: number): number {
  const rest = addresses % CHUNK
  const chunks = (addresses - rest) / CHUNK
  return chunks * requestCredits(CHUNK) + (isCheaperAlone(rest) ? rest * SINGLE : rest && BASE + PER_ITEM * rest)
}

/** Shares addresses out to the requests that cost least: chunks of 50, and a rest of one or two one by one. */
export function shareOut<T>(addresses: readonly T[]): T[][] {
  const requests: T[][] = []
  for (let start = 0; start < addresses.length; start += CHUNK) {
    const chunk = addresses.slice(start, start + CHUNK)
    if (isCheaperAlone(chunk.length)) requests.push(...chunk.map((address) => [address]))
    else requests.push(chunk)
  }
  return requests
}

/** How many of so many addresses can be bought for so many credits. */
export function mostFor(credits: number, addresses: number): number {
  let most = addresses
  while (most > 0 && creditsFor(most) > credits) most--
  return most
}
