import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { omitStacks } from '../support/short-stacks.ts'
import { asksFor, MINUTE, recordWatch, SECOND, setupFeed, some } from './setup.ts'

omitStacks()

const HOUR = 60 * MINUTE

const { BOLT } = fakeTokens
describe('an address that makes every request fail', () => {
  test.each([8, 49])('delays none of %d others, and is reported once', async (others) => {
    const { feed, fake, clock, events } = setupFeed()
    clock.randomValue = 0.5
    fake.fault({ status: 500, when: asksFor(BOLT), times: Number.POSITIVE_INFINITY })
    const bad = recordWatch(feed, BOLT, MINUTE)
    const good = recordWatch(feed, some(others), MINUTE)
    await clock.advance(10 * SECOND)
    expect(good.prices).toHaveLength(others)
    await clock.advance(HOUR - 10 * SECOND)
    expect(good.prices.filter(({ stale }) => stale)).toEqual([])
    expect(good.prices.length).toBeGreaterThanOrEqual(60 * others)
    expect(bad.errors).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'feed.isolated')).toHaveLength(1)
    // A batch per minute, and at most two requests per halving to find the address.
    expect(fake.charged()).toBeLessThanOrEqual((60 + 2 * 6) * (100 + 10 * others))
  })

  test('is bought with the others again when it succeeds', async () => {
    const { feed, fake, clock } = setupFeed()
    clock.randomValue = 0.5
    const fault = fake.fault({ status: 500, when: asksFor(BOLT), times: Number.POSITIVE_INFINITY })
    const { prices } = recordWatch(feed, [BOLT, ...some(8)], MINUTE)
    await clock.advance(10 * MINUTE)
    fault.remove()
    await clock.advance(5 * MINUTE)
    expect(prices.filter(({ address }) => address === BOLT).at(-1)?.stale).toBe(false)
    const before = fake.charged()
    await clock.advance(HOUR)
    expect(fake.charged() - before).toBe(60 * 190)
  })

  test.each([50, 300])('is searched for now and then only while everything fails, with %d watched', async (count) => {
    const { feed, fake, clock } = setupFeed()
    clock.randomValue = 0.99
    recordWatch(feed, some(count), MINUTE)
    await clock.advance(MINUTE / 2)
    const charged = fake.charged()
    const fault = fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
    await clock.advance(10 * MINUTE)
    const waves = 10 * (MINUTE / (8 * SECOND)) + 5
    expect(fake.journal().length).toBeLessThan(1.3 * waves * (count / 50))
    fault.remove()
    await clock.advance(20 * SECOND)
    // The batches are whole again, but for one that may be searched at this moment.
    expect(fake.charged() - charged).toBeLessThanOrEqual(charged + 100)
  })
})

test('one invalid price in a batch fails its own watcher only, with strict validation', async () => {
  const { feed, fake, clock } = setupFeed({}, {}, { validate: 'strict' })
  const isBatch = { operation: 'prices.batch', times: Number.POSITIVE_INFINITY } as const
  const transform = ({ data, ...rest }: { data: Record<string, unknown> }) => ({
    ...rest,
    data: { ...data, [BOLT.toLowerCase()]: { usd: 5 } },
  })
  fake.fault({ ...isBatch, transform: transform as never })
  const bad = recordWatch(feed, BOLT, MINUTE)
  const good = recordWatch(feed, some(8), MINUTE)
  await clock.advance(HOUR - SECOND)
  expect(fake.charged()).toBeLessThanOrEqual(60 * 190)
  expect(good.prices).toHaveLength(60 * 8)
  expect(good.errors).toEqual([])
  expect(bad.prices).toEqual([])
  expect(bad.errors).toEqual([expect.objectContaining({ code: 'unexpected_shape' })])
})

describe('an address whose paid answers cannot be read', () => {
  test.each([
    ['alone with three others', 3, 12],
    ['among 49 others', 49, 14],
  ])('delays the others by less than an interval: %s', async (_, others, extraRequests) => {
    const { feed, fake, clock, events } = setupFeed()
    clock.randomValue = 0.5
    fake.fault({ malformed: true, when: asksFor(BOLT), times: Number.POSITIVE_INFINITY })
    const bad = recordWatch(feed, BOLT, MINUTE)
    const good = recordWatch(feed, some(others), MINUTE)
    await clock.advance(MINUTE)
    expect(new Set(good.prices.map(({ address }) => address)).size).toBe(others)
    await clock.advance(9 * MINUTE)
    for (const address of some(others)) {
      const ages = good.prices.filter((price) => price.address === address).map(({ at }) => at)
      expect(ages.length).toBeGreaterThanOrEqual(9)
    }
    expect(bad.prices).toEqual([])
    expect(events.filter(({ type }) => type === 'feed.isolated')).toHaveLength(1)
    // A batch and a single request a minute, and once at most two requests per halving.
    expect(fake.charged()).toBeLessThanOrEqual(
      10 * (100 + 10 * others + 50) + extraRequests * (100 + 10 * (others + 1)),
    )
  })
})
