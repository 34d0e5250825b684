import { afterAll, describe, expect, it } from 'vitest'
import { createFakeService, fakeTokens } from '../../../src/fake/index.ts'
import type { Candle } from '../../../src/generated/types.ts'
import { ask, BOLT, NOON, USDC, WETN } from '../setup.ts'
import { BUCKETS, type Bucket, expectAgreement, SECONDS } from './agreement.ts'

const SUBJECTS = [BOLT, USDC, WETN, fakeTokens.DCNT]
const CURRENCIES = ['USD', 'ETN'] as const

let now = NOON
/** All tests share its candles, which take longer to compute than everything else. */
const shared = createFakeService({ seed: 7, clock: { now: () => now } })
afterAll(() => shared.close())

/** The fake at a moment of choice, and short ways to ask it. */
function look() {
  now = NOON
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${shared.key}` }
    return (await (await shared.fetch(shared.baseUrl + path, { headers })).json()).data
  }
  return {
    at(seconds: number) {
      now = seconds * 1000
    },
    now: () => Math.floor(now / 1000),
    get,
    price: (token: string): Promise<{ usd: string; etn: string }> => get(`/prices/52014/${token}`),
    candles: (token: string, bucket: Bucket, currency: string, limit = 500): Promise<Candle[]> =>
      get(`/tokens/52014/${token}/candles?bucket=${bucket}&currency=${currency}&limit=${limit}`),
  }
}

describe.each(SUBJECTS)('the market of %s', (token) => {
  it('all routes agree on the price, and long candles add up from the short ones', async () => {
    await expectAgreement(ask({ seed: 7 }), token)
  })

  it.each(CURRENCIES)('every limit can be filled, in order, with valid candles (%s)', async (currency) => {
    const { candles } = look()
    for (const bucket of BUCKETS) {
      const found = await candles(token, bucket, currency)
      expect(found).toHaveLength(500)
      const isValid = ({ time, open, high, low, close, volume, count }: Candle, i: number) =>
        time % SECONDS[bucket] === 0 &&
        time > (found[i - 1]?.time ?? 0) &&
        high >= Math.max(open, close) &&
        low <= Math.min(open, close) &&
        volume > 0 === count > 0 &&
        // Only the current period may be without a trade.
        (count > 0 || i === found.length - 1)
      expect(found.filter((candle, i) => !isValid(candle, i))).toEqual([])
    }
  })

  // In the other currency a price moves with ETN in hours without a trade, which have no candle.
  it('in the currency of its market, long candles have the extremes, the open and the close of their hours', async () => {
    const { candles } = look()
    const currency = token === USDC ? 'USD' : 'ETN'
    const hours = await candles(token, '1h', currency)
    for (const bucket of ['4h', '1d'] as const) {
      for (const { time, open, high, low, close } of await candles(token, bucket, currency, 10)) {
        const parts = hours.filter((hour) => hour.time >= time && hour.time < time + SECONDS[bucket])
        const [highs, lows] = [parts.map((hour) => hour.high), parts.map((hour) => hour.low)]
        expect([Math.max(...highs), Math.min(...lows)]).toEqual([high, low])
        expect([parts[0]?.open, parts.at(-1)?.close]).toEqual([open, close])
      }
    }
  })

  it('a candle holds the price at its start, every price within, and the price before the next', async () => {
    const { at, price, candles } = look()
    for (const currency of CURRENCIES) {
      const spot = async (seconds: number) => {
        at(seconds)
        return Number((await price(token))[currency === 'USD' ? 'usd' : 'etn'])
      }
      at(NOON / 1000)
      const [candle] = await candles(token, '1h', currency, 3)
      if (!candle) throw new Error('no candle')
      expect(await spot(candle.time)).toBe(candle.open)
      expect(await spot(candle.time + 3_599)).toBe(candle.close)
      for (let second = candle.time; second < candle.time + 3_600; second += 47) {
        const value = await spot(second)
        expect(value).toBeLessThanOrEqual(candle.high)
        expect(value).toBeGreaterThanOrEqual(candle.low)
      }
    }
  })

  it.each(CURRENCIES)('the history equals the candles of its window (%s)', async (currency) => {
    const { get, now, candles } = look()
    for (const [duration, bucket, seconds] of [
      ['HOUR', '1m', 3_600],
      ['DAY', '15m', 86_400],
      ['WEEK', '1h', 7 * 86_400],
    ] as const) {
      const path = `/tokens/52014/${token}/history?duration=${duration}&currency=${currency}`
      const { prices, volume, high, low } = await get(path)
      const all = (await candles(token, bucket, currency)).filter(({ time }) => time >= now() - seconds)
      const sum = all.reduce((total, one) => total + one.volume, 0)
      expect(volume).toBeCloseTo(sum, 6)
      const points = new Map<number, number>(
        prices.map((one: { timestamp: number; value: number }) => [one.timestamp, one.value]),
      )
      const shown = [...points.values(), ...all.flatMap((candle) => [candle.high, candle.low])]
      expect(shown.filter((value) => value > high || value < low)).toEqual([])
      for (const { time, open } of all) expect(points.get(time)).toBe(open)
      expect(Math.min(...points.keys())).toBeGreaterThanOrEqual(now() - seconds)
      expect(Math.max(...points.keys())).toBe(now())
    }
  })
})

interface Trade {
  timestamp: number
  pool: string
  token0: string
  token1: string
  amount0: string
  amount1: string
  usd: string
}

describe('trades', () => {
  it.each([BOLT, USDC])('are the trades in the candles of %s', async (token) => {
    const { get, candles, now } = look()
    const trades: Trade[] = await get(`/trades/52014?token=${token}`)
    const oldest = trades.at(-1)?.timestamp ?? now()
    for (const currency of CURRENCIES) {
      const minutes = (await candles(token, '1m', currency)).filter(({ time, count }) => time > oldest && count > 0)
      expect(minutes.length).toBeGreaterThan(5)
      for (const { time, count, high, low, close, volume } of minutes) {
        const own = trades.filter(({ timestamp }) => timestamp >= time && timestamp < time + 60)
        expect(own).toHaveLength(count)
        const prices = own.map(
          (trade) => priceIn(trade, token) * (currency === 'USD' ? Number(trade.usd) / etnSide(trade) : 1),
        )
        for (const price of prices) {
          expect(price).toBeLessThanOrEqual(high * (1 + 1e-9))
          expect(price).toBeGreaterThanOrEqual(low * (1 - 1e-9))
        }
        expect(prices[0]).toBeCloseTo(close, 9)
        const worth = own.reduce((sum, trade) => sum + (currency === 'USD' ? Number(trade.usd) : etnSide(trade)), 0)
        expect(worth).toBeCloseTo(volume, 6)
      }
    }
  })

  it('happen in listed pools of their two tokens', async () => {
    const { get } = look()
    const pools = new Map<string, { token0: { address: string }; token1: { address: string } }>()
    for (const version of [2, 3]) {
      for (const pool of await get(`/pools/52014?limit=100&version=${version}`)) pools.set(pool.address, pool)
    }
    const trades: Trade[] = await get(`/trades/52014?token=${BOLT}`)
    expect(new Set(trades.map(({ pool }) => pool)).size).toBe(2)
    for (const { pool, token0, token1 } of trades) {
      expect([pools.get(pool)?.token0.address, pools.get(pool)?.token1.address]).toEqual([token0, token1])
    }
  })

  it('continue with time, and old ones do not change', async () => {
    const { at, now, get } = look()
    const before: Trade[] = await get(`/trades/52014?token=${BOLT}`)
    at(now() + 900)
    const after: Trade[] = await get(`/trades/52014?token=${BOLT}`)
    const fresh = after.filter(({ timestamp }) => timestamp > now() - 900)
    expect(fresh.length).toBeGreaterThan(0)
    expect(after.slice(fresh.length)).toEqual(before.slice(0, 25 - fresh.length))
  })

  it('of all tokens are those of each token, newest first', async () => {
    const { get } = look()
    const all: (Trade & { hash: string })[] = await get('/trades/52014')
    expect(new Set(all.map(({ hash }) => hash)).size).toBe(25)
    for (const { token0, token1, hash } of all.slice(0, 5)) {
      const token = token0 === WETN ? token1 : token0
      const own: { hash: string }[] = await get(`/trades/52014?token=${token}`)
      expect(own.map((trade) => trade.hash)).toContain(hash)
    }
  })
})

function etnSide({ token0, amount0, amount1 }: Trade): number {
  return Number(token0 === WETN ? amount0 : amount1)
}

/** ETN for one token. */
function priceIn(trade: Trade, token: string): number {
  return etnSide(trade) / Number(trade.token0 === token ? trade.amount0 : trade.amount1)
}
