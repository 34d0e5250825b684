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

/** Candles that count the days that they compute. */
function setUp() {
  const seed = 1
  const tokens = new Map(realTokens(seed).map((token) => [token.symbol, token]))
  const tokenOf = (symbol: string) => tokens.get(symbol)!
  let computed = 0
  const { periods } = Market.prototype
  vi.spyOn(Market.prototype, 'periods').mockImplementation(function (this: Market, view) {
    computed += dayOf(view.until) - dayOf(view.from) + 1
    return periods.call(this, view)
  })
  const candles = new Candles(new Prices(seed, { usdc: tokenOf('USDC'), wetn: tokenOf('WETN') }))
  const count = (read: () => unknown) => {
    computed = 0
    read()
    return computed
  }
  return { candles, token: tokenOf('BOLT'), count }
}

// The figures of the bench depend on this: 500 candles of a day are computed once, and then one day for each answer.
it.each(['USD', 'ETN'] as const)('computes past days once: 500 candles and a year of history in %s', (currency) => {
  const { candles, token, count } = setUp()
  const now = NOON / 1_000
  const newest = (at: number) => candles.newest(token, { bucket: '1d', currency, now: at, limit: 500 })
  const history = (at: number) => candles.history(token, { duration: 'YEAR', currency, now: at })
  expect(count(() => newest(now))).toBe(500)
  expect(count(() => newest(now))).toBe(1)
  expect(count(() => history(now + 60))).toBe(1)
  expect(count(() => newest(now + DAY))).toBe(2)
  expect(count(() => history(now + DAY))).toBe(1)
  const before = [newest(now), history(now)]
  candles.clear()
  expect(count(() => history(now))).toBe(365)
  expect([newest(now), history(now)]).toEqual(before)
})
