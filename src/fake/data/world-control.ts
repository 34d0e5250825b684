import { asCount, asNumber, asOneOf, checkNames, FakeUsageError, show } from '../rules/check-options.ts'
import { BUCKETS, type Bucket } from '../rules/parse-query.ts'
import { type FakeCandle, secondsOf } from './candles.ts'
import { fromDecimal, ONE } from './decimal.ts'
import type { Prices } from './prices.ts'
import { constant, type Row, type Segment, type Timeline, usualSegment } from './timeline.ts'
import type { TokenList } from './token-list.ts'
import type { WorldToken } from './tokens.ts'
import { MAX_PRICE, MIN_PRICE, readAddressField, readDecimal, readEntry, readList } from './world-options.ts'

/** Version of the built-in data: the same seed gives the same data within a version. */
export const WORLD_VERSION = 1

/** Options of `fake.world.setPrice`. */
export interface SetPriceOptions {
  /** Milliseconds until the price is reached, in a straight line. @default 0 */
  overMs?: number
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

/** Where the changes of the data go. */
interface ControlledData {
  tokens(): TokenList
  prices(): Prices
  /** In unix milliseconds. */
  clock(): number
  onChange(): void
}

/** Value of the trade that sets a price. */
const PRICE_TRADE_USD = ONE

/** Creates what changes the data. */
export function createWorldControl({ tokens, prices, clock, onChange }: ControlledData): FakeWorld {
  const now = () => Math.floor(clock() / 1000)

  function find(address: unknown): WorldToken {
    const checked = readAddressField('token', address)
    const token = tokens().find(checked, now())
    if (!token) throw new FakeUsageError(`token is a token of the world, not ${checked}.`)
    return token
  }

  const isWetn = (token: WorldToken) => token.key === tokens().wetn.key

  function change(token: WorldToken, next: (timeline: Timeline) => Timeline): void {
    prices().timelines.change(token, next)
    onChange()
  }

  return {
    version: WORLD_VERSION,
    setPrice(address, usd, options = {}) {
      checkNames('setPrice', options, ['overMs'])
      const overMs = asNumber('overMs', options.overMs ?? 0, 0)
      const from = now()
      const token = find(address)
      const toUsd = readDecimal('usd', usd)
      const current = prices().quote(token, from)
      const until = from + Math.ceil(overMs / 1000)
      if (overMs > 0 && !current)
        throw new FakeUsageError(`${token.symbol} has no price that could move: leave out overMs.`)
      const line: Segment = { kind: 'line', from, usd: current?.usd ?? toUsd, toUsd, until }
      const trade = { time: until, price: toUsd, usd: PRICE_TRADE_USD }
      change(token, (timeline) => (isWetn(token) ? timeline.with(line) : timeline.with(line).withTrade(trade)))
    },
    trade(options) {
      checkNames('trade', options, ['token', 'usd'])
      const token = find(options.token)
      const usd = readDecimal('usd', options.usd)
      if (isWetn(token))
        throw new FakeUsageError('token is the other token of the trade: WETN is one side of every trade.')
      const quote = prices().quote(token, now())
      if (!quote) throw new FakeUsageError(`${token.symbol} has no price: call setPrice first.`)
      change(token, (timeline) => timeline.withTrade({ time: now(), price: quote.usd, usd }))
    },
    candles(address, bucket, rows) {
      const token = find(address)
      if (isWetn(token)) throw new FakeUsageError('token is not WETN: its candles are those of the price of ETN.')
      const current = now()
      for (const row of readRows(asOneOf('bucket', bucket, BUCKETS), rows, current)) {
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
      if (isWetn(token))
        throw new FakeUsageError(`token is not WETN, because all prices depend on it: ${show(address)}.`)
      change(token, (timeline) => timeline.with({ kind: 'none', from: now() }))
    },
    release(address) {
      const token = find(address)
      const usual: Segment = isWetn(token) ? { kind: 'computed', from: now() } : usualSegment(token, now())
      change(token, (timeline) => timeline.with(usual))
    },
  }
}

const ROW_FIELDS = ['time', 'open', 'high', 'low', 'close', 'volume', 'count']

/** Reads rows of candles in the form of the route; `now` in unix seconds. */
function readRows(bucket: Bucket, rows: readonly FakeCandle[], now: number): Row[] {
  const length = secondsOf(bucket)
  const seen = new Set<number>()
  return readList('rows', rows).map((entry, i) => {
    const path = `rows[${i}]`
    const field = readEntry(path, entry, ROW_FIELDS)
    const time = asCount(`${path}.time`, field.any('time'))
    if (time % length !== 0) raise(`${path}.time is the start of a period of ${bucket}, not ${time}.`)
    if (seen.has(time)) raise(`${path}.time occurs twice: ${time}.`)
    if (time > now) raise(`${path}.time is in the future: ${time}.`)
    seen.add(time)
    const price = (name: string) => {
      const value = field.number(name, 0)
      if (value === 0) raise(`${path}.${name} is above 0, not ${show(value)}.`)
      return field.number(name, MIN_PRICE, MAX_PRICE)
    }
    const given = {
      time,
      open: price('open'),
      high: price('high'),
      low: price('low'),
      close: price('close'),
      volume: field.number('volume', 0),
      count: field.count('count'),
    }
    if (given.high < Math.max(given.open, given.close)) raise(`${path}.high is at least open and close.`)
    if (given.low > Math.min(given.open, given.close)) raise(`${path}.low is at most open and close.`)
    if (given.count === 0 && given.volume > 0) raise(`${path}.volume is 0 without trades.`)
    const { open, high, low, close, volume, count } = given
    const prices = { open: exact(open), high: exact(high), low: exact(low), close: exact(close) }
    return { from: time, until: time + length, ...prices, volume, count, given }
  })
}

/** A double as fixed point; its shortest decimal form is kept. */
function exact(value: number): bigint {
  const [digits = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = digits.split('.')
  const shift = Number(exponent)
  if (shift === 0) return fromDecimal(digits)
  const all = whole + fraction
  const point = whole.length + shift
  if (point <= 0) return fromDecimal(`0.${'0'.repeat(-point)}${all}`)
  return fromDecimal(`${all.padEnd(point, '0').slice(0, point)}.${all.slice(point)}`)
}

function raise(message: string): never {
  throw new FakeUsageError(message)
}
