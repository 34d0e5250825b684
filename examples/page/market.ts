import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createProxy } from 'etn-market/proxy'

const client = createClient() // the key is in ETN_MARKET_API_KEY

export const proxy = createProxy({
  client,
  basePath: '/api/market',
  allow: ['token.list', 'nft.stats'],
  visitorCookie: true,
  budget: { creditsPerDay: 100_000 }, // for the calls of all visitors
  feed: createPriceFeed(client, { budget: { creditsPerDay: 300_000 } }), // for live prices, while this process lives
})
