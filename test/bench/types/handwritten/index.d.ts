export interface RetryOptions {
  limit?: number | undefined
  maxRetryAfterMs?: number | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  deadlineMs?: number | undefined
  retry?: RetryOptions | false | undefined
  validate?: 'strict' | 'warn' | 'off' | undefined
}

export interface ClientOptions extends Omit<CallOptions, 'signal'> {
  apiKey?: string | (() => string | Promise<string>) | undefined
  baseUrl?: string | undefined
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  heavyConcurrency?: number | undefined
  batchConcurrency?: number | undefined
  budget?: { credits: number; windowMs?: number | undefined } | undefined
  cache?: { ttlMs: Record<string, number | undefined> } | undefined
  onEvent?: ((event: { type: string }) => void) | undefined
}

export interface TokenPrice {
  address: string
  usd?: string | null
  etn?: string | null
}

export interface Token {
  address: string
  name: string
  symbol: string
  decimals: number
  totalSupply: number
}

export interface TokenDetails extends Token {
  usd?: string | null
  etn?: string | null
}

export interface Candle {
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  count: number
}

export interface TokenHistory {
  prices?: { timestamp?: number | null; value?: number | null }[] | null
  volume?: number | null
  high?: number | null
  low?: number | null
}

export interface PoolToken extends Token {
  chainId: number
  blockAdded: number
  deployer: string
}

export interface Pool {
  address: string
  chainId: number
  version: number
  token0: PoolToken
  token1: PoolToken
}

export interface Trade {
  hash?: string | null
  timestamp?: number | null
  pool?: string | null
  token0?: string | null
  token1?: string | null
  amount0?: string | null
  amount1?: string | null
  usd?: string | null
  sender?: string | null
}

export interface NftCollectionTotals {
  address: string
  name: string
  symbol: string
  image: string | null
  floorPrice: number | null
  uniqueOwners: number
  listingCount: number
}

export interface NftStats {
  updatedAt: string
  collections: NftCollectionTotals[]
}

export interface NftCollection {
  address: string
  name: string
  symbol: string
  totalSupply: number
}

export interface NftCollectionDetails extends NftCollection {
  stats: {
    floorPrice: number | null
    uniqueOwners: number
    listingCount: number
    volume?: number | null
  }
}

export interface NftAsset {
  tokenId?: string | null
  name?: string | null
  description?: string | null
  image?: string | null
  ownerAddress?: string | null
  lastPrice?: number | null
  traits?: { name?: string | null; value?: string | null; rarity?: number | null }[] | null
}

type Amount = number | string | null

export interface Presale {
  id?: string | number | null
  pool: string
  status: 'PENDING' | 'ACTIVE' | 'LAUNCHED' | 'FAILED' | 'CANCELLED' | (string & {})
  token: {
    name?: string | null
    symbol?: string | null
    decimals?: number | null
    totalSupply?: Amount
    address?: string | null
    liquidityPool?: string | null
  }
  campaign?: Campaign | null
}

export interface Campaign {
  creator?: string | null
  description?: string | null
  website?: string | null
  starts?: Amount
  ends?: Amount
  etnRaised?: Amount
  minEtnToLaunch?: Amount
  minEtnToList?: Amount
  contributorCount?: number | null
  maxBuy?: Amount
}

export interface BalanceDocument {
  address: string
  updated: number
  balances: Record<string, { balance: string; blockUpdated: number }>
}

export interface LiquidityLock {
  lockId: string | number
  pair: string
  owner: string
  created: number
  duration: number
  token0: string
  token1: string
  amountToken0: string
  amountToken1: string
  percentSupply: number
  active: boolean
  version: 'V2' | 'V3' | (string & {})
}

type Figure = number | string | null

export interface Farm {
  id?: Figure
  version?: Figure
  name?: string | null
  poolAddr?: string | null
  liquidity?: Figure
  allocation?: Figure
  farmerCount?: number | null
  token0?: string | Record<string, unknown> | null
  token1?: string | Record<string, unknown> | null
  fee?: number | null
  active?: boolean | null
  tvl?: Figure
  baseRewardApy?: number | null
  thirdPartyRewardApy?: number | null
  thirdPartyReward?: {
    token?: string | null
    symbol?: string | null
    tokensPerBlock?: Figure
    endBlock?: number | null
  } | null
}

export interface Account {
  credits?: number | null
  tier?: string | null
}

export interface OpenApiDocument {
  openapi: string
}

export interface Meta {
  credits: {
    estimated: number
    charged: number
    remaining: number | undefined
    source: 'header' | 'computed' | 'none'
  }
  attempts: number
  requests: number
  shared: boolean
  cached: boolean
  durationMs: number
}

export interface ApiPromise<Data> extends Promise<Data> {
  withMeta(): Promise<{ data: Data; meta: Meta }>
}

export interface Estimate {
  min: number
  max: number
  requests: number
}

export interface Method<Params, Data> {
  (params: Params, options?: CallOptions): ApiPromise<Data>
  estimate(params: Params): Estimate
}

export interface OptionalMethod<Params, Data> {
  (params?: Params, options?: CallOptions): ApiPromise<Data>
  estimate(params?: Params): Estimate
}

export interface BatchMethod {
  <const Address extends string>(
    params: { addresses: readonly Address[] },
    options?: CallOptions,
  ): ApiPromise<Record<Address, TokenPrice | null>>
  estimate(params: { addresses: readonly string[] }): Estimate
}

type Currency = 'USD' | 'ETN'

interface Limited {
  limit?: number | undefined
}

interface AtAddress {
  address: string
}

interface CandlesParams extends AtAddress, Limited {
  bucket?: '1m' | '15m' | '1h' | '4h' | '1d' | undefined
  currency?: Currency | undefined
}

interface HistoryParams extends AtAddress {
  duration?: 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR' | undefined
  currency?: Currency | undefined
}

interface PoolsParams extends Limited {
  version?: 2 | 3 | undefined
}

interface TradesParams extends Limited {
  token?: string | undefined
}

type Nothing = Record<string, never>

export interface Client {
  etn: { price: OptionalMethod<Nothing, { usd?: string | null }> }
  prices: { batch: BatchMethod }
  token: {
    price: Method<AtAddress, TokenPrice>
    list: OptionalMethod<Limited, Token[]>
    get: Method<AtAddress, TokenDetails>
    candles: Method<CandlesParams, Candle[]>
    history: Method<HistoryParams, TokenHistory>
  }
  pool: { list: OptionalMethod<PoolsParams, Pool[]> }
  trade: { list: OptionalMethod<TradesParams, Trade[]> }
  nft: {
    stats: OptionalMethod<Nothing, NftStats>
    collections: OptionalMethod<Limited, NftCollection[]>
    collection: Method<AtAddress, NftCollectionDetails>
    assets: Method<AtAddress & Limited, NftAsset[]>
  }
  presale: { list: OptionalMethod<Limited, Presale[]>; get: Method<{ pool: string }, Presale> }
  balances: { get: Method<AtAddress & Limited, BalanceDocument> }
  locks: { get: Method<AtAddress, LiquidityLock[]> }
  farm: { list: OptionalMethod<Nothing, Farm[]> }
  account: { me: OptionalMethod<Nothing, Account> }
  meta: { openapi: OptionalMethod<Nothing, OpenApiDocument> }
  budget: {
    limit: number
    spent: number
    reserved: number
    uncertain: number
    available: number
    resetsAt: number | undefined
  }
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export function createClient(options?: ClientOptions): Client
