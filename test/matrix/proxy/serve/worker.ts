import { type Market, openMarket } from './market.ts'

interface Env {
  readonly KEY: string
  readonly SERVICE_URL: string
  readonly MARKET: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
}

/** One object for all requests, because a feed and its streams need one. */
export class MarketObject {
  readonly #market: Market

  constructor(_state: unknown, { KEY, SERVICE_URL }: Env) {
    this.#market = openMarket(KEY, SERVICE_URL)
  }

  fetch(request: Request): Promise<Response> {
    return this.#market.proxy(request)
  }
}

// biome-ignore lint/style/noDefaultExport: a worker exports its handler as default
export default {
  fetch: (request: Request, { MARKET }: Env): Promise<Response> =>
    MARKET.get(MARKET.idFromName('market')).fetch(request),
}
