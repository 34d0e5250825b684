import { StateUnavailableError } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testProperty } from '../support/property.ts'
import { rejection } from '../support/setup.ts'
import { createMachine, type Process } from './processes.ts'
import { MINUTE, recordWatch, SECOND, setupFeed, some, toMidnight, types } from './setup.ts'

const { BOLT, CORE } = fakeTokens
const HOUR = 60 * MINUTE

test('a day of the budget begins at midnight UTC', async () => {
  const { feed, clock, fake, another } = setupFeed({ budget: { creditsPerDay: 60 } })
  await clock.advance(5 * HOUR)
  const late = another({ budget: { creditsPerDay: 60 } })
  for (const one of [feed, late]) {
    const [price] = await Promise.all([one.price(BOLT), clock.advance(SECOND)])
    expect(price.stale).toBe(false)
    const [refusal] = await Promise.all([one.price(CORE).catch((error) => error), clock.advance(SECOND)])
    expect(refusal).toMatchObject({ code: 'budget_exceeded', resetsAt: Date.UTC(2026, 10, 21) })
  }
  fake.expectCredits(100)
  await toMidnight(clock)
  for (const one of [feed, late]) await Promise.all([one.price(CORE), clock.advance(SECOND)])
  fake.expectCredits(200)
})

test('a restart goes on with the pace of the day instead of buying at once', async () => {
  const { start, clock, fake } = createMachine()
  const budget = { creditsPerDay: 5_000 }
  const first = start({ budget })
  recordWatch(first.feed, some(14), 5 * MINUTE)
  await clock.advance(MINUTE)
  await first.feed.close()
  fake.expectCredits(240)
  // Older than the interval, but not than the stretched one.
  await clock.advance(20 * MINUTE)
  const second = start({ budget })
  const { prices } = recordWatch(second.feed, some(14), 5 * MINUTE)
  await clock.advance(MINUTE)
  fake.expectCredits(240)
  expect(new Set(prices.map(({ address }) => address)).size).toBe(14)
  expect(second.feed.status().stretch).toBeGreaterThan(10)
  expect(second.feed.status().spent).toBe(240)
  await second.feed.close()
})

test('a purchase that is read to its end after the feed was closed counts', async () => {
  const budget = { creditsPerDay: 640 }
  const store = new Map()
  const { feed, another, clock, fake } = setupFeed({ budget, store }, { latencyMs: SECOND }, { whenAborted: 'finish' })
  void feed.prices(some(50)).catch(() => {})
  await clock.advance(500)
  await feed.close()
  await clock.advance(SECOND)
  fake.expectCredits(600)
  expect(feed.status().spent).toBe(600)
  const second = another({ budget, store })
  const [refusal] = await Promise.all([rejection(second.price(BOLT), Error), clock.advance(SECOND)])
  expect(refusal).toMatchObject({ code: 'budget_exceeded' })
})

test.each([
  ['a crash', (first: Process) => first.kill()],
  ['close', ({ feed }: Process) => feed.close()],
])('a purchase that %s interrupts counts with its worst case after the restart', async (_, end) => {
  const { start, clock, fake } = createMachine({ latencyMs: SECOND })
  const budget = { creditsPerDay: 640 }
  const first = start({ budget })
  void first.feed.prices(some(50)).catch(() => {})
  await clock.advance(500)
  fake.expectCredits(600)
  await end(first)
  const second = start({ budget })
  const [refusal] = await Promise.all([second.feed.price(BOLT).catch((error) => error), clock.advance(10 * SECOND)])
  expect(refusal).toMatchObject({ code: 'budget_exceeded', available: 40 })
  expect(second.feed.status()).toMatchObject({ spent: 600 })
  fake.expectCredits(600)
  await second.feed.close()
})

describe('while the store fails', () => {
  test('nothing is sent, and the feed goes on when it works again', async () => {
    const { start, clock, fake, store } = createMachine()
    store.fails = true
    clock.randomValue = 0.5
    const { feed, events } = start({ budget: { creditsPerDay: 20_000 } })
    const { prices, errors } = recordWatch(feed, [BOLT, CORE], MINUTE)
    const error = rejection(feed.price(BOLT, { maxAgeMs: 0 }), StateUnavailableError)
    await clock.advance(5 * MINUTE)
    await error
    fake.expectRequests(0)
    expect(errors).toEqual([expect.any(StateUnavailableError)])
    expect(types(events)).toContain('feed.waiting')
    store.fails = false
    await clock.advance(MINUTE)
    expect(prices.some(({ stale }) => !stale)).toBe(true)
    expect(feed.status()).toMatchObject({ state: 'running', spent: fake.charged() })
    await feed.close()
  })

  test('close resolves and reports it', async () => {
    const { start, clock, store } = createMachine()
    const { feed, events } = start({ budget: { creditsPerDay: 20_000 } })
    await Promise.all([feed.price(BOLT), clock.advance(SECOND)])
    store.fails = true
    await feed.close()
    expect(types(events)).toContain('feed.store_failed')
    expect(clock.pending).toBe(0)
  })
})

test('an entry that is not of a budget stops every purchase', async () => {
  const { start, clock, fake, values } = createMachine()
  values.set('etn-market:feed:budget:1:default', '{"spent":0}')
  const { feed } = start({ budget: { creditsPerDay: 1_000 } })
  const error = rejection(feed.price(BOLT), StateUnavailableError)
  await clock.advance(MINUTE)
  await error
  fake.expectRequests(0)
  await feed.close()
})

test('without a budget the store has prices only; budgets with different names do not share their credits', async () => {
  const { start, clock, values } = createMachine()
  const buy = async (options?: Parameters<typeof start>[0]) => {
    const { feed } = start(options)
    await Promise.all([feed.price(BOLT, { maxAgeMs: 0 }).catch(() => {}), clock.advance(SECOND)])
    const { spent } = feed.status()
    await feed.close()
    return spent
  }
  await buy()
  expect([...values.keys()].filter((key) => key.includes('budget'))).toEqual([])
  expect(await buy({ budget: { creditsPerDay: 80, name: 'a' } })).toBe(50)
  expect(await buy({ budget: { creditsPerDay: 80, name: 'b' } })).toBe(50)
  expect(await buy({ budget: { creditsPerDay: 80, name: 'a' } })).toBe(50)
  expect([...values.keys()].filter((key) => key.includes('budget'))).toEqual([
    'etn-market:feed:budget:1:a',
    'etn-market:feed:budget:1:b',
  ])
})

testProperty(
  'no run of restarts, crashes and faults charges more than the budget in a day',
  () => {
    const step = fc.record({
      minutes: fc.integer({ min: 1, max: 30 }),
      end: fc.constantFrom('close', 'kill', 'close in flight', 'kill in flight', 'store fails'),
      watch: fc.record({
        count: fc.integer({ min: 1, max: 60 }),
        everyMs: fc.integer({ min: 5 * MINUTE, max: HOUR / 2 }),
      }),
      requests: fc.integer({ min: 0, max: 5 }),
    })
    const fault = fc.constantFrom(
      { reset: 'after' as const },
      { reset: 'before' as const },
      { status: 500 },
      { status: 503 },
      { truncate: 20 },
      { malformed: true as const },
      { front: 'nginx' },
    )
    return fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 5 }),
      fc.array(fault, { maxLength: 3 }),
      fc.integer({ min: 300, max: 6_000 }),
      async (steps, faults, creditsPerDay) => {
        const { start, clock, fake, store, chargedByDay } = createMachine({ latencyMs: 300 })
        clock.randomValue = 0.5
        await clock.advance(23 * HOUR)
        for (const one of faults) fake.fault({ ...one, probability: 0.2 })
        for (const { minutes, end, watch, requests } of steps) {
          store.fails = false
          const { feed, kill } = start({ budget: { creditsPerDay } })
          recordWatch(feed, some(watch.count), watch.everyMs)
          for (let index = 0; index < requests; index++) {
            void feed.prices(some(index + 1, 10 * index), { maxAgeMs: 0 }).catch(() => {})
            await clock.advance((minutes * MINUTE) / 5)
          }
          if (end === 'store fails') store.fails = true
          await clock.advance(store.fails ? 2 * MINUTE : minutes * MINUTE)
          if (end.endsWith('in flight')) {
            void feed.price(some(1, 99)[0] ?? '', { maxAgeMs: 0 }).catch(() => {})
            await clock.advance(100)
          }
          if (end.startsWith('kill')) kill()
          else await Promise.all([feed.close(), clock.advance(SECOND)])
        }
        for (const credits of chargedByDay()) expect(credits ?? 0).toBeLessThanOrEqual(creditsPerDay)
        // What a killed process has sent arrives.
        await clock.advance(SECOND)
        expect(clock.pending).toBe(0)
      },
    )
  },
  { cases: 5 },
)
