import { createClient } from 'etn-market'
import { createFakeService, type FakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createProxy } from 'etn-market/proxy'
import { createVirtualClock, type VirtualClock } from '../../support/clock.ts'
import { createRandom } from '../../support/random.ts'
import { tokenAddresses } from '../economics/strategies.ts'

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

interface Market {
  readonly clock: VirtualClock
  readonly fake: FakeService
}

/** Creates the client of the page of one visitor. */
type Page = (visitor: number) => { client: ReturnType<typeof createClient>; stream: boolean }

async function simulate(visitors: number, open: (market: Market) => Page): Promise<Bill> {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock, journal: { max: 10 } })
  const page = open({ clock, fake })
  const addresses = await tokenAddresses(TOKENS)
  const random = createRandom(7)
  const start = clock.now()
  const arrivals = Array.from({ length: visitors }, () => Math.floor(random() * ARRIVAL_MS)).sort((a, b) => a - b)
  let prices = 0
  let stale = 0
  for (const [visitor, at] of arrivals.entries()) {
    await clock.advance(start + at - clock.now())
    const { client, stream } = page(visitor)
    const feed = createPriceFeed(client, { clock, stream })
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

/** The client that holds the key. */
const connect = ({ clock, fake }: Market) => createClient({ apiKey: fake.key, fetch: fake.fetch, clock })

function behindProxy(market: Market, stream: boolean): Page {
  const { clock } = market
  const client = connect(market)
  const proxy = createProxy({
    client,
    basePath: '/api/market',
    allow: ['prices.batch', 'token.price'],
    visitor: (request) => request.headers.get('x-visitor'),
    perVisitor: { credits: 50_000, windowMs: 3_600_000 },
    budget: false,
    ...(stream && { feed: createPriceFeed(client, { clock, budget: false }), stream: { everyMs: EVERY_MS } }),
    clock,
  })
  return (visitor) => ({
    stream,
    client: createClient({
      baseUrl: 'https://dapp.example/api/market',
      headers: { 'x-visitor': String(visitor) },
      fetch: proxy,
      clock,
    }),
  })
}

/** One page with a feed. */
export const oneFeed = () => simulate(1, (market) => () => ({ client: connect(market), stream: false }))

/** Each visitor has a client with a key. */
export const clientEach = (visitors: number) =>
  simulate(visitors, (market) => () => ({ client: connect(market), stream: false }))

export const throughProxy = (visitors: number) => simulate(visitors, (market) => behindProxy(market, false))

export const throughStream = (visitors: number) => simulate(visitors, (market) => behindProxy(market, true))
