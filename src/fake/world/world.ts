import type { Question } from '../check.ts'
import type { FakeOperation } from '../routes.ts'
import { balanceDocument } from './balances.ts'
import { newestCandles, priceHistory } from './candles.ts'
import { toDecimal } from './decimal.ts'
import { farms } from './farms.ts'
import { liquidityLocks } from './locks.ts'
import { assets, collectionBody, collectionStats, createCollections, marketplace } from './nft.ts'
import { createPools, poolBody } from './pools.ts'
import { findPresale, presales } from './presales.ts'
import { createPrices } from './prices.ts'
import { hash, hashText } from './random.ts'
import { createTokens, once, type WorldToken } from './tokens.ts'
import { newestTrades } from './trades.ts'

/** What the world has to say to a question. */
export interface Finding {
  data: unknown
  /** Items that are charged. */
  items: number
  cursor?: string
}

/** Everything that can be looked up in the world; the account and the document are not part of it. */
type WorldOperation = Exclude<FakeOperation, 'account.me' | 'meta.openapi'>

/** The data behind the service: a pure function of the seed, the operation, its parameters and the time. */
export interface World {
  /** `undefined` when what was asked for does not exist. `now` is in unix milliseconds. */
  find(operation: WorldOperation, question: Question, now: number): Finding | undefined
}

export function createWorld(seedText: number | string): World {
  const seed = hash(hashText(String(seedText)))
  const tokens = once(() => createTokens(seed))
  const prices = once(() => createPrices(seed, tokens()))
  const pools = once(() => createPools(seed, tokens()))
  const collections = once(() => createCollections(seed))

  const spot = (token: WorldToken, now: number) => prices().spot(token, now)
  const tokenAt = <T>(address: string, make: (token: WorldToken) => T) => maybe(tokens().find(address), make)

  // biome-ignore format: a table reads best as one
  const finders: Record<WorldOperation, (ask: Question, now: number) => Finding | undefined> = {
    'etn.price': (_, now) => single({ usd: toDecimal(prices().etnUsd(now)) }),
    'token.price': ({ address }, now) => tokenAt(address, (token) => single({ address: token.address(), ...spot(token, now) })),
    'prices.batch': ({ addresses }, now) => ({ data: batch(addresses, now), items: addresses.length }),
    'token.list': ({ limit }) => list(tokens().all.slice(0, limit).map(tokenBody)),
    'token.get': ({ address }, now) => tokenAt(address, (token) => single({ ...tokenBody(token), ...spot(token, now) })),
    'token.candles': (ask, now) => tokenAt(ask.address, (token) => list(newestCandles(prices(), token, { ...ask, now }))),
    'token.history': (ask, now) => tokenAt(ask.address, (token) => single(priceHistory(prices(), token, { ...ask, now }))),
    'locks.get': ({ address }, now) => tokenAt(address, (token) => list(liquidityLocks(seed, pools(), token, tokens().wetn, now))),
    'pool.list': ({ version, limit }) => list(pools().list(version).slice(0, limit).map(poolBody)),
    'trade.list': trades,
    'nft.stats': (_, now) => single(marketplace(collections(), now)),
    'nft.collections': ({ limit }) => list(collections().all.slice(0, limit).map(collectionBody)),
    'nft.collection': ({ address }, now) =>
      maybe(collections().find(address), (one) => single({ ...collectionBody(one), stats: collectionStats(one, now) })),
    'nft.assets': ({ address, limit }) => maybe(collections().find(address), (one) => list(assets(one, limit))),
    'presale.list': ({ limit }, now) => list(presales(seed, now, limit)),
    'presale.get': ({ address }, now) => maybe(findPresale(seed, now, address), single),
    'balances.get': ({ address, limit }, now) => {
      const data = balanceDocument(seed, tokens(), { address, limit, now })
      return { data, items: Object.keys(data.balances).length }
    },
    'farm.list': (_, now) => list(farms(seed, tokens(), pools(), now)),
  }

  function batch(addresses: string[], now: number): Record<string, unknown> {
    const found: Record<string, unknown> = {}
    for (const address of addresses) {
      const token = tokens().find(address)
      const price = token && spot(token, now)
      if (token && price) found[token.key] = price
    }
    return found
  }

  function trades({ token: address, limit }: Question, now: number): Finding {
    const token = address === undefined ? undefined : tokens().find(address)
    if (address !== undefined && token === undefined) return list([])
    const data = newestTrades({ seed, tokens: tokens(), prices: prices(), pools: pools() }, { token, limit, now })
    const oldest = data.at(-1)
    return oldest ? { data, items: data.length, cursor: `${oldest.timestamp}-${oldest.hash.slice(2, 10)}` } : list(data)
  }

  return { find: (operation, question, now) => finders[operation](question, Math.floor(now / 1000)) }
}

function tokenBody(token: WorldToken) {
  const { name, symbol, decimals, totalSupply } = token
  return { address: token.address(), name, symbol, decimals, totalSupply }
}

function single(data: unknown): Finding {
  return { data, items: 0 }
}

function list(data: unknown[]): Finding {
  return { data, items: data.length }
}

function maybe<T, R>(found: T | undefined, make: (found: T) => R): R | undefined {
  return found === undefined ? undefined : make(found)
}
