import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createProxy, type MarketProxy } from 'etn-market/proxy'
import { BASE_PATH, MAX_STREAMS, PARTNER, VISITOR_CREDITS, VISITOR_HEADER } from '../settings.ts'

export interface Market {
  readonly proxy: MarketProxy
  close(): Promise<void>
}

/** The proxy that each server serves. Nothing in it knows of its server. */
export function openMarket(apiKey: string | undefined, baseUrl: string | undefined): Market {
  const client = createClient({ apiKey, baseUrl })
  const feed = createPriceFeed(client, { budget: false })
  const proxy = createProxy({
    client,
    basePath: BASE_PATH,
    allow: [
      'etn.price',
      // Fresh as long as a visit takes, however busy the machine is.
      { operation: 'token.price', cacheMs: 3_600_000 },
      'token.get',
      'token.list',
      { operation: 'token.history', cacheMs: 0 },
      'prices.batch',
    ],
    visitor: (request) => request.headers.get(VISITOR_HEADER),
    perVisitor: { credits: VISITOR_CREDITS, windowMs: 3_600_000 },
    cors: { origins: [PARTNER] },
    budget: false,
    feed,
    stream: { addresses: 'any', perVisitor: { streams: MAX_STREAMS }, everyMs: 1_000, heartbeatMs: 1_000 },
  })
  return {
    proxy,
    async close() {
      await proxy.close()
      await feed.close()
      await client.close()
    },
  }
}
