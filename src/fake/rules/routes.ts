/** Name of an operation, as the documentation gives it. */
export type FakeOperation = keyof typeof ROUTES

/** Parameters and cost of a route. Typed in by hand from the documentation, independently of the client's table. */
export interface Route {
  /** Path below the version prefix; names in braces are parameters. */
  path: string
  /** Credits for the call itself; 0 with `free`. */
  base: number
  /** Credits for each item returned. */
  perItem: number
  /** Whether the data is a list. */
  list?: true
  /** Largest `limit`, on routes that page. */
  maxLimit?: number
  /** Default of `limit`. The documentation gives none; these are the fake's own. */
  defaultLimit?: number
  /** Query parameters besides `limit`. */
  query?: readonly QueryName[]
  /** Whether it needs one of the heavy slots. */
  heavy?: true
  /** Not metered: no charge and no credit headers. */
  free?: true
  /** Whether it needs no key. */
  open?: true
}

/** Query parameters with a rule of their own. */
export type QueryName = 'addresses' | 'bucket' | 'currency' | 'duration' | 'version' | 'token'

/** Maximum of addresses in `prices.batch`. */
export const MAX_ADDRESSES = 50

/** The only chain. */
export const CHAIN_ID = 52014

// biome-ignore format: a table reads best as one
const ROUTES = {
  'etn.price':       { path: '/prices/etn', base: 25, perItem: 0 },
  'prices.batch':    { path: '/prices/{chainId}', base: 100, perItem: 10, query: ['addresses'] },
  'token.price':     { path: '/prices/{chainId}/{address}', base: 50, perItem: 0 },
  'token.list':      { path: '/tokens/{chainId}', base: 100, perItem: 5, list: true, maxLimit: 100, defaultLimit: 50 },
  'token.get':       { path: '/tokens/{chainId}/{address}', base: 100, perItem: 0 },
  'token.candles':   { path: '/tokens/{chainId}/{address}/candles', base: 100, perItem: 1, list: true, maxLimit: 500, defaultLimit: 100, query: ['bucket', 'currency'] },
  'token.history':   { path: '/tokens/{chainId}/{address}/history', base: 200, perItem: 0, query: ['duration', 'currency'] },
  'locks.get':       { path: '/tokens/{chainId}/{address}/liquidity-locks', base: 2000, perItem: 0, list: true, heavy: true },
  'pool.list':       { path: '/pools/{chainId}', base: 200, perItem: 5, list: true, maxLimit: 100, defaultLimit: 50, query: ['version'] },
  'trade.list':      { path: '/trades/{chainId}', base: 250, perItem: 10, list: true, maxLimit: 25, defaultLimit: 25, query: ['token'] },
  'nft.stats':       { path: '/nft/stats', base: 25, perItem: 0 },
  'nft.collections': { path: '/nft/collections/{chainId}', base: 300, perItem: 10, list: true, maxLimit: 50, defaultLimit: 20 },
  'nft.collection':  { path: '/nft/collections/{chainId}/{address}', base: 500, perItem: 0 },
  'nft.assets':      { path: '/nft/collections/{chainId}/{address}/assets', base: 400, perItem: 20, list: true, maxLimit: 50, defaultLimit: 20 },
  'presale.list':    { path: '/presales/{chainId}', base: 250, perItem: 10, list: true, maxLimit: 50, defaultLimit: 20 },
  'presale.get':     { path: '/presales/{chainId}/{pool}', base: 200, perItem: 0 },
  'balances.get':    { path: '/balances/{chainId}/{address}', base: 800, perItem: 10, maxLimit: 200, defaultLimit: 100 },
  'farm.list':       { path: '/farms/{chainId}', base: 3000, perItem: 0, list: true, heavy: true },
  'account.me':      { path: '/me', base: 0, perItem: 0, free: true },
  'meta.openapi':    { path: '/openapi.json', base: 0, perItem: 0, free: true, open: true },
} as const satisfies Record<string, Route>

/** The operations whose data is a list. */
export type ListOperation = {
  [Operation in FakeOperation]: 'list' extends keyof (typeof ROUTES)[Operation] ? Operation : never
}[FakeOperation]

/** The routes by operation. */
export const fakeRoutes: Readonly<Record<FakeOperation, Route>> = ROUTES

/** The names of all operations. */
export const fakeOperations = Object.keys(ROUTES) as FakeOperation[]

/** Cost of a success in credits. */
export function priceOf(operation: FakeOperation, items: number): number {
  const { base, perItem } = fakeRoutes[operation]
  return base + perItem * items
}
