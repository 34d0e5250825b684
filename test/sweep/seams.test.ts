import { StateUnavailableError } from 'etn-market'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testProperty } from '../support/property.ts'
import { watch } from '../support/setup.ts'
import { listed, read, startService } from './sweeps.ts'

const PRICE = 50
/** Each answer takes 100 ms. */
const service = () => startService(100)

describe('maxCredits × one store × several clients', () => {
  test('is one limit, whichever client sweeps, and whichever operation', async () => {
    const { fake, open, whileTimePasses } = service()
    const store = new Map<string, string>()
    const clients = [open(), open(), open()]
    const options = { store, maxCredits: 500 }
    const sweepAll = () =>
      clients.map((client, index) => {
        const list = listed.slice(index * 20, index * 20 + 20)
        return read<unknown>(
          index === 2 ? client.token.get.many(list, options) : client.token.price.many(list, options),
        )
      })
    await whileTimePasses(Promise.all(sweepAll()))
    expect(fake.charged()).toBe(500)
    await whileTimePasses(Promise.all(sweepAll()))
    expect(fake.charged()).toBe(500)
  })

  test('counts what sweeps of an earlier version were charged', async () => {
    const { fake, open, whileTimePasses } = service()
    const window = { start: null, end: null, countsUntil: null, spent: 350, reserved: 0, uncertain: 50 }
    const entry = JSON.stringify({ v: 3, windowMs: null, windows: [window] })
    const store = new Map([['etn-market:sweep:1:ledger', entry]])
    const sweep = open().token.price.many(listed.slice(0, 5), { store, maxCredits: 500 })
    await whileTimePasses(read(sweep))
    expect(fake.charged()).toBe(100)
    expect(sweep.remaining).toHaveLength(3)
  })

  test('two sweeps of one list share what is in flight, and neither ends with the other', async () => {
    const { clock, fake, open, whileTimePasses } = service()
    const client = open()
    fake.fault({ operation: 'token.price', status: 429, headers: { 'retry-after': '20' }, nth: [3] })
    const list = listed.slice(0, 12)
    const left = client.token.price.many(list, { maxCredits: 5_000 })
    const first = (async () => {
      for await (const _ of left) if (fake.charged() >= 2 * PRICE) break
    })()
    const other = watch(read(client.token.price.many(list, { maxCredits: 10_000 })))
    const plain = watch(client.token.price(list[0] as { address: string }))
    await clock.advance(60_000)
    await whileTimePasses(first)
    await clock.advance(60_000)
    expect(other.value?.map(({ error }) => error)).toEqual(list.map(() => undefined))
    expect(plain.state).toBe('resolved')
    expect(fake.charged()).toBe(list.length * PRICE)
  })

  testProperty(
    'nothing above the limit is charged, every result is an answer, and what is left is in remaining',
    fc.asyncProperty(
      fc.array(
        fc.record({
          client: fc.nat({ max: 2 }),
          from: fc.nat({ max: 8 }),
          count: fc.integer({ min: 1, max: 8 }),
          after: fc.nat({ max: 1_000 }),
          leaveAfter: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
          hasStore: fc.boolean(),
        }),
        { minLength: 1, maxLength: 5 },
      ),
      fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
      fc.integer({ min: 0, max: 12 }),
      async (sweeps, faults, prices) => {
        const { clock, fake, open, whileTimePasses } = service()
        const maxCredits = prices * PRICE
        const store = new Map<string, string>()
        const clients = [open(), open(), open()]
        if (faults.length > 0) {
          const nth = faults.map((index) => index + 1)
          fake.fault({ operation: 'token.price', status: 429, headers: { 'retry-after': '3' }, nth })
        }
        const runs = sweeps.map(async ({ client, from, count, after, leaveAfter, hasStore }) => {
          await clock.sleep(after)
          const list = listed.slice(from, from + count)
          const options = hasStore ? { store, maxCredits } : { maxCredits }
          const sweep = (clients[client] as (typeof clients)[0]).token.price.many(list, options)
          let results = 0
          for await (const { error } of sweep) {
            expect(error).toBeUndefined()
            results++
            if (results === leaveAfter) break
          }
          expect(results + sweep.remaining.length).toBeLessThanOrEqual(list.length)
          if (leaveAfter === undefined) expect(results + sweep.remaining.length).toBe(list.length)
          return hasStore
        })
        const kinds = await whileTimePasses(Promise.all(runs))
        const limits = kinds.filter((hasStore) => !hasStore).length + (kinds.includes(true) ? 1 : 0)
        expect(fake.charged()).toBeLessThanOrEqual(limits * maxCredits)
        for (const client of clients) await client.close()
        expect(clock.pending).toBe(0)
      },
    ),
    { cases: 18 },
  )
})

describe('a store that never settles', () => {
  const never = () => new Promise<never>(() => {})
  /** A service that answers at once, a list to sweep, and a store that never answers. */
  const hanging = (get: () => unknown = never) => ({
    ...startService(),
    list: listed.slice(0, 20),
    store: { get, set: never },
  })

  test('ends a sweep after 5 s, with what is bought in hand', async () => {
    const { clock, fake, client, list, store } = hanging(() => undefined)
    const results: unknown[] = []
    const reading = watch(
      (async () => {
        for await (const { data } of client.token.price.many(list, { store })) results.push(data)
      })(),
    )
    await clock.advance(6_000)
    expect(reading.error).toBeInstanceOf(StateUnavailableError)
    expect(reading.error).toMatchObject({ code: 'state_unavailable', charge: 'charged', credits: fake.charged() })
    expect(results).toHaveLength(fake.charged() / PRICE)
    expect(results.length).toBeGreaterThan(0)
    expect(clock.pending).toBe(0)
  })

  test('ends it with an error that counts an answer which was charged, lost and could not be bought again', async () => {
    const { fake, client, collect } = startService()
    fake.fault({ truncate: 0.5 })
    const map = new Map<string, string>()
    const failing = {
      get: (key: string) => map.get(key),
      set: (key: string, value: string) => fake.charged() === 0 && map.set(key, value),
    }
    const error = await collect(client.token.price.many(listed.slice(0, 1), { store: failing, maxCredits: 500 })).catch(
      (reason) => reason,
    )
    expect(error).toMatchObject({ code: 'state_unavailable', charge: 'charged', credits: PRICE })
  })

  test('ends it with an unknown charge where that of one of its calls is unknown', async () => {
    const { fake, client, collect } = startService()
    const failing = { get: () => undefined, set: () => false }
    const [lost, kept] = listed
    fake.fault({ reset: 'after', when: ({ path }) => path.includes(lost?.address ?? ''), times: 3 })
    const error = await collect(client.token.price.many([lost, kept] as never, { store: failing })).catch(
      (reason) => reason,
    )
    expect(error).toMatchObject({ code: 'state_unavailable', charge: 'unknown', credits: PRICE })
    expect(fake.charged()).toBe(4 * PRICE)
  })

  test.each(['signal', 'close'])('does not outlive the %s', async (what) => {
    const { clock, fake, client, list, store } = hanging()
    const controller = new AbortController()
    const reading = watch(read(client.token.price.many(list, { store, signal: controller.signal })))
    await clock.advance(1_000)
    if (what === 'signal') controller.abort('over')
    else await client.close()
    await clock.advance(0)
    expect(reading.error).toEqual(what === 'signal' ? 'over' : expect.objectContaining({ code: 'client_closed' }))
    expect(fake.charged()).toBe(0)
    expect(clock.pending).toBe(0)
  })

  test('does not outlive the signal of a sweep that finishes what is sent, which then ends', async () => {
    const { clock, client, list, store } = hanging()
    const controller = new AbortController()
    const options = { store, signal: controller.signal, whenAborted: 'finish' } as const
    const reading = watch(read(client.token.price.many(list, options)))
    await clock.advance(1_000)
    controller.abort('over')
    await clock.advance(0)
    expect(reading.value).toEqual([])
  })
})
