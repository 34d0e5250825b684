import type { TokenPrice } from 'etn-market'
import type { FeedClient } from 'etn-market/feed'

export const SINGLE = 50
export const BASE = 100
export const PER_ITEM = 10
const MAX_ITEMS = 50

/** The lowest cost of buying this number of prices at once, in credits, by the service's list of prices. */
export function creditsFor(addresses: number): number {
  const rest = addresses % MAX_ITEMS
  const batches = (addresses - rest) / MAX_ITEMS
  return batches * (BASE + PER_ITEM * MAX_ITEMS) + Math.min(rest * SINGLE, rest && BASE + PER_ITEM * rest)
}

/** What was charged. */
export interface Ledger {
  credits: number
  requests: number
}

/** A client that answers at once, and charges what the service charges. */
export function createChargingClient(): { client: FeedClient; ledger: Ledger } {
  const ledger: Ledger = { credits: 0, requests: 0 }
  const answer = (data: unknown, charged: number) => ({
    withMeta() {
      ledger.credits += charged
      ledger.requests++
      return Promise.resolve({ data, meta: { credits: { charged } } })
    },
  })
  const price = (address: string): TokenPrice => ({ address, usd: '1', etn: '2' })
  const batch = ({ addresses }: { addresses: readonly string[] }) =>
    answer(
      Object.fromEntries(addresses.map((address) => [address, price(address)])),
      BASE + PER_ITEM * addresses.length,
    )
  const client = {
    token: { price: ({ address }: { address: string }) => answer(price(address), SINGLE) },
    prices: { batch: Object.assign(batch, { estimate: () => ({ min: 0, max: 0, requests: 0 }) }) },
  }
  return { client: client as unknown as FeedClient, ledger }
}

/** `count` different addresses. */
export function addressList(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
}
