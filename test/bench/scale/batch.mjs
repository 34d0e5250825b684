import { createClient } from 'etn-market'
import { ADDRESS, addressOf, options, success, urlOf } from './service.mjs'

const PRICE = { usd: '0.0431328059369531392178303', etn: '17.2531223747812556871321' }

/** Microseconds for each address of one batch. */
export async function batchPerAddress(count) {
  const client = createClient({
    ...options,
    fetch: async (input) => {
      const requested = urlOf(input).match(ADDRESS)
      const prices = requested.map((address) => [address.toLowerCase(), PRICE])
      return success(Object.fromEntries(prices), 100 + 10 * requested.length)
    },
  })
  const addresses = Array.from({ length: count }, (_, i) => addressOf(i))
  const startedAt = performance.now()
  const prices = await client.prices.batch({ addresses })
  const us = ((performance.now() - startedAt) * 1_000) / count
  if (addresses.some((address) => prices[address]?.usd !== PRICE.usd)) throw new Error('A price is missing.')
  return us
}
