import { watchCandles } from 'etn-market/candles'
import { fakeTokens } from 'etn-market/fake'
import type { FeedOptions, FeedPrice } from 'etn-market/feed'
import { watchPortfolio } from 'etn-market/portfolio'
import { followTrades } from 'etn-market/trades'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVirtualClock, START } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { watch } from '../support/setup.ts'
import { MINUTE, recordWatch, SECOND, setupFeed } from './setup.ts'

const { BOLT, CORE, DYNO } = fakeTokens
const HOUR = 60 * MINUTE

/** A feed whose wall clock can be set, on a service with a clock of its own. */
function setupWithWallClock(options: FeedOptions = {}) {
  const clock = createVirtualClock()
  const elapsed = () => clock.monotonic()
  return { ...setupFeed(options, { clock: { ...clock, now: () => START + elapsed() } }, {}, clock), elapsed }
}

test('a wall clock that is two hours back for three seconds costs one purchase: that it was set forward again may have been sleep', async () => {
  const { clock, elapsed, fake, feed, events } = setupWithWallClock()
  const begunAt = elapsed()
  const { prices } = recordWatch(feed, [BOLT, CORE], MINUTE)
  await clock.advance(10 * MINUTE)
  clock.stepWallClock(-2 * HOUR)
  const fresh = watch(feed.price(BOLT, { maxAgeMs: SECOND }))
  const alert = watch(feed.alert(DYNO, { above: '0', everyMs: MINUTE })[Symbol.asyncIterator]().next())
  await clock.advance(3 * SECOND)
  clock.stepWallClock(2 * HOUR)
  await clock.advance(10 * MINUTE)
  expect(fresh).toMatchObject({ state: 'resolved', value: { stale: false } })
  expect(alert).toMatchObject({ state: 'resolved', value: { value: { price: { stale: false } } } })
  expect(prices.length).toBeGreaterThanOrEqual(2 * 20)
  expect(prices.filter(({ ageMs }) => ageMs < 0)).toEqual([])
  // Each is reported once as two hours old, and then bought.
  expect(prices.filter(({ stale }) => stale).map(({ ageMs }) => Math.floor(ageMs / HOUR))).toEqual([2, 2])
  expect(events.filter(({ type }) => type !== 'feed.bought')).toEqual([])
  expect((elapsed() - begunAt) / SECOND).toBeCloseTo(20 * 60 + 3, 1)
  expect(fake.charged()).toBeLessThanOrEqual(23 * 150)
})

test.each([-2 * HOUR, 2 * HOUR])(
  'candles, portfolios and trades keep their intervals when the wall clock is set by %d ms',
  async (ms) => {
    const { clock, fake, feed } = setupWithWallClock()
    const stop = new AbortController()
    const options = { everyMs: MINUTE, signal: stop.signal }
    const iterations: AsyncIterable<unknown>[] = [
      watchCandles(feed, BOLT, { bucket: '1m', ...options }),
      watchPortfolio(feed, `0x${'0'.repeat(37)}abc`, { ...options, balancesEveryMs: MINUTE }),
      followTrades(feed, options),
    ]
    const ends = iterations.map(async (iteration) => {
      for await (const _ of iteration);
    })
    await clock.advance(MINUTE / 2)
    clock.stepWallClock(ms)
    const operations = ['token.candles', 'balances.get', 'trade.list']
    const made = () => operations.map((name) => fake.journal().filter(({ operation }) => operation === name).length)
    const before = made()
    await clock.advance(10 * MINUTE)
    const during = made().map((count, index) => count - (before[index] ?? 0))
    stop.abort()
    await Promise.allSettled(ends)
    for (const [index, count] of during.entries()) {
      expect(count, operations[index]).toBeGreaterThanOrEqual(10)
      expect(count, operations[index]).toBeLessThanOrEqual(12)
    }
  },
)

const step = fc.record({
  afterMs: fc.integer({ min: 1, max: 10 * MINUTE }),
  byMs: fc.oneof(fc.constantFrom(-2 * HOUR, 2 * HOUR), fc.integer({ min: -24 * HOUR, max: 24 * HOUR })),
})

testProperty(
  'whatever the wall clock does, no price is late by more than an interval, each is bought once more for a step forward, and no age is negative',
  () =>
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), fc.boolean(), async (steps, hasStore) => {
      const options = hasStore ? { store: new Map<string, string>() } : {}
      const { clock, elapsed, fake, feed } = setupWithWallClock(options)
      const deliveries: { price: FeedPrice; at: number }[] = []
      feed.watch([BOLT, CORE], {
        everyMs: MINUTE,
        onPrice: (price) => void deliveries.push({ price, at: elapsed() }),
      })
      for (const { afterMs, byMs } of steps) {
        await clock.advance(afterMs)
        clock.stepWallClock(byMs)
      }
      await clock.advance(2 * MINUTE)
      const duration = elapsed()
      await feed.close()
      for (const address of [BOLT, CORE]) {
        const times = deliveries.filter(({ price }) => price.address === address).map(({ at }) => at)
        const gaps = [...times, duration].map((at, index) => at - (times[index - 1] ?? 0))
        expect(Math.max(...gaps)).toBeLessThanOrEqual(MINUTE + SECOND)
      }
      const forward = steps.filter(({ byMs }) => byMs > 0).length
      expect(deliveries.filter(({ price }) => price.ageMs < 0)).toEqual([])
      expect(deliveries.filter(({ price }) => price.stale).length).toBeLessThanOrEqual(4 * forward)
      expect(fake.charged()).toBeLessThanOrEqual(100 * (1 + Math.ceil(duration / MINUTE) + forward))
    }),
  { cases: 8 },
)
