import { afterEach, expect, it, vi } from 'vitest'
import { Candles } from '../../../src/fake/data/candles.ts'
import { dayOf, Market } from '../../../src/fake/data/market.ts'
import { Prices } from '../../../src/fake/data/prices.ts'
import { realTokens } from '../../../src/fake/data/tokens.ts'
import { NOON } from '../setup.ts'

const DAY = 86_400

afterEach(() => {
  vi.restoreAllMocks()
})

const SEED = 1
const tokens = new Map(realTokens(SEED).map((token) => [token.symbol, token]))
const tokenOf = (symbol: string) => tokens.get(symbol)!
const token = tokenOf('BOLT')
const createPrices = () => new Prices(SEED, { usdc: tokenOf('USDC'), wetn: tokenOf('WETN') })
const createCandles = () => new Candles(createPrices())

/** Candles that count the days that they compute. */
function setUp() {
  let computed = 0
  const { periods } = Market.prototype
  vi.spyOn(Market.prototype, 'periods').mockImplementation(function (this: Market, view) {
    computed += dayOf(view.until) - dayOf(view.from) + 1
    return periods.call(this, view)
  })
  const prices = createPrices()
  const candles = new Candles(prices)
  const count = (read: () => unknown) => {
    computed = 0
    read()
    return computed
  }
  return { candles, count, prices }
}

// The figures of the bench depend on this: closed candles are computed once, and the current one once a second.
it.each([
  // Candles of a day in USD are computed from each quarter of an hour.
  ['USD', 100],
  ['ETN', 500],
] as const)('computes past days once, in %s: %i candles and a year of history', (currency, limit) => {
  const { candles, count, prices } = setUp()
  const now = NOON / 1_000
  const newest = (at: number) => candles.newest(token, { bucket: '1d', currency, now: at, limit })
  const history = (at: number) => candles.history(token, { duration: 'YEAR', currency, now: at })
  expect(count(() => newest(now))).toBe(limit)
  expect(count(() => newest(now))).toBe(0)
  expect(count(() => newest(now + 60))).toBe(1)
  expect(count(() => newest(now + DAY))).toBe(2)
  expect(count(() => history(now))).toBe(365)
  expect(count(() => history(now + 60))).toBe(1)
  expect(count(() => history(now + DAY))).toBe(2)
  const before = [newest(now), history(now)]
  prices.changes = new Map()
  expect(count(() => history(now))).toBe(365)
  expect([newest(now), history(now)]).toEqual(before)
})

it.each(['1m', '15m', '1h', '4h', '1d'] as const)('candles of %s are those that are computed anew', (bucket) => {
  const candles = createCandles()
  let now = NOON / 1_000
  // Within a period, over the next, over the length of an answer, over what is kept, and back.
  for (const step of [0, 1, 60, 900, 3_600, 5 * DAY, 400 * DAY, -90, -40 * DAY, 61]) {
    now += step
    const limit = step % 7 === 0 ? 100 : 20
    const ask = { bucket, currency: 'USD', now, limit } as const
    const found = candles.newest(token, ask)
    const fresh = createCandles().newest(token, ask)
    expect(found).toEqual(fresh)
    for (const duration of ['HOUR', 'WEEK'] as const) {
      const window = { duration, currency: 'ETN', now } as const
      expect(candles.history(token, window)).toEqual(createCandles().history(token, window))
    }
  }
})
