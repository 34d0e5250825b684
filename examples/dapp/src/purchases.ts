import type { EtnQueries } from 'etn-market/tanstack-query'
import type { AnyQuery } from './credits/cost.ts'
import type { View } from './router.ts'

/** Bolt, the token that is shown until another one is chosen. */
export const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

/** Tokens to try, by their symbols. */
export const EXAMPLE_TOKENS = { BOLT, CORE: '0x309B916b3A90cb3E071697Ea9680e9217A30066f' }

/** Wrapped ETN, one side of most pools. */
export const WETN = '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77'

export const TOKEN_LIMITS = [20, 50, 100] as const
export const POOL_LIMITS = [20, 50, 100] as const
export const BUCKETS = ['1m', '15m', '1h', '4h', '1d'] as const
export const CURRENCIES = ['USD', 'ETN'] as const

const CANDLES = 120
const HOUR_MS = 3_600_000

export interface CandleChoice {
  readonly bucket: (typeof BUCKETS)[number]
  readonly currency: (typeof CURRENCIES)[number]
}

export const FIRST_CHOICE: CandleChoice = { bucket: '1h', currency: 'USD' }

export const tokenQuery = (queries: EtnQueries, address: string) =>
  // A name does not change.
  queries.token.get({ address }, { staleTime: HOUR_MS })

export const candlesQuery = (queries: EtnQueries, address: string, choice: CandleChoice) =>
  queries.token.candles({ address, limit: CANDLES, ...choice })

/** The most tokens of a wallet that the page shows. */
export const WALLET_LIMIT = 100

export const balancesQuery = (queries: EtnQueries, address: string) =>
  queries.balances.get({ address, limit: WALLET_LIMIT })

/** Symbols and decimals of the tokens of a wallet. */
export const allTokensQuery = (queries: EtnQueries) => queries.token.list({ limit: 100 })

export const presalesQuery = (queries: EtnQueries) => queries.presale.list({ limit: 50 })

/** What a view buys when it opens. */
export function queriesOf(view: View, queries: EtnQueries, address = BOLT): readonly AnyQuery[] {
  switch (view) {
    case 'tokens':
      return [queries.token.list({ limit: TOKEN_LIMITS[0] })]
    case 'candles':
      return [tokenQuery(queries, address), candlesQuery(queries, address, FIRST_CHOICE)]
    case 'pools':
      return [queries.pool.list({ limit: POOL_LIMITS[0], version: 2 })]
    case 'nfts':
      return [queries.nft.stats()]
    case 'presales':
      return [presalesQuery(queries)]
    case 'wallet':
    case 'locks':
      return []
  }
}
