import { type Client, createClient, type FetchLike } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createRandom } from '../../support/random.ts'
import { tokenAddresses } from '../economics/day.ts'
import { openMarket, openProxy } from './market.ts'

export const VISITORS = 1_000
export const TOKENS = 20
export const EVERY_MS = 10_000
export const DURATION_MS = 600_000
/** Visitors arrive in the first minute. */
const ARRIVAL_MS = 60_000

/** What ten minutes of a number of visitors cost. */
export interface Bill {
  readonly credits: number
  readonly requests: number
  /** Prices that reached a visitor, per visitor and token. */
  readonly pricesPerToken: number
  readonly stale: number
}

type Market = ReturnType<typeof openMarket>

/** Creates the client of the page of one visitor. */
type Page = (visitor: number) => Client

async function simulate(visitors: number, stream: boolean, open: (market: Market) => Page): Promise<Bill> {
  const market = openMarket()
  const { clock, fake } = market
  const page = open(market)
  const addresses = await tokenAddresses(TOKENS)
  const random = createRandom(7)
  const start = clock.now()
  const arrivals = Array.from({ length: visitors }, () => Math.floor(random() * ARRIVAL_MS)).sort((a, b) => a - b)
  let prices = 0
  let stale = 0
  for (const [visitor, at] of arrivals.entries()) {
    await clock.advance(start + at - clock.now())
    const feed = createPriceFeed(page(visitor), { clock, stream })
    feed.watch(addresses, {
      everyMs: EVERY_MS,
      onPrice(price) {
        prices++
        if (price.stale) stale++
      },
    })
  }
  await clock.advance(start + DURATION_MS - clock.now())
  const requests = fake.journal().at(-1)?.id ?? 0
  const bill = { credits: fake.charged(), requests, pricesPerToken: prices / visitors / TOKENS, stale }
  await fake.close()
  return bill
}

function behindProxy({ clock, client }: Market, stream: boolean): Page {
  const proxy = openProxy({
    client,
    basePath: '/api/market',
    allow: ['prices.batch', 'token.price'],
    perVisitor: { credits: 50_000, windowMs: 3_600_000 },
    ...(stream && { feed: createPriceFeed(client, { clock, budget: false }), stream: { everyMs: EVERY_MS } }),
    clock,
  })
  const baseUrl = 'https://dapp.example/api/market'
  const onProxy: FetchLike = (url, init) => proxy(new Request(url, init))
  return (visitor) => createClient({ baseUrl, headers: { 'x-visitor': String(visitor) }, fetch: onProxy, clock })
}

/** Each visitor has a client with a key. */
export const clientEach = (visitors: number) =>
  simulate(
    visitors,
    false,
    ({ clock, fake }) =>
      () =>
        createClient({ apiKey: fake.key, fetch: fake.fetch, clock }),
  )

/** One page with a feed. */
export const oneFeed = () => clientEach(1)

export const throughProxy = (visitors: number) => simulate(visitors, false, (market) => behindProxy(market, false))

export const throughStream = (visitors: number) => simulate(visitors, true, (market) => behindProxy(market, true))
