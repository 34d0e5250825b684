import type { Trade } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import type { FeedEvent } from 'etn-market/feed'
import { followTrades } from 'etn-market/trades'
import { expect, test } from 'vitest'
import { createMachine } from '../feed/processes.ts'
import { MINUTE, read, SECOND, setupFeed, some, types } from '../feed/setup.ts'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
import { numbers, range, serveTrades } from './trade-list.ts'

const { BOLT, CORE } = fakeTokens

test('readers of one token share each request, at the shortest interval, and each yields every trade once', async () => {
  const { feed, clock, fake } = setupFeed()
  const list = serveTrades(fake, 30)
  const start = clock.now()
  const slow = read(followTrades(feed, { token: BOLT, everyMs: 5 * MINUTE }))
  const fast = read(followTrades(feed, { token: BOLT.toLowerCase(), everyMs: MINUTE }))
  const other = read(followTrades(feed, { token: CORE, everyMs: 60 * MINUTE }))
  for (let minute = 0; minute < 10; minute++) {
    await clock.advance(MINUTE)
    list.add(2)
  }
  await clock.advance(MINUTE)
  for (const { seen } of [slow, fast]) expect(numbers(seen)).toEqual(range(6, 50))
  expect(other.seen).toHaveLength(25)
  const ofBolt = fake.journal().filter(({ query }) => query.token === BOLT)
  expect(ofBolt.map(({ at }) => (at - start) / MINUTE)).toEqual(range(0, 11))
})

test('a later reader begins with what is known, without a purchase, if that is young enough for its interval', async () => {
  const { feed, clock, fake } = setupFeed()
  const list = serveTrades(fake, 30)
  read(followTrades(feed, { everyMs: 10 * MINUTE }))
  await clock.advance(4 * MINUTE)
  list.add(3)
  const patient = read(followTrades(feed, { everyMs: 5 * MINUTE }))
  await clock.advance(SECOND)
  fake.expectRequests(1)
  expect(numbers(patient.seen)).toEqual(range(6, 30))
  const hasty = read(followTrades(feed, { everyMs: 3 * MINUTE }))
  await clock.advance(SECOND)
  fake.expectRequests(2)
  expect(numbers(hasty.seen)).toEqual(range(9, 33))
  expect(numbers(patient.seen)).toEqual(range(6, 33))
})

test('a reader that leaves, aborts or does not read does not hold the others up, nor make them pay for its interval', async () => {
  const { feed, clock, fake } = setupFeed()
  const list = serveTrades(fake, 30)
  const idle = followTrades(feed, { everyMs: SECOND })[Symbol.asyncIterator]()
  await idle.next()
  const leaving = new AbortController()
  const gone = read(followTrades(feed, { everyMs: SECOND, signal: leaving.signal }))
  await flush()
  leaving.abort('enough')
  const { seen } = read(followTrades(feed, { everyMs: 10 * MINUTE }))
  await clock.advance(21 * MINUTE)
  expect(gone.end).toMatchObject({ state: 'rejected', error: 'enough' })
  fake.expectRequests(3)
  list.add(4)
  await clock.advance(10 * MINUTE)
  expect(numbers(seen)).toEqual(range(6, 34))
  // What came while it did not read is still there.
  const rest: Trade[] = []
  for (let index = 0; index < 28; index++) rest.push((await idle.next()).value as Trade)
  expect(numbers(rest)).toEqual(range(7, 34))
})

test('a reader that falls too far behind misses the oldest trades, and onGap reports it', async () => {
  const { feed, clock, fake, events } = setupFeed()
  const list = serveTrades(fake, 30)
  let gaps = 0
  const idle = followTrades(feed, { everyMs: MINUTE, onGap: () => void gaps++ })[Symbol.asyncIterator]()
  await idle.next()
  read(followTrades(feed, { everyMs: MINUTE }))
  for (let minute = 0; minute < 50; minute++) {
    list.add(20)
    await clock.advance(MINUTE)
  }
  await clock.advance(MINUTE)
  expect(gaps).toBeGreaterThan(0)
  expect(types(events)).toContain('feed.gap')
  const next = (await idle.next()).value as Trade
  expect(next.timestamp).toBe(1_030 - 999)
})

test('a reader that begins and aborts in the same turn costs nothing', async () => {
  const { feed, clock, fake } = setupFeed()
  const leaving = new AbortController()
  const { end } = read(followTrades(feed, { everyMs: MINUTE, signal: leaving.signal }))
  leaving.abort('enough')
  await clock.advance(MINUTE)
  expect(end).toMatchObject({ state: 'rejected', error: 'enough' })
  fake.expectRequests(0)
  expect(clock.pending).toBe(0)
})

test('asks for as many trades as are expected, and for a full page if there are more', async () => {
  const { feed, clock, fake } = setupFeed()
  const list = serveTrades(fake, 30)
  let gaps = 0
  const { seen } = read(followTrades(feed, { everyMs: 10 * SECOND, onGap: () => void gaps++ }))
  await clock.advance(SECOND)
  for (let minute = 0; minute < 20; minute++) {
    list.add(1)
    await clock.advance(10 * SECOND)
  }
  const limits = fake.journal().map(({ query }) => Number(query.limit))
  expect(limits[0]).toBe(25)
  expect(limits.at(-1)).toBeLessThan(10)
  expect(fake.charged()).toBeLessThan(21 * 380)
  list.add(20)
  await clock.advance(10 * SECOND)
  expect(
    fake
      .journal()
      .map(({ query }) => query.limit)
      .slice(-1),
  ).toEqual(['25'])
  fake.expectRequests(23)
  expect(numbers(seen)).toEqual(range(6, 70))
  expect(gaps).toBe(0)
})

test.each([
  ['an answer of another shape', { transform: () => ({ data: [{ hash: 7 }], cursor: null }) }],
  ['an answer that is not JSON', { malformed: true as const }],
  ['a body that is cut off', { truncate: 40 }],
])('%s that was paid for is reported, and the readers go on after the interval', async (_, fault) => {
  const { feed, fake, clock, events } = setupFeed({}, {}, { validate: 'strict' })
  const list = serveTrades(fake, 30)
  const start = clock.now()
  const one = read(followTrades(feed, { everyMs: 10 * MINUTE }))
  const other = read(followTrades(feed, { everyMs: 10 * MINUTE }))
  await clock.advance(MINUTE)
  fake.fault({ operation: 'trade.list', times: 3, ...fault })
  list.add(2)
  await clock.advance(45 * MINUTE)
  expect(types(events).filter((type) => type === 'feed.trades_failed')).toHaveLength(3)
  expect(events.find(({ type }) => type === 'feed.trades_failed')).toMatchObject({
    credits: expect.any(Number),
    retryAt: start + 20 * MINUTE,
  })
  expect(fake.journal().map(({ at }) => (at - start) / MINUTE)).toEqual([0, 10, 20, 30, 40])
  for (const { seen, end } of [one, other]) {
    expect(end.state).toBe('pending')
    expect(numbers(seen)).toEqual(range(6, 32))
  }
  await feed.close()
  expect(clock.pending).toBe(0)
})

test('trades that the service refuses alone hold no other request up', async () => {
  const { fake, feed, clock, events } = setupFeed()
  serveTrades(fake, 30)
  let prices = 0
  feed.watch([BOLT, CORE], { everyMs: MINUTE, onPrice: () => void prices++ })
  fake.fault({ operation: 'trade.list', times: 20, status: 402 })
  const { end } = read(followTrades(feed, { everyMs: MINUTE }))
  await clock.advance(10 * MINUTE)
  expect(prices).toBeGreaterThanOrEqual(20)
  expect(end.state).toBe('pending')
  expect(feed.status().state).toBe('running')
  expect(types(events).filter((type) => type === 'feed.trades_failed')).toHaveLength(1)
  await feed.close()
  expect(clock.pending).toBe(0)
})

test('answers that are lost are requested again at once only as far as smaller requests have paid for it', async () => {
  const { feed, clock, fake } = setupFeed()
  serveTrades(fake, 30)
  clock.randomValue = 0.5
  fake.fault({ operation: 'trade.list', reset: 'after', times: Number.POSITIVE_INFINITY })
  read(followTrades(feed, { everyMs: 10 * MINUTE }))
  await clock.advance(59 * MINUTE)
  expect(fake.charged()).toBeLessThanOrEqual(6 * 500 + 500)
})

test('trades are within the budget of the day, and a crash in the middle of a page counts', async () => {
  const { start, clock, fake } = createMachine({ latencyMs: SECOND })
  const budget = { creditsPerDay: 900 }
  const first = start({ budget })
  read(followTrades(first.feed, { everyMs: MINUTE }))
  await clock.advance(500)
  first.kill()
  const events: FeedEvent[] = []
  const second = start({ budget, onEvent: (event) => void events.push(event) })
  const { end } = read(followTrades(second.feed, { everyMs: MINUTE }))
  await clock.advance(10 * MINUTE)
  fake.expectCredits(500)
  expect(second.feed.status().spent).toBe(500)
  expect(events).toMatchObject([{ type: 'feed.trades_failed', code: 'budget_exceeded', credits: 0 }])
  expect(end.state).toBe('pending')
  const closing = watch(second.feed.close())
  await flush()
  expect(closing.state).toBe('resolved')
  expect(end.state).toBe('resolved')
  expect(clock.pending).toBe(0)
})

test('readers with names share the requests of their token, also where more than a hundred tokens are followed at once', async () => {
  const { start, clock, fake } = createMachine()
  fake.stub('trade.list', () => [])
  const { feed } = start()
  const tokens = some(102)
  for (const resumeAs of ['one', 'other']) {
    for (const token of tokens) read(followTrades(feed, { token, everyMs: MINUTE, resumeAs }))
    await clock.advance(SECOND)
  }
  await clock.advance(MINUTE)
  expect(fake.journal()).toHaveLength(2 * tokens.length)
})
