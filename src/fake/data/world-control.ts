import { asNumber, asOneOf, checkNames, FakeUsageError, show } from '../rules/check-options.ts'
import { BUCKETS, type Bucket } from '../rules/parse-query.ts'
import type { FakeCandle } from './candle.ts'
import { ONE } from './decimal.ts'
import type { Prices } from './prices.ts'
import { readAddressField, readDecimal } from './read-fields.ts'
import { readRows } from './read-rows.ts'
import type { Segment } from './timeline.ts'
import { type Timelines, type TimelinesState, usualSegment } from './timelines.ts'
import type { TokenList } from './token-list.ts'
import type { WorldToken } from './tokens.ts'

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

/** The changes, and what snapshots need. */
export interface WorldControl {
  readonly world: FakeWorld
  save(): TimelinesState
  load(state?: TimelinesState): void
}

interface ControlParts {
  tokens(): TokenList
  prices(): Prices
  timelines: Timelines
  /** In unix milliseconds. */
  clock(): number
  onChange(): void
}

/** Value of the trade that sets a price. */
const PRICE_TRADE_USD = ONE

export function createWorldControl({ tokens, prices, timelines, clock, onChange }: ControlParts): WorldControl {
  const now = () => Math.floor(clock() / 1000)

  function find(address: unknown): WorldToken {
    const checked = readAddressField('token', address)
    const token = tokens().find(checked, now())
    if (!token) throw new FakeUsageError(`token is a token of the world, not ${checked}.`)
    return token
  }

  const isWetn = (token: WorldToken) => token.key === tokens().wetn.key
  const timelineOf = (token: WorldToken) => (isWetn(token) ? timelines.etn() : timelines.of(token))
  const addTrade = (token: WorldToken, time: number, price: bigint, usd: bigint) => {
    if (isWetn(token)) return
    const timeline = timelines.of(token)
    // The number comes from the state, so that a restored state continues as it did before.
    const id = 1 + Math.max(0, ...timeline.trades.map((one) => one.id))
    timeline.addTrade({ time, id, price, usd })
  }

  function change(address: string, segment: (token: WorldToken) => Segment): void {
    const token = find(address)
    timelineOf(token).set(segment(token))
    onChange()
  }

  const world: FakeWorld = {
    version: WORLD_VERSION,
    setPrice(address, usd, options = {}) {
      checkNames('setPrice', options, ['overMs'])
      const overMs = asNumber('overMs', options.overMs ?? 0, 0)
      const from = now()
      const token = find(address)
      const target = readDecimal('usd', usd)
      const current = prices().quote(token, from)
      const until = from + Math.ceil(overMs / 1000)
      if (overMs > 0 && !current)
        throw new FakeUsageError(`${token.symbol} has no price that could move: leave out overMs.`)
      const ramp = overMs > 0 && current && { kind: 'ramp' as const, from, usd: current.usd, toUsd: target, until }
      timelineOf(token).set(ramp || { kind: 'fixed', from, usd: target })
      addTrade(token, until, target, PRICE_TRADE_USD)
      onChange()
    },
    trade(options) {
      checkNames('trade', options, ['token', 'usd'])
      const token = find(options.token)
      const usd = readDecimal('usd', options.usd)
      if (isWetn(token))
        throw new FakeUsageError('token is the other token of the trade: WETN is one side of every trade.')
      const quote = prices().quote(token, now())
      if (!quote) throw new FakeUsageError(`${token.symbol} has no price: call setPrice first.`)
      addTrade(token, now(), quote.usd, usd)
      onChange()
    },
    candles(address, bucket, rows) {
      const token = find(address)
      if (isWetn(token)) throw new FakeUsageError('token is not WETN: its candles are those of the price of ETN.')
      const timeline = timelines.of(token)
      const current = now()
      for (const row of readRows(asOneOf('bucket', bucket, BUCKETS), rows, current)) {
        const from = Math.max(row.from + 1, current)
        timeline.insertRow(row.until <= current ? row : { ...row, until: from })
        if (row.until > current) timeline.set({ kind: 'fixed', from, usd: row.close })
      }
      onChange()
    },
    unprice: (address) =>
      change(address, (token) => {
        if (isWetn(token))
          throw new FakeUsageError(`token is not WETN, because all prices depend on it: ${show(address)}.`)
        return { kind: 'none', from: now() }
      }),
    release: (address) =>
      change(address, (token) => (isWetn(token) ? { kind: 'computed', from: now() } : usualSegment(token, now()))),
  }

  return {
    world,
    save: timelines.save,
    load(state) {
      timelines.load(state)
      onChange()
    },
  }
}
