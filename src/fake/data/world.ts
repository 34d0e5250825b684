import { checkOptions } from '../rules/check.ts'
import type { ParsedQuery, QueryResult } from '../rules/execute.ts'
import { once } from '../rules/once.ts'
import type { FakeOperation } from '../rules/routes.ts'
import { balanceDocument, type OwnBalances, readOwnBalances } from './balances.ts'
import { Candles, type FakeCandle } from './candles.ts'
import { toDecimal } from './decimal.ts'
import { liquidityLocks, type OwnLocks, readOwnLocks } from './locks.ts'
import { assets, collectionBody, collectionStats, createCollections, marketplace, readOwnCollections } from './nft.ts'
import { farms, Pools, poolBody, readOwnFarms, readOwnPools } from './pools.ts'
import { type Campaign, findPresale, presales, readOwnPresales } from './presales.ts'
import { type Changes, Prices } from './prices.ts'
import { hash, hashText } from './random.ts'
import { readOwnTokens, TokenList } from './token-list.ts'
import type { WorldToken } from './tokens.ts'
import { newestTrades } from './trades.ts'
import { createWorldControl } from './world-control.ts'
import { WORLD, type WorldOptions } from './world-options.ts'

/** The operations that read data, without the account and the OpenAPI document. */
type WorldOperation = Exclude<FakeOperation, 'account.me' | 'meta.openapi'>

export interface Sources {
  seed: number
  only: boolean
  tokens: TokenList
  pools: Pools
  prices: Prices
  own: { balances: OwnBalances; locks: OwnLocks; presales: readonly Campaign[]; farms: ReturnType<typeof readOwnFarms> }
}

/** The data is a pure function of the seed, the options, the operation, its parameters and the time (unix milliseconds). */
export function createWorld(seedText: number | string, options: WorldOptions, clock: () => number) {
  checkOptions('world', WORLD, options, 'world')
  const { only = false } = options
  const seed = hash(hashText(String(seedText)))
  const now = () => Math.floor(clock() / 1000)
  const start = Object.keys(options).length > 0 ? now() : 0
  const ownPresales = readOwnPresales(options.presales, start)
  const ownTokens = readOwnTokens(options.tokens, ownPresales, seed, start)
  const tokens = new TokenList(seed, ownTokens, options)
  const prices = new Prices(seed, tokens)
  const candles = new Candles(prices)
  const findAtStart = (address: string) => tokens.find(address, start)
  const pools = new Pools(seed, tokens, prices, readOwnPools(options.pools, findAtStart))
  const own = {
    presales: ownPresales,
    balances: readOwnBalances(options.balances, findAtStart),
    locks: readOwnLocks(options.locks, tokens, pools, start),
    farms: readOwnFarms(options.farms, pools, start),
  }
  const ownCollections = readOwnCollections(options.nftCollections)
  const collections = once(() => createCollections(seed, ownCollections, only))
  const sources = { seed, only, tokens, pools, prices, own }
  const tokenAt = <T>(address: string, now: number, make: (token: WorldToken) => T) =>
    maybe(tokens.find(address, now), make)

  // biome-ignore format: a table
  const finders: Record<WorldOperation, (ask: ParsedQuery, now: number) => QueryResult | undefined> = {
    'etn.price': (_, now) => single({ usd: toDecimal(prices.etnUsd(now)) }),
    'token.price': ({ address }, now) => tokenAt(address, now, (token) => single({ address: token.address(), ...prices.spot(token, now) })),
    'prices.batch': batch,
    'token.list': ({ limit }, now) => list(tokens.page(now).slice(0, limit).map(tokenBody)),
    'token.get': ({ address }, now) => tokenAt(address, now, (token) => single({ ...tokenBody(token), ...prices.spot(token, now) })),
    'token.candles': (ask, now) => tokenAt(ask.address, now, (token) => candleList(candles.newest(token, { ...ask, now }))),
    'token.history': (ask, now) => tokenAt(ask.address, now, (token) => single(candles.history(token, { ...ask, now }))),
    'locks.get': ({ address }, now) => tokenAt(address, now, (token) => list(liquidityLocks(sources, token, now))),
    'pool.list': ({ version, limit }, now) => list(pools.list(version, now).slice(0, limit).map(poolBody)),
    'trade.list': trades,
    'nft.stats': (_, now) => single(marketplace(collections(), now)),
    'nft.collections': ({ limit }) => list([...collections().values()].slice(0, limit).map(collectionBody)),
    'nft.collection': ({ address }, now) =>
      maybe(collections().get(address.toLowerCase()), (one) => single({ ...collectionBody(one), stats: collectionStats(one, now) })),
    'nft.assets': ({ address, limit }) => maybe(collections().get(address.toLowerCase()), (one) => list(assets(one, limit))),
    'presale.list': ({ limit }, now) => list(presales(sources, now).slice(0, limit)),
    'presale.get': ({ address }, now) => maybe(findPresale(sources, now, address), single),
    'balances.get': ({ address, limit }, now) => {
      const data = balanceDocument(sources, { address, limit, now })
      return { data, items: Object.keys(data.balances).length }
    },
    'farm.list': (_, now) => list(farms(sources, now)),
  }

  function candleList(found: FakeCandle[]): QueryResult {
    return { ...list(found), text: candles.toText(found) }
  }

  function batch({ addresses }: ParsedQuery, now: number): QueryResult {
    const found = addresses.flatMap((address) => tokens.find(address, now) ?? [])
    const known = found.map((token) => [token.key, prices.spot(token, now)])
    return { data: Object.fromEntries(known.filter(([, price]) => price)), items: addresses.length }
  }

  function trades({ token: address, limit }: ParsedQuery, now: number): QueryResult {
    const token = address === undefined ? undefined : tokens.find(address, now)
    if (address !== undefined && token === undefined) return list([])
    const data = newestTrades(sources, { token, limit, now })
    const oldest = data.at(-1)
    return oldest ? { data, items: data.length, cursor: `${oldest.timestamp}-${oldest.hash.slice(2, 10)}` } : list(data)
  }

  return {
    /** `undefined` if the requested thing does not exist. */
    query: (operation: WorldOperation, query: ParsedQuery) => finders[operation](query, now()),
    control: createWorldControl(tokens, prices, now, () => candles.clear()),
    save: () => prices.changes,
    /** Keeps the prices of a moment for a clock that was set back since. Unix milliseconds. */
    setBack(from: number) {
      const at = Math.floor(from / 1000)
      this.load(new Map(Array.from(prices.changes, ([key, timeline]) => [key, timeline.setBack(at, now())])))
    },
    /** Replaces all changes; without an argument it drops them. */
    load(changes: Changes = new Map()) {
      prices.changes = changes
      candles.clear()
    },
  }
}

function tokenBody(token: WorldToken) {
  const { name, symbol, decimals, totalSupply } = token
  return { address: token.address(), name, symbol, decimals, totalSupply }
}

function single(data: unknown): QueryResult {
  return { data, items: 0 }
}

function list(data: unknown[]): QueryResult {
  return { data, items: data.length }
}

function maybe<T, R>(found: T | undefined, make: (found: T) => R): R | undefined {
  return found === undefined ? undefined : make(found)
}
