import { watchCandles } from 'etn-market/candles'
import { fakeTokens } from 'etn-market/fake'
import { watchPortfolio } from 'etn-market/portfolio'
import { followTrades } from 'etn-market/trades'
import { expect, test } from 'vitest'
import { flush } from '../support/clock.ts'
import { serveTrades } from '../trades/trade-list.ts'
import { DAY, MINUTE, read, recordWatch, SECOND, setupFeed, some, toMidnight } from './setup.ts'

const { BOLT, CORE } = fakeTokens

test('the plan matches the requests and charges that follow', async () => {
  const { feed, fake, clock } = setupFeed()
  recordWatch(feed, some(14), 5 * MINUTE)
  await clock.advance(2 * MINUTE)
  recordWatch(feed, some(9, 10), 10 * MINUTE)
  recordWatch(feed, some(1, 30), 7 * MINUTE)
  await clock.advance(30 * MINUTE)
  const { calls, cost, onePerConsumer, stretch } = feed.explain({ calls: 20 })
  expect(calls).toHaveLength(20)
  expect(stretch).toBe(1)
  const before = fake.charged()
  const sent = fake.journal().length
  const last = calls.at(-1)
  await clock.advance((last?.at ?? 0) - clock.now())
  expect(fake.charged() - before).toBe(calls.reduce((sum, { credits }) => sum + credits, 0))
  expect(fake.journal().length - sent).toBe(calls.reduce((sum, { requests }) => sum + requests, 0))
  const charged = fake.charged()
  await clock.advance(DAY / 4)
  expect((fake.charged() - charged) / (cost.creditsPerDay / 4)).toBeCloseTo(1, 1)
  expect(onePerConsumer).toEqual({
    creditsPerDay: expect.closeTo(288 * 240 + 144 * 190 + (1_440 / 7) * 50, 3),
    usdPerDay: expect.closeTo(0.106_766, 4),
    requestsPerDay: expect.closeTo(288 + 144 + 1_440 / 7, 3),
    creditsPer30Days: expect.closeTo(30 * (288 * 240 + 144 * 190 + (1_440 / 7) * 50), 3),
    usdPer30Days: expect.closeTo(30 * 0.106_766, 3),
  })
  expect(cost.creditsPerDay).toBeLessThan(onePerConsumer.creditsPerDay)
})

test.each([100, 900, 2_000, 4_500, 5_100, 6_500, 8_000, 9_000])(
  'the plan costs what is charged, within one percent, with answers of %d ms for an interval of 10 s',
  async (latencyMs) => {
    const { feed, fake, clock } = setupFeed({}, { latencyMs })
    recordWatch(feed, some(10), 10 * SECOND)
    // The first answer shows how long they take.
    await clock.advance(MINUTE)
    const { cost, calls } = feed.explain({ calls: 5 })
    expect(feed.status().creditsPerDay).toBe(Math.round(cost.creditsPerDay))
    const sent = fake.journal().length
    const charged = fake.charged()
    await clock.advance(DAY / 96)
    const planned = cost.creditsPerDay / 96
    expect(Math.abs(fake.charged() - charged - planned)).toBeLessThanOrEqual(0.01 * planned + 50)
    const times = fake.journal().slice(sent, sent + calls.length)
    expect(times.map(({ at }) => at)).toEqual(calls.map(({ at }) => at))
  },
)

test('the plan costs what is charged, within two percent, where an answer takes longer than one of several intervals', async () => {
  const { feed, fake, clock } = setupFeed({}, { latencyMs: 9 * SECOND })
  recordWatch(feed, some(20), 5 * SECOND)
  recordWatch(feed, some(6, 20), 30 * SECOND)
  await clock.advance(5 * MINUTE)
  const charged = fake.charged()
  const planned = feed.explain().cost.creditsPerDay / 96
  await clock.advance(DAY / 96)
  expect(Math.abs(fake.charged() - charged - planned)).toBeLessThanOrEqual(0.02 * planned)
})

test('others do not wait for an answer that does not come until they are too old', async () => {
  const { feed, fake, clock } = setupFeed({}, { latencyMs: 9 * SECOND })
  recordWatch(feed, some(20), 5 * SECOND)
  const { prices } = recordWatch(feed, some(6, 20), 40 * SECOND)
  await clock.advance(5 * MINUTE)
  const isOfTwenty = ({ query }: { query: Record<string, string> }) => query.addresses?.split(',').length === 20
  fake.fault({ when: isOfTwenty, times: 3, delayMs: 10 * MINUTE })
  const from = clock.now()
  await clock.advance(5 * MINUTE)
  const times = [...new Set(prices.filter(({ at }) => at >= from).map(({ at }) => at))]
  for (const [index, at] of times.entries()) expect(at - (times[index - 1] ?? from)).toBeLessThanOrEqual(40 * SECOND)
  expect(times.length).toBeGreaterThan(5)
})

test.each([100, 5_100, 8_000])(
  'the plan costs what is charged, within one percent, where a budget is too small and answers take %d ms',
  async (latencyMs) => {
    const creditsPerDay = 1_000_000
    const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay } }, { latencyMs })
    await toMidnight(clock)
    recordWatch(feed, some(10), 10 * SECOND)
    await clock.advance(DAY / 24)
    expect(feed.explain().cost.creditsPerDay / creditsPerDay).toBeCloseTo(1, 2)
    expect(feed.status().projected / creditsPerDay).toBeCloseTo(1, 2)
    expect((fake.charged() * 24) / creditsPerDay).toBeCloseTo(1, 2)
  },
)

test('the plan costs what is charged, within 15 percent, where answers take 6 or 8 s; a single slow answer does not change it', async () => {
  const { feed, fake, clock } = setupFeed({}, { latencyMs: 6 * SECOND })
  const fault = fake.fault({ probability: 0.5, delayMs: 2 * SECOND })
  recordWatch(feed, some(10), 10 * SECOND)
  const plans: number[] = []
  for (let minute = 0; minute < 40; minute++) {
    await clock.advance(MINUTE)
    plans.push(feed.explain().cost.creditsPerDay / 1_440)
  }
  const planned = plans.reduce((sum, credits) => sum + credits, 0)
  expect(Math.abs(fake.charged() / planned - 1)).toBeLessThan(0.15)
  fault.remove()
  await clock.advance(2 * MINUTE)
  const before = feed.explain().cost.creditsPerDay
  fake.fault({ times: 1, delayMs: 6 * SECOND })
  await clock.advance(20 * SECOND)
  expect(feed.explain().cost.creditsPerDay).toBe(before)
})

test('the plan names what candle watches and portfolios request besides prices, once for all readers', async () => {
  const [wallet = ''] = some(1, 900)
  const world = { balances: { [wallet]: { [BOLT]: '5', [CORE]: '7' } } }
  const { feed, clock, fake } = setupFeed({}, { world })
  const readers = [
    watchCandles(feed, BOLT, { bucket: '15m', everyMs: 5 * MINUTE, limit: 50 }),
    watchCandles(feed, BOLT, { bucket: '15m', everyMs: 20 * MINUTE, limit: 50 }),
    watchPortfolio(feed, wallet, { everyMs: 5 * MINUTE, balancesEveryMs: 30 * MINUTE }),
  ].map((one) => one[Symbol.asyncIterator]())
  for (const reader of readers) void reader.next()
  await clock.advance(MINUTE)
  const { others } = feed.explain()
  expect(others.map(({ operation, address }) => [operation, address])).toEqual([
    ['token.candles', BOLT],
    ['balances.get', wallet],
  ])
  const [candles, balances] = others
  expect(candles?.cost.requestsPerDay).toBe(288)
  expect(balances?.cost).toMatchObject({ requestsPerDay: 48, creditsPerDay: 48 * 820 })
  expect(balances?.unstretched).toEqual(balances?.cost)
  const chargedFor = (operation: string) =>
    fake.ledger().reduce((sum, charge) => sum + (charge.operation === operation ? charge.credits : 0), 0)
  const before = { candles: chargedFor('token.candles'), balances: chargedFor('balances.get') }
  await clock.advance(DAY / 6)
  expect((chargedFor('token.candles') - before.candles) / ((candles?.cost.creditsPerDay ?? 0) / 6)).toBeCloseTo(1, 2)
  expect(chargedFor('balances.get') - before.balances).toBe((balances?.cost.creditsPerDay ?? 0) / 6)
  for (const reader of readers) await reader.return?.()
  await flush()
  expect(feed.explain().others).toEqual([])
})

test('the plan names the trades that readers wait for, once for all readers of a token', async () => {
  const { feed, clock, fake } = setupFeed()
  const { add } = serveTrades(fake, 100)
  const readers = [
    followTrades(feed, { token: BOLT, everyMs: 5 * MINUTE }),
    followTrades(feed, { token: BOLT, everyMs: 20 * MINUTE }),
    followTrades(feed, { everyMs: 10 * MINUTE }),
  ]
  expect(feed.explain().others).toEqual([])
  const ends = readers.map((reader) => read(reader).end)
  /** Three trades in each five minutes. */
  const passHours = async (hours: number) => {
    for (let minute = 0; minute < 60 * hours; minute += 5) {
      add(3)
      await clock.advance(5 * MINUTE)
    }
  }
  await flush()
  // Without a known rate, a full page.
  expect(feed.explain().others.map(({ cost }) => cost.creditsPerDay)).toEqual([288 * 500, 144 * 500])
  await passHours(1)
  const { others } = feed.explain()
  expect(others.map(({ operation, address }) => [operation, address])).toEqual([
    ['trade.list', BOLT],
    ['trade.list', undefined],
  ])
  expect(others.map(({ cost }) => cost.requestsPerDay)).toEqual([288, 144])
  expect(others[0]?.unstretched).toEqual(others[0]?.cost)
  const before = fake.charged()
  await passHours(4)
  const planned = others.reduce((sum, { cost }) => sum + cost.creditsPerDay, 0)
  expect((fake.charged() - before) / (planned / 6)).toBeCloseTo(1, 1)
  await feed.close()
  expect(ends.map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved'])
  expect(feed.explain().others).toEqual([])
})

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null])('refuses to plan %j calls', (calls) => {
  const { feed } = setupFeed()
  recordWatch(feed, BOLT, MINUTE)
  expect(() => feed.explain({ calls: calls as number })).toThrow('Invalid calls: ')
  expect(feed.explain({ calls: 0 }).calls).toEqual([])
})

test('the plan is empty without a watch', () => {
  const { feed } = setupFeed()
  const nothing = { creditsPerDay: 0, usdPerDay: 0, requestsPerDay: 0, creditsPer30Days: 0, usdPer30Days: 0 }
  const costs = { cost: nothing, onePerConsumer: nothing }
  expect(feed.explain()).toEqual({
    calls: [],
    stretch: 1,
    atLeastStretch: 1,
    timetable: [],
    ...costs,
    unstretched: costs,
    others: [],
  })
})
