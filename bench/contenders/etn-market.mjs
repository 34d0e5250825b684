import { createClient } from 'etn-market'

/** Everything on: validation, a budget, the timeout, events, sharing. */
export function connect({ baseUrl, apiKey, fetch }) {
  const client = createClient({
    apiKey,
    baseUrl,
    fetch,
    budget: { credits: Number.MAX_SAFE_INTEGER },
    onEvent: () => {},
  })
  return {
    light: (address) => client.token.price({ address }),
    candles: (address, options) => client.token.candles({ address, limit: 500 }, options),
    batch: (addresses) => client.prices.batch({ addresses }),
  }
}
