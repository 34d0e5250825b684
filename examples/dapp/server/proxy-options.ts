import type { ProxyCallOptions } from 'etn-market/proxy'

/** Credits that one visitor may spend in a day. */
export const VISITOR_CREDITS = 50_000

const DAY_MS = 86_400_000

/** What visitors may ask for and spend. The demo in the page and the proxy on Node share it. */
export const proxyOptions = {
  basePath: '/api/market',
  allow: [
    // Where the stream fails, the page buys prices itself.
    'token.price',
    'prices.batch',
    'token.list',
    'token.get',
    { operation: 'token.candles', limit: 200 },
    'pool.list',
    'nft.stats',
    'nft.collection',
    'presale.list',
    { operation: 'balances.get', limit: 100, cacheMs: 10_000 },
    'locks.get',
  ],
  perVisitor: { credits: VISITOR_CREDITS, windowMs: DAY_MS, requestsPerMinute: 300 },
  budget: { credits: 1_000_000, windowMs: DAY_MS },
} satisfies Omit<ProxyCallOptions, 'client'>
