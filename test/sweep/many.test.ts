import {
  type BudgetStore,
  createClient,
  type EtnMarketError,
  StateUnavailableError,
  type SweepOptions,
} from 'etn-market'
import { type FaultEffects, fakeTokens } from 'etn-market/fake'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testProperty } from '../support/property.ts'
import { omitStacks } from '../support/short-stacks.ts'
import { listed, startService } from './sweeps.ts'

omitStacks()

const LOCKS_CREDITS = 2_000
const { BOLT, WETN } = fakeTokens

test('a sweep of forty heavy calls has every answer, two in flight at most, and reports how far it is', async () => {
  const { client, collect, fake, mostInFlight } = startService(1_000)
  const progress: Parameters<NonNullable<SweepOptions['onProgress']>>[0][] = []
  const sweep = client.locks.get.many(listed.slice(0, 40), { onProgress: (now) => void progress.push(now) })
  expect(fake.ledger()).toHaveLength(0)
  const results = await collect(sweep)
  expect(results.map(({ params }) => params.address).sort()).toEqual(
    listed
      .slice(0, 40)
      .map(({ address }) => address)
      .sort(),
  )
  for (const { data, error } of results) expect([Array.isArray(data), error]).toEqual([true, undefined])
  expect(fake.charged()).toBe(40 * LOCKS_CREDITS)
  expect(mostInFlight()).toBe(2)
  expect(progress).toHaveLength(40)
  expect(progress.at(19)).toMatchObject({ done: 20, failed: 0, total: 40, credits: 20 * LOCKS_CREDITS })
  expect(progress.at(19)?.etaMs).toBeGreaterThan(9_000)
  expect(progress.at(19)?.etaMs).toBeLessThan(11_000)
  expect(progress.at(-1)).toEqual({ done: 40, failed: 0, total: 40, credits: 80_000, etaMs: 0 })
  expect(sweep.remaining).toEqual([])
})

describe('with a store', () => {
  test('a sweep that was left buys only what is missing when it is run again', async () => {
    const { client, clock, collect, fake } = startService(100)
    const store = new Map<string, string>()
    const first = client.token.get.many(listed.slice(0, 12), { store })
    const leaving = (async () => {
      let read = 0
      for await (const _ of first) if (++read === 5) break
    })()
    await clock.advance(10_000)
    await leaving
    const bought = fake.ledger().length
    expect(bought).toBeGreaterThanOrEqual(5)
    expect(bought).toBeLessThan(12)
    expect(first.remaining).toHaveLength(12 - bought)

    const again = await collect(client.token.get.many(listed.slice(0, 12), { store }))
    expect(again.filter(({ stored }) => stored)).toHaveLength(bought)
    expect(again.every(({ params, data }) => data?.address === params.address)).toBe(true)
    expect(fake.charged()).toBe(12 * 100)
  })

  test('answers of every kind are kept, lists and batches with a token without a price too', async () => {
    const { client, collect } = startService()
    const store = new Map<string, string>()
    const sweeps = () => [
      client.locks.get.many([{ address: BOLT }], { store }),
      client.token.candles.many([{ address: BOLT, limit: 2 }], { store }),
      client.trade.list.many([{ limit: 2 }], { store }),
      client.balances.get.many([{ address: WETN }], { store }),
      client.nft.stats.many([{}], { store }),
      client.prices.batch.many([{ addresses: [BOLT, `0x${'1'.repeat(40)}`] }], { store }),
    ]
    for (const sweep of sweeps()) await collect(sweep as AsyncIterable<unknown>)
    const again: unknown[] = []
    for (const sweep of sweeps()) again.push(...(await collect(sweep as AsyncIterable<{ stored: boolean }>)))
    expect(again).toEqual(sweeps().map(() => expect.objectContaining({ stored: true })))
  })

  test('an entry that is no answer of the operation is bought again, and an answer against the contract is not kept', async () => {
    const { client, collect, fake } = startService()
    const store = new Map<string, string>()
    await collect(client.token.get.many(listed.slice(0, 3), { store }))
    const [one = '', other = ''] = store.keys()
    store.set(one, '{"data":{"address":1}}')
    store.set(other, 'not JSON')
    expect(
      (await collect(client.token.get.many(listed.slice(0, 3), { store }))).filter(({ stored }) => stored),
    ).toHaveLength(1)
    expect(fake.charged()).toBe(5 * 100)

    fake.stub('token.get', ({ data }) => ({ ...data, symbol: 5 }), { validate: false })
    store.clear()
    await collect(client.token.get.many(listed.slice(0, 3), { store }))
    expect(store.size).toBe(0)
  })

  test.each<[string, Partial<BudgetStore>, number]>([
    ['read', { get: () => Promise.reject(new Error('down')) }, 0],
    ['written', { set: () => Promise.reject(new Error('down')) }, 4],
  ])('that cannot be %s, the sweep ends with what was bought', async (what, broken, mostBought) => {
    const { client, collect, fake } = startService()
    const map = new Map<string, string>()
    const store = { get: (key: string) => map.get(key), set: map.set.bind(map), ...broken }
    const results: unknown[] = []
    const sweep = client.token.get.many(listed.slice(0, 20), { store })
    const reading = collect(
      (async function* () {
        for await (const result of sweep) yield results.push(result)
      })(),
    )
    await expect(reading).rejects.toThrow(StateUnavailableError)
    await expect(reading).rejects.toThrow(`could not be ${what}`)
    expect(fake.ledger().length).toBeLessThanOrEqual(mostBought)
    expect(results).toHaveLength(fake.ledger().length)
  })
})

testProperty(
  'under lost answers and refusals, the runs on one store are not charged more than maxCredits or buy a stored answer again',
  () => {
    const fault = fc.constantFrom<FaultEffects>(
      { reset: 'after' },
      { reset: 'before' },
      { status: 500 },
      { front: 'nginx' },
      { creditHeaders: 'missing' },
    )
    return fc.asyncProperty(
      fc.array(fc.record({ effects: fault, call: fc.nat(15) }), { maxLength: 6 }),
      fc.integer({ min: 0, max: 3_000 }),
      fc.integer({ min: 1, max: 6 }),
      async (faults, maxCredits, concurrency) => {
        const { client, collect, fake } = startService(50)
        for (const { effects, call } of faults) fake.fault({ ...effects, nth: call + 1 })
        const store = new Map<string, string>()
        const wanted = listed.slice(0, 12)
        let left: readonly { address: string }[] = wanted
        for (let run = 0; run < 2; run++) {
          const kept = [...store.keys()].filter((key) => !key.endsWith(':ledger')).length
          const sweep = client.token.get.many(wanted, { store, maxCredits, concurrency })
          const results = await collect(sweep)
          expect(fake.charged()).toBeLessThanOrEqual(maxCredits)
          expect(results.filter(({ stored }) => stored)).toHaveLength(kept)
          expect(results.length + sweep.remaining.length).toBe(wanted.length)
          left = sweep.remaining
        }
        for (const { address } of left) expect([...store.keys()].join()).not.toContain(address)
        await client.close()
      },
    )
  },
  { cases: 12 },
)

test('equal parameters are bought once, and each has its result', async () => {
  const { client, collect, fake } = startService()
  const list = [{ address: BOLT }, { address: WETN }, { address: BOLT.toLowerCase() }]
  const results = await collect(client.token.price.many(list))
  expect(results.map(({ params }) => params)).toEqual(expect.arrayContaining(list))
  expect(results).toHaveLength(3)
  expect(fake.charged()).toBe(100)
})

test('equal batches are bought once, and each has the addresses as it wrote them', async () => {
  const { client, collect, fake } = startService()
  const store = new Map<string, string>()
  const list = [{ addresses: [BOLT, WETN] }, { addresses: [WETN.toLowerCase(), BOLT.toLowerCase()] }]
  for (let run = 0; run < 2; run++) {
    const results = await collect(client.prices.batch.many(list, { store }))
    for (const { params, data = {} } of results) {
      expect(Object.keys(data)).toEqual(params.addresses)
      for (const price of Object.values(data)) expect(price?.usd).toEqual(expect.any(String))
    }
  }
  expect(fake.charged()).toBe(120)
})

test('a failure is a result, and the others go on', async () => {
  const { client, collect, fake } = startService()
  fake.fault({ operation: 'token.get', status: 500, nth: [2, 3] })
  const unknown = { address: `0x${'1'.repeat(40)}` }
  const results = await collect(client.token.get.many([unknown, ...listed.slice(0, 4)], { retry: false }))
  const failures = results.flatMap(({ error }) => error ?? []) as EtnMarketError[]
  expect(results).toHaveLength(5)
  expect(failures.map(({ name }) => name).sort()).toEqual(['NotFoundError', 'ServiceError', 'ServiceError'])
})

test.each(['its signal', 'its client'])('%s ends a sweep, and nothing is sent afterwards', async (ends) => {
  const { client, clock, collect, fake } = startService(1_000)
  const controller = new AbortController()
  const sweep = client.locks.get.many(listed.slice(0, 10), { signal: controller.signal })
  const reading = collect(sweep)
  reading.catch(() => {})
  await clock.advance(1_500)
  if (ends === 'its signal') controller.abort('enough')
  else await client.close()
  const reason = ends === 'its signal' ? 'enough' : expect.objectContaining({ code: 'client_closed' })
  await expect(reading).rejects.toEqual(reason)
  const sent = fake.journal().length
  await clock.advance(60_000)
  expect(fake.journal()).toHaveLength(sent)
  expect(sweep.remaining.length).toBeGreaterThan(5)
})

describe('before anything is sent, a sweep rejects', () => {
  test.each<[string, (client: ReturnType<typeof createClient>) => unknown, RegExp]>([
    [
      'parameters',
      ({ locks }) => locks.get.many([{ address: BOLT }, { address: '0x1' }]),
      /^params\[1\]: locks\.get: invalid address/,
    ],
    ['a list that is none', ({ locks }) => locks.get.many('all' as never), /^Invalid params/],
    ['maxCredits', ({ locks }) => locks.get.many([], { maxCredits: -1 }), /^Invalid maxCredits/],
    ['concurrency', ({ locks }) => locks.get.many([], { concurrency: 0 }), /^Invalid concurrency/],
    ['a store', ({ locks }) => locks.get.many([], { store: {} as never }), /^Invalid store/],
    ['onProgress', ({ locks }) => locks.get.many([], { onProgress: 1 as never }), /^Invalid onProgress/],
    ['a misspelt option', ({ locks }) => locks.get.many([], { maxCredit: 1 } as never), /Unknown option "maxCredit"/],
    ['an option of a call', ({ locks }) => locks.get.many([], { timeoutMs: 0 }), /^Invalid timeoutMs/],
  ])('%s', (_, call, message) => {
    expect(() => call(createClient({ apiKey: 'esk_test_sweep' }))).toThrow(message)
  })
})
