import { expect, it } from 'vitest'
import { createCandles } from '../../../src/fake/data/candles.ts'
import { dayOf } from '../../../src/fake/data/market.ts'
import { createPrices } from '../../../src/fake/data/prices.ts'
import { createRates } from '../../../src/fake/data/rates.ts'
import { createTimelines } from '../../../src/fake/data/timelines.ts'
import { realTokens } from '../../../src/fake/data/tokens.ts'
import { NOON } from '../setup.ts'

const DAY = 86_400

/** Candles that count the days that they compute. */
function setUp() {
  const seed = 1
  const tokens = new Map(realTokens(seed).map((token) => [token.symbol, token]))
  const tokenOf = (symbol: string) => tokens.get(symbol)!
  const timelines = createTimelines(() => tokenOf('WETN'))
  const rates = createRates(seed, timelines.etn)
  const parts = { seed, usdc: tokenOf('USDC'), wetn: tokenOf('WETN'), rates, timelineOf: timelines.of }
  const prices = createPrices(parts)
  let computed = 0
  const market: typeof prices.market = (token) => {
    const original = prices.market(token)
    const periods: typeof original.periods = (view) => {
      computed += dayOf(view.until) - dayOf(view.from) + 1
      return original.periods(view)
    }
    return { ...original, periods }
  }
  const candles = createCandles({ ...prices, market })
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
