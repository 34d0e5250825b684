import { createBudget, NotFoundError, ServerBusyError } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { rejection, watch } from '../support/setup.ts'
import { omitStacks } from '../support/short-stacks.ts'
import { DAY, MINUTE, recordWatch, SECOND, setupFeed, types } from './setup.ts'

omitStacks()

const { BOLT, CORE, DYNO, PDY } = fakeTokens

describe('a service that fails', () => {
  test.each([
    ['busy', { status: 503, code: 'server_busy', retryAfter: '2' }],
    ['limited', { status: 429, retryAfter: '2' }],
    ['broken', { status: 500 }],
    ['a gateway', { front: 'nginx', charge: false }],
    ['the network', { reset: 'before' }],
  ] as const)('%s: keeps the last price, marked stale, and resumes when it succeeds', async (_, effect) => {
    const { feed, fake, clock, events } = setupFeed()
    clock.randomValue = 0.5
    const { prices, errors } = recordWatch(feed, [BOLT, CORE, DYNO], MINUTE)
    await clock.advance(30 * SECOND)
    const fault = fake.fault({ ...effect, times: Number.POSITIVE_INFINITY })
    await clock.advance(2 * MINUTE)
    expect(prices.slice(3).map(({ stale, ageMs }) => [stale, ageMs])).toEqual([
      [true, MINUTE + 1],
      [true, MINUTE + 1],
      [true, MINUTE + 1],
    ])
    expect(errors).toHaveLength(1)
    expect(feed.status().state).toBe('waiting')
    expect(await feed.price(BOLT, { stale: 'allow' })).toMatchObject({ stale: true })
    fault.remove()
    await clock.advance(MINUTE)
    expect(prices.slice(6, 9).map(({ stale }) => stale)).toEqual([false, false, false])
    expect(feed.status().state).toBe('running')
    expect(types(events).filter((type) => type === 'feed.resumed')).toHaveLength(1)
    await clock.advance(MINUTE)
    expect(prices.length).toBeGreaterThanOrEqual(12)
  })

  test('is retried after its Retry-After, and then with a growing backoff', async () => {
    const { feed, fake, clock } = setupFeed()
    clock.randomValue = 0.999
    fake.fault({ status: 503, retryAfter: '7', times: 1 })
    fake.fault({ status: 500, times: Number.POSITIVE_INFINITY })
    const start = clock.now()
    recordWatch(feed, BOLT, MINUTE)
    await clock.advance(MINUTE)
    const gaps = fake.journal().map(({ at }, index, all) => at - (all[index - 1]?.at ?? start))
    expect(gaps[1]).toBeGreaterThanOrEqual(7 * SECOND)
    expect(gaps.slice(2, 7).map((ms) => Math.round(ms / SECOND))).toEqual([1, 2, 4, 8, 8])
  })

  test('retries a price request without a known price, then rejects it', async () => {
    const { feed, fake, clock } = setupFeed()
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

  test('rejects a price request instead of waiting more than a minute', async () => {
    const { feed, fake, clock } = setupFeed()
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

test('charged answers that are invalid are requested once more in two parts, and then not before their interval', async () => {
  const { feed, fake, clock } = setupFeed()
  recordWatch(feed, [BOLT, CORE, DYNO], MINUTE)
  fake.fault({ malformed: true, times: Number.POSITIVE_INFINITY })
  await clock.advance(10 * MINUTE)
  // Apart, three prices cost 150 instead of 130.
  expect(fake.charged()).toBeLessThanOrEqual(130 + 11 * 150)
})

test('lost answers that may be charged are retried twice, then once per interval', async () => {
  const { feed, fake, clock } = setupFeed()
  recordWatch(feed, [BOLT, CORE, DYNO], MINUTE)
  fake.fault({ reset: 'after', times: Number.POSITIVE_INFINITY })
  await clock.advance(10 * MINUTE)
  expect(fake.charged()).toBeLessThanOrEqual(13 * 130)
})

test('a lost answer is retried after its interval, or when another request succeeds', async () => {
  const { feed, fake, clock } = setupFeed()
  recordWatch(feed, PDY, MINUTE)
  const slow = recordWatch(feed, [BOLT, CORE, DYNO], 20 * MINUTE)
  await clock.advance(20 * MINUTE - SECOND)
  const before = fake.charged()
  const lost = fake.fault({ reset: 'after', times: Number.POSITIVE_INFINITY })
  await clock.advance(10 * MINUTE)
  // Three attempts for all four, then only the fast one, once a minute.
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

test.each([
  ['has another shape', { malformed: true as const }, 12],
  // Each of six intervals has its own purchase and one more when another succeeds, of three attempts.
  ['is lost', { reset: 'after' as const }, 36],
])('an address whose answer always %s is not bought with each success of another', async (_, fault, most) => {
  const { feed, fake, clock } = setupFeed()
  recordWatch(feed, BOLT, 30 * SECOND)
  recordWatch(feed, CORE, 10 * MINUTE)
  const isCore = ({ path }: { path: string }) => path.includes(CORE)
  fake.fault({ ...fault, when: isCore, times: Number.POSITIVE_INFINITY })
  await clock.advance(60 * MINUTE - SECOND)
  const paid = fake.journal().filter(isCore).length
  expect(paid).toBeGreaterThanOrEqual(6)
  expect(paid).toBeLessThanOrEqual(most)
})

test('a new watch does not wait for the lost answers of others', async () => {
  const { feed, fake, clock } = setupFeed()
  const first = recordWatch(feed, BOLT, MINUTE)
  await clock.advance(30 * SECOND)
  const lost = fake.fault({ reset: 'after', times: Number.POSITIVE_INFINITY })
  await clock.advance(70 * SECOND)
  lost.remove()
  const { prices } = recordWatch(feed, BOLT, 110 * SECOND)
  first.stop()
  await clock.advance(15 * SECOND)
  expect(prices.map(({ stale }) => stale)).toEqual([false, false])
})

test('a 404 page that is not from the service stops the feed, and is not a token without a price', async () => {
  const { feed, fake, clock } = setupFeed()
  fake.fault({ front: 'nginx-missing-page', charge: false, times: Number.POSITIVE_INFINITY })
  const price = rejection(feed.price(BOLT), NotFoundError)
  await clock.advance(MINUTE)
  expect((await price).code).toBe('front_error')
  expect(feed.status().state).toBe('stopped')
})

test('a budget that renews a part of a millisecond after the feed believes it to is asked again within a second', async () => {
  const clock = createVirtualClock()
  let lag = 0
  const time = { now: () => clock.now() - lag, monotonic: clock.monotonic }
  const budget = createBudget({ credits: 50, windowMs: DAY, store: new Map() }, time)
  await budget.load()
  lag = 0.9
  const { feed } = setupFeed({}, {}, { budget }, clock)
  const { prices } = recordWatch(feed, BOLT, MINUTE)
  await clock.advance(DAY - (clock.now() % DAY))
  const bought = () => prices.filter(({ stale }) => !stale)
  expect(bought()).toHaveLength(1)
  await clock.advance(SECOND)
  expect(bought()).toHaveLength(2)
})
