import { expect, it } from 'vitest'
import { Candles } from '../../../src/fake/data/candles.ts'
import { dayOf, type Market } from '../../../src/fake/data/market.ts'
import { Prices } from '../../../src/fake/data/prices.ts'
import { Timelines } from '../../../src/fake/data/timeline.ts'
import { realTokens, type WorldToken } from '../../../src/fake/data/tokens.ts'
import { NOON } from '../setup.ts'

const DAY = 86_400

/** Candles that count the days that they compute. */
function setUp() {
  const seed = 1
  const tokens = new Map(realTokens(seed).map((token) => [token.symbol, token]))
  const tokenOf = (symbol: string) => tokens.get(symbol)!
  let computed = 0
  class CountedPrices extends Prices {
    override market(token: WorldToken): Market {
      const original = super.market(token)
      return {
        fills: (from, until) => original.fills(from, until),
        priceAt: (time) => original.priceAt(time),
        periods(view) {
          computed += dayOf(view.until) - dayOf(view.from) + 1
          return original.periods(view)
        },
      }
    }
  }
  const anchors = { usdc: tokenOf('USDC'), wetn: tokenOf('WETN') }
  const candles = new Candles(new CountedPrices(seed, anchors, new Timelines(() => anchors.wetn)))
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
