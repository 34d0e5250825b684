import { checkOptions, checkValue, FakeUsageError } from '../rules/check.ts'
import { type Bucket, QUERY_VALUES } from '../rules/routes.ts'
import * as is from '../rules/schema.ts'
import { type FakeCandle, secondsOf } from './candles.ts'
import { fixedPoint, MAX_PRICE, MIN_PRICE, ONE, readDecimal } from './decimal.ts'
import type { Prices } from './prices.ts'
import { constant, type Row, type Segment, type Timeline, usualSegment } from './timeline.ts'
import type { TokenList } from './token-list.ts'
import type { WorldToken } from './tokens.ts'

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

const PRICE = is.between(MIN_PRICE, MAX_PRICE)
const PRICES = is.each(PRICE, 'open', 'high', 'low', 'close')
export const CANDLE = is.record({ time: is.count, ...PRICES, volume: is.between(0), count: is.count })

export function createWorldControl(
  tokens: TokenList,
  prices: Prices,
  now: () => number,
  onChange: () => void,
): FakeWorld {
  function find(address: string): WorldToken {
    checkValue('token', is.eip55, address)
    const token = tokens.find(address, now())
    if (!token) throw new FakeUsageError(`token is a token of the world, not ${address}.`)
    return token
  }

  function change(token: WorldToken, next: (timeline: Timeline) => Timeline): void {
    prices.change(token, next)
    onChange()
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
      change(token, (timeline) => (prices.isWetn(token) ? timeline.with(line) : timeline.with(line).withTrade(trade)))
    },
    trade(options) {
      checkOptions('trade', is.object({ token: {}, usd: {} }), options)
      const token = find(options.token)
      const usd = readDecimal('usd', options.usd)
      if (prices.isWetn(token))
        throw new FakeUsageError('token is the other token of the trade: WETN is one side of every trade.')
      const quote = prices.quote(token, now())
      if (!quote) throw new FakeUsageError(`${token.symbol} has no price: call setPrice first.`)
      change(token, (timeline) => timeline.withTrade({ time: now(), price: quote.usd, usd }))
    },
    candles(address, bucket, rows) {
      const token = find(address)
      if (prices.isWetn(token))
        throw new FakeUsageError('token is not WETN: its candles are those of the price of ETN.')
      const current = now()
      for (const row of readRows(bucket, rows, current)) {
        const from = Math.max(row.from + 1, current)
        change(token, (timeline) =>
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
      change(token, (timeline) => timeline.with({ kind: 'none', from: now() }))
    },
    release(address) {
      const token = find(address)
      const usual: Segment = prices.isWetn(token) ? { kind: 'computed', from: now() } : usualSegment(token, now())
      change(token, (timeline) => timeline.with(usual))
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
