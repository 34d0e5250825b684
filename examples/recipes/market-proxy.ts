import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createProxy } from 'etn-market/proxy'

const HOUR_MS = 3_600_000
const client = createClient()

export const proxy = createProxy({
  client,
  basePath: '/api/market',
  allow: [
    'token.list',
    'nft.stats',
    { operation: 'prices.batch', tokens: 'listed' },
    { operation: 'token.price', tokens: 'listed' },
    { operation: 'token.candles', tokens: 'listed', limit: 200 },
  ],
  visitorCookie: { secret: process.env.SESSION_SECRET },
  perVisitor: { credits: 5_000, windowMs: HOUR_MS, requestsPerMinute: 120 },
  budget: { creditsPerDay: 500_000 }, // of all visitors together
  feed: createPriceFeed(client, { budget: { creditsPerDay: 300_000 } }),
  operator: (request) => {
    const token = process.env.OPERATOR_TOKEN
    return Boolean(token) && request.headers.get('authorization') === `Bearer ${token}`
  },
})
