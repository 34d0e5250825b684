import { fakeTokens } from 'etn-market/fake'
import type { FeedPrice } from 'etn-market/feed'
import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { MINUTE, recordWatch, SECOND, setupFeed, some } from './setup.ts'

const { BOLT } = fakeTokens
const HOUR = 60 * MINUTE

/** Timers of a real event loop are late by fractions of a millisecond. */
function createLateClock() {
  const clock = createVirtualClock()
  const { sleep } = clock
  let turn = 0
  return Object.assign(clock, {
    randomValue: 0.5,
    sleep: (ms: number, signal?: AbortSignal) => sleep.call(clock, ms + ((turn++ * 0.37) % 1), signal),
  })
}

describe('with clocks that have fractions', () => {
  test('a feed with a store takes no price of its own for a newer one', async () => {
    const run = async (options = {}) => {
      const clock = createLateClock()
      const { fake, feed } = setupFeed(options, {}, {}, clock)
      const watches = [recordWatch(feed, some(5), MINUTE), recordWatch(feed, some(7, 5), 2 * MINUTE)]
      await clock.advance(2 * HOUR)
      await feed.close()
      return {
        charged: fake.charged(),
        requests: fake.journal().length,
        prices: watches.flatMap(({ prices }) => prices),
      }
    }
    const without = await run()
    const stored = await run({ store: new Map<string, string>() })
    const momentsOf = (prices: readonly FeedPrice[]) =>
      prices.filter(({ stale }) => !stale).map(({ address, at }) => `${address} ${at}`)
    for (const { prices } of [stored, without]) expect(new Set(momentsOf(prices)).size).toBe(momentsOf(prices).length)
    // A store takes its time, so that the last purchase may be earlier.
    expect(Math.abs(momentsOf(stored.prices).length - momentsOf(without.prices).length)).toBeLessThanOrEqual(12)
    expect(Math.abs(stored.charged - without.charged)).toBeLessThanOrEqual(220)
    expect(Math.abs(stored.requests - without.requests)).toBeLessThanOrEqual(1)
  })

  test('a price is reported as stale when it is: peek, the watch and a new watch agree, also where a request fails before', async () => {
    for (const failsAfter of [0, 10, 40_000, 59_984, 59_999]) {
      const clock = createLateClock()
      const { fake, feed } = setupFeed({}, {}, {}, clock)
      const seen: boolean[] = []
      const wrong: string[] = []
      feed.watch(BOLT, {
        everyMs: MINUTE,
        onPrice({ stale, ageMs }) {
          seen.push(stale)
          if (feed.peek(BOLT)?.stale !== stale || stale !== ageMs > MINUTE - 1)
            wrong.push(`${failsAfter}: ${ageMs} ${stale}`)
        },
        onError() {},
      })
      await clock.advance(10 * SECOND + failsAfter)
      // Before, one may have been late by a millisecond.
      seen.length = 0
      fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
      await clock.advance(4 * MINUTE)
      expect(wrong).toEqual([])
      // Once, and for as long as it fails.
      expect(seen.filter((stale) => stale)).toHaveLength(1)
      expect(feed.peek(BOLT)).toMatchObject({ stale: true })
      await feed.close()
    }
  })
})

test.each(['', 'rubbish', '12', 'NaN me', '99999999999999x me', '{"until":1}', '[]', ' 1 2 3'])(
  'a text under the key of a lease that is no lease holds up nobody: %j',
  async (rubbish) => {
    const prices = new Map<string, string>()
    const leases = new Map<string, string>()
    const store = {
      get: (key: string) => (key.includes(':lease:') ? (leases.get(key) ?? rubbish) : prices.get(key)),
      set: (key: string, value: string) => void (key.includes(':lease:') ? leases : prices).set(key, value),
      delete: (key: string) => (key.includes(':lease:') ? leases : prices).delete(key),
    }
    const { clock, feed, fake } = setupFeed({ store })
    const { prices: received } = recordWatch(feed, BOLT, MINUTE)
    await clock.advance(SECOND)
    expect(received).toHaveLength(1)
    fake.expectRequests(1)
  },
)
