import type { FeedPrice } from '../types.ts'
import type { InputsByAddress } from './watch.ts'

/** Returns the EIP-55 form of addresses; throws the client's error for an invalid one. */
export type ToChecksum = (addresses: readonly string[]) => string[]

/** Each address once, with the different inputs that name it. */
export function groupByAddress(given: string | readonly string[], toChecksum: ToChecksum): InputsByAddress {
  const inputs = typeof given === 'string' ? [given] : given
  const groups = new Map<string, string[]>()
  const addresses = toChecksum(inputs)
  for (const [index, input] of inputs.entries()) {
    const address = addresses[index] ?? input
    const group = groups.get(address) ?? []
    if (!group.includes(input)) group.push(input)
    groups.set(address, group)
  }
  return groups
}

/** The price with its age at the time when it is read. */
export function withAge(price: FeedPrice, now: number, everyMs: number): FeedPrice {
  const ageMs = now - price.at
  return ageMs === price.ageMs ? price : { ...price, ageMs, stale: price.stale || ageMs > everyMs }
}
