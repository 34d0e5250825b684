import { editDistance } from '../../utils/nearest.ts'
import { tryTo } from '../../utils/runtime.ts'

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

/** Values that query parameters may have. */
export const QUERY_VALUES = {
  bucket: ['1m', '15m', '1h', '4h', '1d'],
  duration: ['HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'],
  currency: ['USD', 'ETN'],
  version: ['2', '3'],
} as const

/** Length of the period of a candle. */
export type Bucket = '1m' | '15m' | '1h' | '4h' | '1d'
export type Currency = (typeof QUERY_VALUES.currency)[number]
export type Duration = (typeof QUERY_VALUES.duration)[number]

/** Maximum of addresses in `prices.batch`. */
export const MAX_ADDRESSES = 50

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

/** The routes of the service by operation: path, cost in credits, limits and query parameters. */
export const fakeRoutes: Readonly<Record<FakeOperation, Route>> = ROUTES

/** The names of all operations. */
export const fakeOperations = Object.keys(ROUTES) as FakeOperation[]

export function priceOf(operation: FakeOperation, items: number): number {
  const { base, perItem } = fakeRoutes[operation]
  return base + perItem * items
}

export interface RouteMatch {
  operation: FakeOperation
  /** The path parameters by name. */
  path: Record<string, string>
}

/** The parameters of a request as they were given: without defaults, and without the chain. */
export function givenParams({ operation, path }: RouteMatch, query: URLSearchParams): Record<string, unknown> {
  const { chainId: _, ...params }: Record<string, unknown> = path
  const { query: names = [], maxLimit } = fakeRoutes[operation]
  for (const name of names) {
    const value = query.get(name)
    if (value !== null) params[name] = name === 'addresses' ? value.split(',') : value
  }
  const limit = query.get('limit')
  if (maxLimit !== undefined && limit !== null) params.limit = Number(limit)
  return params
}

const PATTERNS = fakeOperations.map((operation) => {
  const path = fakeRoutes[operation].path.replaceAll('.', '\\.')
  return { operation, pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]*)')}$`) }
})

/** The part of a path after its last `/v1`, or all of it: the same fake answers under any base URL. */
export function pathBelowVersion(pathname: string): string {
  const at = `${pathname}/`.lastIndexOf('/v1/')
  return at < 0 ? pathname : pathname.slice(at + 3) || '/'
}

/** Finds the route of a path. A fixed path, for example `/prices/etn`, has precedence over one with parameters. */
export function matchRoute(path: string): RouteMatch | undefined {
  for (const { operation, pattern } of PATTERNS) {
    const match = pattern.exec(path)
    const found = Object.entries(match?.groups ?? {}).map(([name, part]) => [name, decode(part)])
    if (match) return { operation, path: Object.fromEntries(found) }
  }
  return undefined
}

const decode = (part: string): string => tryTo(() => decodeURIComponent(part)) ?? part

/** Cost of adding or removing a segment; that of replacing one is at most 1. */
const GAP = 0.75

/** The route that is most similar to a mistyped path, for the error message. */
export function nearestRoute(path: string): { operation: FakeOperation; path: string } {
  const given = path.split('/').slice(1)
  const ranked = fakeOperations.map((operation) => {
    const route = fakeRoutes[operation].path
    return { operation, path: route, distance: editDistance(given, route.split('/').slice(1), differ, GAP) }
  })
  return ranked.reduce((nearest, one) => (one.distance < nearest.distance ? one : nearest))
}

function differ(given: string, expected: string): number {
  if (expected.startsWith('{')) return /^(\d+|0x.*)$/.test(given) ? 0 : 0.5
  return editDistance([...given], [...expected]) / Math.max(given.length, expected.length)
}
