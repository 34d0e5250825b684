/** The proxy with its stream on Cloudflare Workers: one durable object holds the key, the feed and the budgets of all visitors. */
import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createProxy, type MarketProxy } from 'etn-market/proxy'

/** The bindings of `wrangler.json`, and the secret. */
interface Env {
  readonly ETN_MARKET_API_KEY: string
  readonly MARKET: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
}

/** A worker has many instances; this object has one, so that its cache, feed and budgets are everybody's. */
export class Market {
  readonly #proxy: MarketProxy

  constructor(_state: unknown, env: Env) {
    const client = createClient({ apiKey: env.ETN_MARKET_API_KEY, retry: { limit: 1 } })
    this.#proxy = createProxy({
      client,
      basePath: '/api/market',
      allow: ['prices.batch', 'token.price', 'token.list', { operation: 'token.candles', limit: 200 }],
      // Set by Cloudflare; a visitor cannot change it.
      visitor: (request) => request.headers.get('cf-connecting-ip'),
      perVisitor: { credits: 5_000, windowMs: 3_600_000, requestsPerMinute: 120 },
      budget: { creditsPerDay: 500_000 },
      feed: createPriceFeed(client, { budget: { creditsPerDay: 500_000 } }),
    })
  }

  fetch(request: Request): Promise<Response> {
    return this.#proxy(request)
  }
}

// biome-ignore lint/style/noDefaultExport: a worker exports its handler as default
export default {
  fetch(request: Request, { MARKET }: Env): Promise<Response> {
    return MARKET.get(MARKET.idFromName('market')).fetch(request)
  },
}
