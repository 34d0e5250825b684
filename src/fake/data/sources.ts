import type { Pools } from './pools.ts'
import type { Prices } from './prices.ts'
import type { TokenList } from './token-list.ts'

/** What the data of a route is computed from. */
export interface Sources {
  seed: number
  /** Whether the built-in data is left out. */
  only: boolean
  tokens: TokenList
  pools: Pools
  prices: Prices
}

/** The same with what the `world` option adds to a route. */
export interface SourcesWith<Own> extends Sources {
  own: Own
}
