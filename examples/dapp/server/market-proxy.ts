import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createProxy, type MarketProxy } from 'etn-market/proxy'
import type { ServerRequest } from 'srvx'
import { proxyOptions } from './proxy-options.ts'

/** The proxy on Node. It reads the key from `ETN_MARKET_API_KEY`, and the key stays here. */
export function createMarketProxy(): MarketProxy {
  const client = createClient({ retry: { limit: 1 } })
  return createProxy({
    ...proxyOptions,
    client,
    // Behind a load balancer this is the address of the balancer: return a session of your own instead.
    visitor: (request: ServerRequest) => request.ip,
    // 50 cents a day for the live prices of all visitors together.
    feed: createPriceFeed(client, { budget: { creditsPerDay: 500_000 } }),
    stream: { everyMs: 30_000 },
  })
}
