import { createClient, type PlannedCall, planCredits } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { creditsFor } from '../../src/credits/cheapest-requests.ts'
import { testProperty } from '../support/property.ts'
import { addresses } from '../support/setup.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const tokens = addresses(60)
const [token = ''] = tokens

const price = (address: string, every: `${number}m`): PlannedCall => ({
  operation: 'token.price',
  params: { address },
  every,
})
const batch = (count: number, every: `${number}m`): PlannedCall => ({
  operation: 'prices.batch',
  params: { addresses: tokens.slice(0, count) },
  every,
})

describe('a plan', () => {
  test('has the cost of a day and of 30 days, at most and at least, and how long the balance lasts', () => {
    const plan = planCredits([{ operation: 'token.list', params: { limit: 20 }, every: '1h' }], {
      balance: 48_000,
      creditsPerDay: 2_400,
    })
    const spending = {
      creditsPerDay: 4_800,
      usdPerDay: 0.0048,
      creditsPer30Days: 144_000,
      usdPer30Days: 0.144,
      minCreditsPerDay: 2_400,
      minUsdPerDay: 0.0024,
      minCreditsPer30Days: 72_000,
      minUsdPer30Days: 0.072,
      requestsPerDay: 24,
    }
    const { calls, advice, ...rest } = plan
    expect(rest).toEqual({ ...spending, daysUntilEmpty: 10, stretch: 2 })
    expect(calls).toEqual([
      {
        operation: 'token.list',
        everyMs: HOUR_MS,
        activeHours: 24,
        credits: 200,
        minCredits: 100,
        ...spending,
        share: 1,
        affordableEveryMs: 2 * HOUR_MS,
      },
    ])
    expect(advice.map(({ kind }) => kind)).toEqual(['over-limit'])
  })

  test('counts every request of a batch, the hours of the day, and the share of each call', () => {
    const plan = planCredits([
      { ...batch(60, '60m'), activeHours: 6 },
      { operation: 'farm.list', everyMs: DAY_MS },
      { operation: 'account.me', every: '1d' },
    ])
    expect(plan.calls.map(({ creditsPerDay, requestsPerDay }) => [creditsPerDay, requestsPerDay])).toEqual([
      [6 * 800, 12],
      [3_000, 1],
      [0, 1],
    ])
    expect(plan.calls.map(({ share }) => share)).toEqual([4_800 / 7_800, 3_000 / 7_800, 0])
    expect([plan.daysUntilEmpty, plan.stretch]).toEqual([undefined, undefined])
  })

  test.each([
    [6, 9, 2],
    [24, 12, 1],
    [48, 12, 0.5],
    [20, 12, 1],
    [1, 7.5, 8],
  ])('of a call every %d hours in %d hours of the day has %d calls a day', (hours, activeHours, calls) => {
    const plan = planCredits([{ operation: 'etn.price', everyMs: hours * HOUR_MS, activeHours }])
    expect(plan.requestsPerDay).toBe(calls)
  })

  test('that fits is not stretched, and one that costs nothing never ends', () => {
    const options = { balance: 5, creditsPerDay: 5 }
    expect(planCredits([{ operation: 'account.me', everyMs: HOUR_MS }], options)).toMatchObject({
      daysUntilEmpty: Number.POSITIVE_INFINITY,
      stretch: 1,
      calls: [{ affordableEveryMs: HOUR_MS, share: 0 }],
      advice: [],
    })
    expect(planCredits([])).toMatchObject({ creditsPerDay: 0, usdPerDay: 0, requestsPerDay: 0, calls: [], advice: [] })
  })

  test('costs what the service charges when it is carried out', async () => {
    const address = fakeTokens.BOLT
    const params = { addresses: tokens.slice(0, 14) }
    const { creditsPerDay } = planCredits([
      { operation: 'token.price', params: { address }, every: '10m' },
      { operation: 'prices.batch', params, every: '30m', activeHours: 12 },
    ])
    const fake = createFakeService()
    const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
    for (let turn = 0; turn < 24 * 6; turn++) await client.token.price({ address })
    for (let turn = 0; turn < 12 * 2; turn++) await client.prices.batch(params)
    expect(fake.charged()).toBe(creditsPerDay)
    await client.close()
  })
})

test.each([
  ['90s', 90_000],
  ['5m', 300_000],
  ['0.5h', 1_800_000],
  ['1d', DAY_MS],
] as const)('reads the interval %s', (every, everyMs) => {
  expect(planCredits([{ operation: 'etn.price', every }]).calls[0]?.everyMs).toBe(everyMs)
})

describe('rejects, with the position of the call,', () => {
  test.each(['5', '5 m', '-1m', '0s', 'm', '1w', '', '1e3s', null, 5])('the duration %j', (every) => {
    const calls = [price(token, '5m'), { operation: 'etn.price', every } as unknown as PlannedCall]
    expect(() => planCredits(calls)).toThrow(/^Invalid calls\[1\]\.every: .*'30s', '5m', '1h' or '1d'/)
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '60000', undefined, null])('the interval %j', (everyMs) => {
    const calls = [{ operation: 'etn.price', everyMs } as PlannedCall]
    expect(() => planCredits(calls)).toThrow(/^Invalid calls\[0\]\.everyMs/)
  })

  test.each([0, 25, -1, '8', Number.NaN])('%j active hours', (activeHours) => {
    const call = { operation: 'etn.price', every: '1h', activeHours } as PlannedCall
    expect(() => planCredits([call])).toThrow(/^Invalid calls\[0\]\.activeHours/)
  })

  test.each([
    [{ operation: 'etn.price', every: '1h', everyMs: 1 }, /calls\[0\]\.everyMs/],
    [{ operation: 'etn.price', evry: '1h' }, /Unknown field of calls\[0\] "evry"/],
    [{ operation: 'token.prise', every: '1h' }, /Unknown operation "token.prise"/],
    [{ operation: 'token.list', params: { limit: 101 }, every: '1h' }, /token\.list: invalid limit/],
    [null, /calls\[0\]/],
  ])('%j', (call, message) => {
    expect(() => planCredits([call as unknown as PlannedCall])).toThrow(message)
  })

  test.each([0, -1, Number.NaN, '5', null])('%j credits', (credits) => {
    expect(() => planCredits([], { balance: credits as number })).toThrow(/^Invalid balance/)
    expect(() => planCredits([], { creditsPerDay: credits as number })).toThrow(/^Invalid creditsPerDay/)
  })
})

describe('advises', () => {
  const adviceOf = (calls: PlannedCall[], creditsPerDay?: number) =>
    planCredits(calls, { creditsPerDay }).advice.map(({ message }) => message)

  test('one batch in place of many single prices', () => {
    expect(adviceOf(tokens.slice(0, 14).map((address) => price(address, '5m')))).toEqual([
      '14 token.price every 5m: 201,600 credits a day; one prices.batch of 14 addresses every 5m: 69,120.',
    ])
  })

  test('single prices in place of a batch of two, also beside a full batch', () => {
    expect(adviceOf([batch(2, '5m')])).toEqual([
      '1 prices.batch every 5m: 34,560 credits a day; 2 token.price every 5m: 28,800.',
    ])
    expect(adviceOf([batch(51, '60m')])).toEqual([
      '1 prices.batch every 1h: 17,040 credits a day; one prices.batch of 50 addresses and 1 token.price every 1h: 15,600.',
    ])
  })

  test('one batch at the shortest interval where that costs less than each interval alone', () => {
    expect(adviceOf([batch(10, '5m'), price(tokens[20] ?? '', '6m')])).toEqual([
      '1 prices.batch and 1 token.price at 2 intervals: 69,600 credits a day; one prices.batch of 11 addresses every 5m: 60,480.',
    ])
    expect(adviceOf([batch(10, '5m'), price(tokens[20] ?? '', '60m')])).toEqual([])
  })

  test('nft.stats in place of the floor prices of collections', () => {
    const calls = tokens
      .slice(0, 3)
      .map((address): PlannedCall => ({ operation: 'nft.collection', params: { address }, every: '1h' }))
    expect(adviceOf(calls)).toEqual([
      '3 nft.collection every 1h: 36,000 credits a day; one nft.stats every 1h, which has the floor price, owners and listings of all collections but no volume: 600.',
    ])
  })

  test('against an equal call, with longer intervals beyond the limit, and the largest saving first', () => {
    const calls: PlannedCall[] = [
      { operation: 'token.list', params: { limit: 20 }, every: '1h' },
      { operation: 'token.list', params: { limit: 20 }, every: '2h' },
    ]
    expect(adviceOf(calls, 2_400)).toEqual([
      'Whole plan: 7,200 credits a day, above the limit of 2,400; intervals 3 times as long fit.',
      '2 token.list at 2 intervals: 7,200 credits a day; the parameters are equal, and the one every 1h alone: 4,800.',
    ])
  })

  testProperty(
    'nothing that costs more, in any plan of prices',
    () => {
      const line = fc.record({ count: fc.integer({ min: 1, max: 60 }), minutes: fc.integer({ min: 1, max: 60 }) })
      return fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
        const calls = lines.map(({ count, minutes }) =>
          count === 1 ? price(token, `${minutes}m`) : batch(count, `${minutes}m`),
        )
        const plan = planCredits(calls)
        // All prices at the shortest interval: no advice may cost more than that.
        const fastest = Math.min(...lines.map(({ minutes }) => minutes))
        const together = (creditsFor(Math.max(...lines.map(({ count }) => count))) * DAY_MS) / (fastest * MINUTE_MS)
        const saved = plan.advice.reduce((sum, one) => sum + one.creditsPerDay - one.insteadCreditsPerDay, 0)
        for (const one of plan.advice) expect(one.insteadCreditsPerDay).toBeLessThan(one.creditsPerDay)
        expect(plan.creditsPerDay - saved).toBeLessThanOrEqual(Math.min(plan.creditsPerDay, together) + 1e-6)
      })
    },
    { cases: 40 },
  )
})
