import { QueryClient } from '@tanstack/react-query'
import { type Client, createClient } from 'etn-market'
import { createPriceFeed, type PriceFeed } from 'etn-market/feed'
import { type CreditMeter, createCreditMeter } from 'etn-market/react'
import { type EtnQueries, etnQueries } from 'etn-market/tanstack-query'
import { createContext, use } from 'react'
import { proxyOptions } from '../server/proxy-options.ts'
import { type Balance, createBalance } from './credits/balance.ts'
import { createFreshness, type Freshness } from './credits/freshness.ts'
import { createPriceHistory, type PriceHistory } from './prices/price-history.ts'

/** Everything that the page needs of the market. */
export interface Market {
  readonly client: Client
  readonly meter: CreditMeter
  readonly balance: Balance
  /** What this visitor may spend in a day. */
  readonly visitorCredits: number
  readonly feed: PriceFeed
  /** What the feed delivers, for hooks, and what it has delivered. */
  readonly prices: PriceHistory
  readonly queries: EtnQueries
  readonly queryClient: QueryClient
  readonly freshness: Freshness
}

/** Connects the page to the proxy, which holds the key. */
export function createMarket(visitorCredits: number): Market {
  const balance = createBalance()
  const meter = createCreditMeter({ budgetWindowMs: proxyOptions.perVisitor.windowMs })
  const client = createClient({
    baseUrl: '/api/market',
    onEvent: meter.onEvent,
    hooks: { afterResponse: [balance.readAnswer] },
    // The proxy retries. Here a refusal is shown at once, with the time after which to ask again.
    retry: false,
  })
  const queryClient = new QueryClient({
    defaultOptions: {
      // Nothing is bought without a click.
      queries: { refetchOnWindowFocus: false, refetchOnReconnect: false },
    },
  })
  const feed = createPriceFeed(client, { stream: true, pauseWhenHidden: true })
  return {
    client,
    meter,
    balance,
    visitorCredits,
    queryClient,
    feed,
    prices: createPriceHistory(feed),
    queries: etnQueries(client),
    freshness: createFreshness(queryClient),
  }
}

export const MarketContext = createContext<Market | undefined>(undefined)

export function useMarket(): Market {
  const market = use(MarketContext)
  if (market === undefined) throw new Error('useMarket needs a MarketContext.')
  return market
}
