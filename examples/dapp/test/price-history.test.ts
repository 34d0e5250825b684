import type { FeedPrice, PriceFeed, WatchOptions } from 'etn-market/feed'
import { expect, test } from 'vitest'
import { createPriceHistory } from '../src/prices/price-history.ts'

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

/** A history of a feed that delivers the prices of the test. */
function setup() {
  let deliver: NonNullable<WatchOptions['onPrice']> = () => {}
  const watch = (_: unknown, { onPrice = () => {} }: WatchOptions) => {
    deliver = onPrice
    return { stop() {} }
  }
  // It uses nothing else of a feed.
  const history = createPriceHistory({ watch, peek: () => undefined } as unknown as PriceFeed)
  let changes = 0
  history.source.watch([BOLT], { everyMs: 1_000, onPrice: () => void changes++, onError() {} })
  const price = (at: number, usd: string | null) =>
    deliver({ address: BOLT, usd, etn: null, at, ageMs: 0, stale: false } satisfies FeedPrice)
  return { history, price, changes: () => changes }
}

test('a history has each price once, oldest first, and reports what it is given', () => {
  const { history, price, changes } = setup()
  expect(history.pointsOf(BOLT)).toEqual([])
  price(1_000, '1.5')
  price(2_000, '1.25')
  const points = history.pointsOf(BOLT)
  // Known already, without a price, and late.
  price(2_000, '1.25')
  price(3_000, null)
  price(1_500, '9')
  expect(points).toEqual([
    { at: 1_000, usd: 1.5 },
    { at: 2_000, usd: 1.25 },
  ])
  // The same list, so that nothing is drawn again.
  expect(history.pointsOf(BOLT)).toBe(points)
  expect(changes()).toBe(5)
})

test('a page that is open for long keeps the first price, the last ones, and a bound on their number', () => {
  const { history, price } = setup()
  for (let at = 1; at <= 100_000; at++) price(at, String(at))
  const points = history.pointsOf(BOLT)
  expect(points.length).toBeLessThanOrEqual(121)
  expect(points[0]).toEqual({ at: 1, usd: 1 })
  expect(points.at(-1)).toEqual({ at: 100_000, usd: 100_000 })
  expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).sort((one, other) => one - other))
})
