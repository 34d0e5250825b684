import { once } from '../../utils/once.ts'
import { checkOptions, checkValue, FakeUsageError } from '../rules/check.ts'
import type { ParsedQuery, QueryResult } from '../rules/execute.ts'
import { type Bucket, type FakeOperation, QUERY_VALUES } from '../rules/routes.ts'
import * as is from '../rules/schema.ts'
import { balanceDocument, type OwnBalances, readOwnBalances } from './balances.ts'
import { Candles, type FakeCandle, secondsOf } from './candles.ts'
import { fixedPoint, MAX_PRICE, MIN_PRICE, ONE, readDecimal, toDecimal } from './decimal.ts'
import { liquidityLocks, type OwnLocks, readOwnLocks } from './locks.ts'
import { assets, collectionBody, collectionStats, createCollections, marketplace, readOwnCollections } from './nft.ts'
import { farms, Pools, poolBody, readOwnFarms, readOwnPools } from './pools.ts'
import { type Campaign, findPresale, presales, readOwnPresales } from './presales.ts'
import { Prices } from './prices.ts'
import { hash, hashText } from './random.ts'
import { constant, type Row, type Segment, usualSegment } from './timeline.ts'
import { readOwnTokens, TokenList } from './token-list.ts'
import type { WorldToken } from './tokens.ts'
import { cursorOf, newestTrades } from './trades.ts'
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
    const found: Record<string, object> = {}
    for (const address of addresses) {
      const token = tokens.find(address, now)
      const price = token && prices.spot(token, now)
      if (price) found[token.key] = price
    }
    return found
  }

  function trades({ token: address, limit }: ParsedQuery, now: number) {
    const token = address === undefined ? undefined : tokens.find(address, now)
    return address !== undefined && !token ? [] : newestTrades(sources, { token, limit, now })
  }

  const texts = new WeakMap<FakeCandle, string>()
  /** A candle is written once: of 500, the numbers take longer than everything else. */
  const write = (candle: FakeCandle) => {
    const text = texts.get(candle) ?? JSON.stringify(candle)
    texts.set(candle, text)
    return text
  }

  return {
    /** `undefined` if the requested thing does not exist. */
    query(operation: WorldOperation, query: ParsedQuery): QueryResult | undefined {
      const data = finders[operation](query, now())
      if (data && operation === 'token.candles') return { data, text: `[${(data as FakeCandle[]).map(write).join()}]` }
      if (operation === 'trade.list') return { data, cursor: cursorOf(data as ReturnType<typeof trades>) }
      return maybe(data, () => ({ data }))
    },
    control: createWorldControl(tokens, prices, now),
    prices,
  }
}

function tokenBody(token: WorldToken) {
  const { name, symbol, decimals, totalSupply } = token
  return { address: token.address(), name, symbol, decimals, totalSupply }
}

function maybe<T, R>(found: T | undefined, make: (found: T) => R): R | undefined {
  return found === undefined ? undefined : make(found)
}

/** Version of the built-in data: the same seed gives the same data within a version. */
const WORLD_VERSION = 1

/** Options of `fake.world.setPrice`. */
export interface SetPriceOptions {
  /** Milliseconds until the price is reached, in a straight line. @default 0 */
  overMs?: number | undefined
}

/** A trade for `fake.world.trade`. */
export interface WorldTradeOptions {
  /** Address of the token. */
  token: string
  /** Value in USD. */
  usd: string | number
}

/**
 * Changes the data while the fake runs. Every route agrees with a change at once.
 *
 * @example
 * fake.world.setPrice(BOLT, '0.019')
 * fake.world.setPrice(BOLT, '0.025', { overMs: 3_600_000 })
 * await fake.advance(1_800_000)
 * await client.token.price({ address: BOLT }) // usd: '0.022'
 * fake.world.trade({ token: BOLT, usd: '500' })
 * fake.world.unprice(CORE)
 */
export interface FakeWorld {
  /** Version of the built-in data. The same seed gives the same data within a version. */
  readonly version: number
  /**
   * Sets the price of a token in USD (1e-18 to 1e12), for WETN that of ETN. It holds until the next call for the token; with
   * `overMs` it is reached in a straight line. Closed candles do not change.
   */
  setPrice(token: string, usd: string | number, options?: SetPriceOptions): void
  /** Takes the price of a token away: its price is absent and it has no new trades. */
  unprice(token: string): void
  /** Adds a trade at the current price, worth an amount in USD. */
  trade(trade: WorldTradeOptions): void
  /** Replaces candles of the past, in USD. Longer buckets and the history add up from them. A current row sets the price too. */
  candles(token: string, bucket: Bucket, rows: readonly FakeCandle[]): void
  /** Gives a token back the price that it has without changes. */
  release(token: string): void
}

const PRICES = is.each(is.between(MIN_PRICE, MAX_PRICE), 'open', 'high', 'low', 'close')
export const CANDLE = is.record({ time: is.count, ...PRICES, volume: is.between(0), count: is.count })

function createWorldControl(tokens: TokenList, prices: Prices, now: () => number): FakeWorld {
  function find(address: string): WorldToken {
    checkValue('token', is.eip55, address)
    const token = tokens.find(address, now())
    if (!token) throw new FakeUsageError(`token is a token of the world, not ${address}.`)
    return token
  }

  return {
    version: WORLD_VERSION,
    setPrice(address, usd, options = {}) {
      checkOptions('setPrice', is.object({ overMs: is.between(0) }), options)
      const { overMs = 0 } = options
      const from = now()
      const token = find(address)
      const toUsd = readDecimal('usd', usd)
      const current = prices.quote(token, from)
      const until = from + Math.ceil(overMs / 1000)
      if (overMs > 0 && !current)
        throw new FakeUsageError(`${token.symbol} has no price that could move: leave out overMs.`)
      const line: Segment = { kind: 'line', from, usd: current?.usd ?? toUsd, toUsd, until }
      // A trade of one dollar makes the price.
      const trade = { time: until, price: toUsd, usd: ONE }
      prices.change(token, (timeline) =>
        prices.isWetn(token) ? timeline.with(line) : timeline.with(line).withTrade(trade),
      )
    },
    trade(options) {
      checkOptions('trade', is.object({ token: {}, usd: {} }), options)
      const token = find(options.token)
      const usd = readDecimal('usd', options.usd)
      if (prices.isWetn(token))
        throw new FakeUsageError('token is the other token of the trade: WETN is one side of every trade.')
      const quote = prices.quote(token, now())
      if (!quote) throw new FakeUsageError(`${token.symbol} has no price: call setPrice first.`)
      prices.change(token, (timeline) => timeline.withTrade({ time: now(), price: quote.usd, usd }))
    },
    candles(address, bucket, rows) {
      const token = find(address)
      if (prices.isWetn(token))
        throw new FakeUsageError('token is not WETN: its candles are those of the price of ETN.')
      const current = now()
      for (const row of readRows(bucket, rows, current)) {
        const from = Math.max(row.from + 1, current)
        prices.change(token, (timeline) =>
          row.until <= current
            ? timeline.withRow(row)
            : timeline.withRow({ ...row, until: from }).with(constant(row.close, from)),
        )
      }
    },
    unprice(address) {
      const token = find(address)
      if (prices.isWetn(token))
        throw new FakeUsageError(`token is not WETN, because all prices depend on it: ${address}.`)
      prices.change(token, (timeline) => timeline.with({ kind: 'none', from: now() }))
    },
    release(address) {
      const token = find(address)
      const usual: Segment = prices.isWetn(token) ? { kind: 'computed', from: now() } : usualSegment(token, now())
      prices.change(token, (timeline) => timeline.with(usual))
    },
  }
}

/** Reads rows of candles in the form of the route; `now` in unix seconds. */
function readRows(bucket: Bucket, rows: readonly FakeCandle[], now: number): Row[] {
  checkValue('bucket', is.only(...QUERY_VALUES.bucket), bucket)
  checkValue('rows', is.listOf(CANDLE), rows)
  const length = secondsOf(bucket)
  const seen = new Set<number>()
  return rows.map(({ time, open, high, low, close, volume, count }, i) => {
    const require = (isRight: boolean, message: string) => {
      if (!isRight) throw new FakeUsageError(`rows[${i}].${message}.`)
    }
    require(time % length === 0, `time is the start of a period of ${bucket}, not ${time}`)
    require(!seen.has(time), `time occurs twice: ${time}`)
    require(time <= now, `time is in the future: ${time}`)
    require(high >= Math.max(open, close), 'high is at least open and close')
    require(low <= Math.min(open, close), 'low is at most open and close')
    require(count > 0 || volume === 0, 'volume is 0 without trades')
    seen.add(time)
    const prices = { open: fixedPoint(open), high: fixedPoint(high), low: fixedPoint(low), close: fixedPoint(close) }
    const given = { time, open, high, low, close, volume, count }
    return { from: time, until: time + length, ...prices, volume, count, given }
  })
}
