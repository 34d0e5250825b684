import type { Account, OpenApiDocument } from './account.d.ts'
import type { BalanceDocument, Farm, LiquidityLock } from './holdings.d.ts'
import type { Presale } from './launches.d.ts'
import type { NftAsset, NftCollection, NftCollectionDetails, NftStats } from './nft.d.ts'
import type { CallOptions, ClientOptions } from './options.d.ts'
import type { Candle, Pool, Token, TokenDetails, TokenHistory, TokenPrice, Trade } from './tokens.d.ts'

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
