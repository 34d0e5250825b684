import { fakeTokens } from 'etn-market/fake'
import type { FeedPrice } from 'etn-market/feed'
import { describe, expect, test } from 'vitest'
import { creditsFor } from '../../src/credits/cheapest-requests.ts'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
import { MINUTE, requests, SECOND, setupFeed, some } from './setup.ts'

const { BOLT, CORE, DYNO, USDC } = fakeTokens

function setupWatch(addresses: string | readonly string[], everyMs: number) {
  const setup = setupFeed()
  const prices: FeedPrice[] = []
  const watched = setup.feed.watch(addresses, { everyMs, onPrice: (price) => void prices.push(price) })
  return { ...setup, prices, watched, start: setup.clock.now() }
}

describe('an update of the addresses', () => {
  test('buys only what is new, and nothing for what leaves', async () => {
    const { watched, prices, clock, fake, feed, start } = setupWatch([BOLT, CORE, DYNO], MINUTE)
    await clock.advance(10 * SECOND)
    watched.update({ addresses: [BOLT, CORE, USDC] })
    await clock.advance(10 * SECOND)
    expect(prices.slice(3).map(({ address }) => address)).toEqual([USDC])
    expect(requests(fake, start)).toEqual([
      [5, 3],
      [10_005, 1],
    ])
    expect(feed.status()).toMatchObject({ watches: 1, addresses: 3 })
    watched.update({ addresses: BOLT })
    await clock.advance(5 * MINUTE)
    expect(new Set(prices.slice(4).map(({ address }) => address))).toEqual(new Set([BOLT]))
    expect(feed.explain().onePerConsumer.requestsPerDay).toBeCloseTo(1_440, 6)
    fake.expectCredits(130 + 50 + 5 * 50)
  })

  test('delivers what is known and young enough, for nothing', async () => {
    const { watched, prices, clock, fake, feed } = setupWatch([BOLT], MINUTE)
    feed.watch([CORE, DYNO, USDC], { everyMs: 5 * MINUTE, onPrice: () => {} })
    await clock.advance(30 * SECOND)
    watched.update({ addresses: [BOLT, CORE, CORE.toLowerCase()] })
    expect(prices).toHaveLength(1)
    await flush()
    expect(prices.slice(1).map(({ address, ageMs }) => [address, ageMs])).toEqual([
      [CORE, 30 * SECOND - 5],
      [CORE.toLowerCase(), 30 * SECOND - 5],
    ])
    fake.expectRequests(1)
    watched.update({ addresses: [BOLT] })
    watched.update({ addresses: [BOLT, CORE] })
    await flush()
    expect(prices.slice(3).map(({ address }) => address)).toEqual([CORE])
    fake.expectRequests(1)
  })

  test('merges a new address into the next call of the others', async () => {
    const { watched, clock, fake, start } = setupWatch(some(9), MINUTE)
    await clock.advance(30 * SECOND)
    watched.update({ addresses: some(10) })
    await clock.advance(3 * MINUTE)
    expect(requests(fake, start)).toEqual([
      [5, 9],
      [30_005, 1],
      [60_005, 10],
      [120_005, 10],
      [180_005, 10],
    ])
  })

  test('withdraws an address that was not requested yet', async () => {
    const { watched, clock, fake } = setupWatch([BOLT, CORE, DYNO], MINUTE)
    watched.update({ addresses: CORE })
    await clock.advance(10)
    fake.expectCredits(50)
  })

  test('to an empty list pauses the watch', async () => {
    const { watched, clock, fake, feed } = setupWatch([BOLT, CORE, DYNO], MINUTE)
    await clock.advance(10)
    watched.update({ addresses: [] })
    await clock.advance(10 * MINUTE)
    fake.expectRequests(1)
    expect(feed.status()).toMatchObject({ watches: 1, addresses: 0, creditsPerDay: 0 })
    watched.update({ addresses: BOLT })
    await clock.advance(10)
    fake.expectCredits(130 + 50)
  })

  test('in a callback ends the delivery of what leaves', async () => {
    const { feed, clock } = setupFeed()
    const seen: string[] = []
    const watched = feed.watch([BOLT, CORE, DYNO], {
      everyMs: MINUTE,
      onPrice({ address }) {
        seen.push(address)
        watched.update({ addresses: address })
      },
    })
    await clock.advance(MINUTE + 10)
    expect(seen).toEqual([BOLT, BOLT])
  })
})

describe('an update of the interval', () => {
  test('counts from the last price', async () => {
    const { watched, clock, fake, feed, start } = setupWatch([BOLT, CORE, DYNO], 10 * MINUTE)
    await clock.advance(30 * SECOND)
    watched.update({ everyMs: MINUTE })
    expect(feed.status().creditsPerDay).toBeCloseTo(130 * 1_440, 0)
    await clock.advance(40 * SECOND)
    watched.update({ everyMs: 5 * MINUTE })
    await clock.advance(2 * MINUTE)
    watched.update({ everyMs: MINUTE })
    await clock.advance(SECOND)
    expect(requests(fake, start).map(([at]) => at)).toEqual([5, 60_005, 190_005])
    expect(feed.explain().onePerConsumer.creditsPerDay).toBeCloseTo(130 * 1_440, 6)
  })

  test('follows the strictest watch of an address', async () => {
    const { watched, clock, fake, feed } = setupWatch(BOLT, MINUTE)
    feed.watch(BOLT, { everyMs: 2 * MINUTE, onPrice: () => {} })
    watched.update({ everyMs: 10 * MINUTE })
    await clock.advance(10 * MINUTE)
    fake.expectRequests(5)
  })
})

test('an update changes running and later iterations, and drops unread prices of what leaves', async () => {
  const { feed, clock, fake } = setupFeed()
  const watched = feed.watch([BOLT, CORE, DYNO], { everyMs: MINUTE })
  const reader = watched[Symbol.asyncIterator]()
  await clock.advance(10)
  watched.update({ addresses: [CORE, USDC] })
  const read = [(await reader.next()).value, watch(reader.next())] as const
  await clock.advance(10)
  expect([read[0].address, read[1].value?.value.address]).toEqual([CORE, USDC])
  watched.stop()
  watched.update({ addresses: BOLT })
  fake.expectRequests(2)
  const later = watch(watched[Symbol.asyncIterator]().next())
  await flush()
  expect(later.value?.value.address).toBe(BOLT)
})

test('an update after stop or abort does nothing, and after close it throws', async () => {
  const { watched, prices, clock, fake, feed } = setupWatch(BOLT, MINUTE)
  watched.stop()
  watched.update({ addresses: CORE, everyMs: SECOND })
  await clock.advance(MINUTE)
  fake.expectRequests(0)
  expect([prices.length, feed.status().watches, clock.pending]).toEqual([0, 0, 0])
  await feed.close()
  expect(() => watched.update({ everyMs: SECOND })).toThrow(expect.objectContaining({ code: 'feed_closed' }))
})

test.each<[string, object]>([
  ['everyMs', { everyMs: 0 }],
  ['everyMs', { everyMs: Number.NaN }],
  ['addresses', { addresses: ['nonsense'] }],
  ['every', { every: MINUTE }],
])('rejects an invalid %s, and stays as it was', async (name, changes) => {
  const { watched, clock, fake } = setupWatch(BOLT, MINUTE)
  expect(() => watched.update(changes)).toThrow(name)
  await clock.advance(MINUTE + 10)
  fake.expectCredits(100)
})

test('a list that moves on by one address costs a call for each new one beside the batches, and two calls at most', async () => {
  const { feed, clock, fake, client } = setupFeed()
  const tokens = (await client.token.list({ limit: 100 })).map(({ address }) => address)
  const before = fake.charged()
  const watched = feed.watch(tokens.slice(0, 40), { everyMs: 20 * MINUTE, onPrice: () => {} })
  for (let step = 1; step <= 60; step++) {
    await clock.advance(3 * MINUTE)
    watched.update({ addresses: tokens.slice(step, step + 40) })
  }
  await clock.advance(SECOND)
  expect(fake.charged() - before).toBeLessThanOrEqual(60 * 50 + 10 * creditsFor(40) + 2 * creditsFor(40))
})
