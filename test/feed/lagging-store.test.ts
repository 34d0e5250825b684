import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { watch } from '../support/setup.ts'
import { MINUTE, recordWatch, SECOND, setupFeed, types } from './setup.ts'

const { BOLT, CORE } = fakeTokens
const LEASE = 'feed:lease:'

/** Stores that accept what is written, and do not show it. */
const LAGGING = {
  'a backend that is down, whose adapter swallows the errors': { get: () => undefined },
  'an atomic add that never succeeds': { get: () => undefined, add: () => false },
  'a replica that shows the lease of a process that is gone': {
    get: (key: string) => (key.includes(LEASE) ? JSON.stringify({ owner: 'gone', until: 1e15 }) : undefined),
  },
} satisfies Record<string, { get: (key: string) => string | undefined; add?: () => boolean }>

describe.each(Object.entries(LAGGING))('a store that does not show its own writes: %s', (_, store) => {
  const options = () => ({ store: { set: () => {}, delete: () => {}, ...store } })

  test('delays a price by one lease at most', async () => {
    const { feed, clock } = setupFeed(options())
    const price = watch(feed.price(BOLT))
    await clock.advance(6 * SECOND)
    expect(price).toMatchObject({ state: 'resolved', value: { stale: false } })
  })

  test('delays no price of a watch beyond its interval, and is reported once', async () => {
    const { feed, clock, fake, events } = setupFeed(options())
    const { prices, errors } = recordWatch(feed, [BOLT, CORE], MINUTE)
    await clock.advance(6 * SECOND)
    expect(prices).toHaveLength(2)
    await clock.advance(20 * MINUTE)
    const late = prices.filter(({ at }, index) => index > 1 && at - (prices[index - 2]?.at ?? 0) > MINUTE)
    expect(late).toEqual([])
    expect(errors).toEqual([])
    expect(types(events).filter((type) => type === 'feed.store_failed')).toHaveLength(1)
    expect(fake.charged()).toBeLessThanOrEqual(27 * 100)
  })
})
