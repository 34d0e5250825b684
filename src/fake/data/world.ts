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
import { cursorOf, newestTrades } from './trades.ts'
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
  const finders: Record<WorldOperation, (ask: ParsedQuery, now: number) => unknown> = {
    'etn.price': (_, now) => ({ usd: toDecimal(prices.etnUsd(now)) }),
    'token.price': ({ address }, now) => tokenAt(address, now, (token) => ({ address: token.address(), ...prices.spot(token, now) })),
    'prices.batch': batch,
    'token.list': ({ limit }, now) => tokens.page(now).slice(0, limit).map(tokenBody),
    'token.get': ({ address }, now) => tokenAt(address, now, (token) => ({ ...tokenBody(token), ...prices.spot(token, now) })),
    'token.candles': (ask, now) => tokenAt(ask.address, now, (token) => candles.newest(token, { ...ask, now })),
    'token.history': (ask, now) => tokenAt(ask.address, now, (token) => candles.history(token, { ...ask, now })),
    'locks.get': ({ address }, now) => tokenAt(address, now, (token) => liquidityLocks(sources, token, now)),
    'pool.list': ({ version, limit }, now) => pools.list(version, now).slice(0, limit).map(poolBody),
    'trade.list': trades,
    'nft.stats': (_, now) => marketplace(collections(), now),
    'nft.collections': ({ limit }) => [...collections().values()].slice(0, limit).map(collectionBody),
    'nft.collection': ({ address }, now) =>
      maybe(collections().get(address.toLowerCase()), (one) => ({ ...collectionBody(one), stats: collectionStats(one, now) })),
    'nft.assets': ({ address, limit }) => maybe(collections().get(address.toLowerCase()), (one) => assets(one, limit)),
    'presale.list': ({ limit }, now) => presales(sources, now).slice(0, limit),
    'presale.get': ({ address }, now) => findPresale(sources, now, address),
    'balances.get': ({ address, limit }, now) => balanceDocument(sources, { address, limit, now }),
    'farm.list': (_, now) => farms(sources, now),
  }

  function batch({ addresses }: ParsedQuery, now: number) {
    const found = addresses.flatMap((address) => tokens.find(address, now) ?? [])
    const known = found.map((token) => [token.key, prices.spot(token, now)])
    return Object.fromEntries(known.filter(([, price]) => price))
  }

  function trades({ token: address, limit }: ParsedQuery, now: number) {
    const token = address === undefined ? undefined : tokens.find(address, now)
    return address !== undefined && !token ? [] : newestTrades(sources, { token, limit, now })
  }

  return {
    /** `undefined` if the requested thing does not exist. */
    query(operation: WorldOperation, query: ParsedQuery): QueryResult | undefined {
      const data = finders[operation](query, now())
      if (operation === 'token.candles' && data) return { data, text: candles.toText(data as FakeCandle[]) }
      if (operation === 'trade.list') return { data, cursor: cursorOf(data as ReturnType<typeof trades>) }
      return maybe(data, () => ({ data }))
    },
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

function maybe<T, R>(found: T | undefined, make: (found: T) => R): R | undefined {
  return found === undefined ? undefined : make(found)
}
