import { AuthenticationError, createClient, ServerBusyError } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { describe, expect, test } from 'vitest'
import { rejection, watch } from '../support/setup.ts'
import { MINUTE, noted, SECOND, stage, types } from './setup.ts'

const { BOLT, CORE, DYNO, PDY } = fakeTokens

describe('a service that does not answer', () => {
  test.each([
    ['busy', { status: 503, code: 'server_busy', retryAfter: '2' }],
    ['limited', { status: 429, retryAfter: '2' }],
    ['broken', { status: 500 }],
    ['a gateway', { html: 502 }],
    ['the network', { reset: 'before' }],
  ] as const)('%s: the last price stays, stale; it goes on by itself', async (_, effect) => {
    const { feed, fake, clock, events } = stage()
    const { prices, errors } = noted(feed, [BOLT, CORE, DYNO], MINUTE)
    await clock.advance(30 * SECOND)
    const fault = fake.fault({ ...effect, times: Number.POSITIVE_INFINITY })
    await clock.advance(2 * MINUTE)
    expect(prices.slice(3).map(({ stale, ageMs }) => [stale, ageMs])).toEqual([
      [true, MINUTE],
      [true, MINUTE],
      [true, MINUTE],
    ])
    expect(errors).toHaveLength(1)
    expect(feed.status().state).toBe('waiting')
    expect(await feed.price(BOLT)).toMatchObject({ stale: true })
    fault.remove()
    await clock.advance(MINUTE)
    expect(prices.slice(6, 9).map(({ stale }) => stale)).toEqual([false, false, false])
    expect(feed.status().state).toBe('running')
    expect(types(events).filter((type) => type === 'feed.resumed')).toHaveLength(1)
    await clock.advance(MINUTE)
    expect(prices.length).toBeGreaterThanOrEqual(12)
  })

  test('is asked no sooner than it said, and ever less often', async () => {
    const { feed, fake, clock } = stage()
    clock.luck = 0.999
    fake.fault({ status: 503, retryAfter: '7', times: 1 })
    fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
    const start = clock.now()
    noted(feed, BOLT, MINUTE)
    await clock.advance(MINUTE)
    const gaps = fake.journal().map(({ at }, index, all) => at - (all[index - 1]?.at ?? start))
    expect(gaps[1]).toBeGreaterThanOrEqual(7 * SECOND)
    expect(gaps.slice(2, 7).map((ms) => Math.round(ms / SECOND))).toEqual([1, 2, 4, 8, 8])
  })

  test('a look-up that nothing is known for tries again, and then tells why', async () => {
    const { feed, fake, clock } = stage()
    fake.fault({ status: 503, code: 'server_busy', times: 2 })
    const lucky = watch(feed.price(BOLT))
    await clock.advance(MINUTE)
    expect(lucky).toMatchObject({ state: 'resolved', value: { stale: false } })
    fake.fault({ status: 503, code: 'server_busy', times: Number.POSITIVE_INFINITY })
    const unlucky = rejection(feed.price(CORE), ServerBusyError)
    await clock.advance(MINUTE)
    await unlucky
    fake.expectRequests(6)
  })

  test('a wait of more than a minute is not waited for by a look-up', async () => {
    const { feed, fake, clock } = stage()
    fake.fault({ status: 503, code: 'server_busy', retryAfter: '300' })
    const refused = rejection(feed.price(BOLT), ServerBusyError)
    await clock.advance(10)
    await refused
    await rejection(feed.price(CORE), ServerBusyError)
    fake.expectRequests(1)
    await clock.advance(300 * SECOND)
    const answered = feed.price(CORE)
    await clock.advance(10)
    await answered
  })
})

test('a key that is refused stops the feed, told once', async () => {
  const { fake, clock } = stage()
  const client = createClient({ apiKey: 'esk_test_unknown', fetch: fake.fetch, clock })
  const events: string[] = []
  const feed = createPriceFeed(client, { clock, onEvent: ({ type }) => void events.push(type) })
  const { errors } = noted(feed, BOLT, MINUTE)
  await clock.advance(10 * MINUTE)
  expect(errors).toEqual([expect.any(AuthenticationError)])
  expect(events).toEqual(['feed.stopped'])
  await feed.close()
  await client.close()
})

test('an answer that is paid for and useless is not bought again at once', async () => {
  const { feed, fake, clock } = stage()
  noted(feed, [BOLT, CORE, DYNO], MINUTE)
  fake.fault({ malformed: true, times: Number.POSITIVE_INFINITY })
  await clock.advance(10 * MINUTE)
  expect(fake.charged()).toBeLessThanOrEqual(11 * 130)
})

test('lost answers that may have been paid for are repeated as often as the client would, then once an interval', async () => {
  const { feed, fake, clock } = stage()
  noted(feed, [BOLT, CORE, DYNO], MINUTE)
  fake.fault({ reset: 'after', times: Number.POSITIVE_INFINITY })
  await clock.advance(10 * MINUTE)
  expect(fake.charged()).toBeLessThanOrEqual(13 * 130)
})

test('what is lost waits for its own interval, and for nothing any longer when another request succeeds', async () => {
  const { feed, fake, clock } = stage()
  noted(feed, PDY, MINUTE)
  const slow = noted(feed, [BOLT, CORE, DYNO], 20 * MINUTE)
  await clock.advance(20 * MINUTE - SECOND)
  const before = fake.charged()
  const lost = fake.fault({ reset: 'after', times: Number.POSITIVE_INFINITY })
  await clock.advance(10 * MINUTE)
  // Three attempts for all four, and then only the fast one every minute.
  expect(fake.charged() - before).toBeLessThanOrEqual(3 * 140 + 10 * 50)
  lost.remove()
  const answersAgain = clock.now()
  await clock.advance(MINUTE)
  expect(slow.prices.slice(-3).map(({ stale, at }) => [stale, at > answersAgain])).toEqual([
    [false, true],
    [false, true],
    [false, true],
  ])
})

test('what is always lost is not paid for whenever another request succeeds', async () => {
  const { feed, fake, clock } = stage()
  noted(feed, BOLT, 30 * SECOND)
  noted(feed, CORE, 10 * MINUTE)
  const isCore = ({ path }: { path: string }) => path.includes(CORE)
  fake.fault({ malformed: true, when: isCore, times: Number.POSITIVE_INFINITY })
  await clock.advance(60 * MINUTE - SECOND)
  const paid = fake.journal().filter(isCore).length
  expect(paid).toBeGreaterThanOrEqual(6)
  expect(paid).toBeLessThanOrEqual(12)
})

test('who begins to watch does not wait for what others lost', async () => {
  const { feed, fake, clock } = stage()
  const first = noted(feed, BOLT, MINUTE)
  await clock.advance(30 * SECOND)
  const lost = fake.fault({ reset: 'after', times: Number.POSITIVE_INFINITY })
  await clock.advance(70 * SECOND)
  lost.remove()
  const { prices } = noted(feed, BOLT, 110 * SECOND)
  first.stop()
  await clock.advance(15 * SECOND)
  expect(prices.map(({ stale }) => stale)).toEqual([false, false])
})

test('an onError that throws, at once or later, harms nobody', async () => {
  const { feed, fake, clock } = stage()
  fake.fault({ status: 500, times: 3 })
  const prices: unknown[] = []
  const onError = () => {
    throw new Error('mine')
  }
  feed.watch(BOLT, { everyMs: MINUTE, onPrice: (price) => void prices.push(price), onError })
  feed.watch(BOLT, { everyMs: MINUTE, onPrice: () => {}, onError: async () => onError() })
  await clock.advance(MINUTE)
  expect(prices).toHaveLength(1)
})
