import { createClient } from 'etn-market'
import { createFakeService, type FakeService } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { createRunningClock } from '../support/clock.ts'
import { listed, read, startService } from './sweeps.ts'

const LOCKS = 2_000
const addresses = (count: number) => listed.slice(0, count)

describe('a sweep ends when every further call must fail in the same way', () => {
  test.each([401, 402, 403])('%i', async (status) => {
    const fake = createFakeService({ clock: createRunningClock(), keys: { esk_live_key: { credits: 1_000_000 } } })
    const client = createClient({ apiKey: 'esk_live_key', fetch: fake.fetch })
    fake.fault({ operation: 'token.price', status, nth: Array.from({ length: 100 }, (_, index) => index + 3) })
    const list = addresses(60)
    const sweep = client.token.price.many(list, { concurrency: 2 })
    const results = await read(sweep)
    const failed = results.filter(({ error }) => error?.status === status)
    expect(failed.length).toBeGreaterThan(0)
    expect(fake.journal().length).toBeLessThanOrEqual(2 + 4)
    expect(sweep.remaining).toHaveLength(60 - results.length)
    await client.close()
  })
})

test.each([401, 402, 403])(
  "a front's %i says nothing about the key: it is not retried, and the sweep goes on",
  async (status) => {
    const fake = createFakeService({ clock: createRunningClock() })
    const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
    const transform = (() => ({ message: 'blocked' })) as never
    fake.fault({ operation: 'token.price', status, transform, nth: [2, 3] })
    const sweep = client.token.price.many(addresses(8), { concurrency: 1 })
    const results = await read(sweep)
    const failed = results.filter(({ error }) => error !== undefined)
    expect(failed.map(({ error }) => error)).toMatchObject([
      { code: 'front_error', status },
      { code: 'front_error', status },
    ])
    expect([results.length, sweep.remaining.length]).toEqual([8, 0])
    fake.expectRequests(8)
    await client.close()
  },
)

test('the error that ends a sweep has an unknown charge where a call of it succeeded after a lost attempt', async () => {
  const { fake, client, collect } = startService()
  fake.fault({ operation: 'token.price', reset: 'after', nth: 1 })
  const store = { get: () => undefined, set: () => Promise.reject(new Error('disk full')) }
  const error = await collect(client.token.price.many(addresses(1), { store })).catch((caught: unknown) => caught)
  expect(fake.charged()).toBe(100)
  expect(error).toMatchObject({ code: 'state_unavailable', charge: 'unknown', credits: 50 })
})

test('a sweep ends when its charges are written: a late write would replace those of the next one', async () => {
  const fake = createFakeService({ clock: createRunningClock() })
  const kept = new Map<string, string>()
  let isSlow = true
  const store = {
    get: (key: string) => kept.get(key),
    async set(key: string, value: string) {
      if (isSlow && value.includes(`"spent":${LOCKS}`)) await new Promise((resolve) => setTimeout(resolve, 80))
      kept.set(key, value)
    },
  }
  for (const { address } of addresses(3)) {
    const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
    await read(client.locks.get.many([{ address }], { store, maxCredits: 2 * LOCKS }))
    isSlow = false
    await client.close()
  }
  await new Promise((resolve) => setTimeout(resolve, 80))
  expect(kept.get('etn-market:sweep:1:ledger')).toContain(`"spent":${2 * LOCKS}`)
  expect(fake.charged()).toBe(2 * LOCKS)
})

describe("an abort with whenAborted: 'finish'", () => {
  async function abortDuring(prepare: (fake: FakeService) => void, afterMs: number) {
    const { clock, fake, client, mostInFlight } = startService(1_000)
    prepare(fake)
    const controller = new AbortController()
    const store = new Map<string, string>()
    const list = addresses(10)
    const sweep = client.locks.get.many(list, { store, signal: controller.signal, whenAborted: 'finish' })
    let endedAt = Number.POSITIVE_INFINITY
    const reading = read(sweep).finally(() => {
      endedAt = clock.now()
    })
    // Two heavy calls are in flight at most.
    await expect.poll(mostInFlight).toBe(2)
    await clock.advance(afterMs)
    controller.abort(new Error('Ctrl-C'))
    const abortedAt = clock.now()
    const sentBefore = fake.journal().length
    await clock.advance(100_000)
    const results = await reading
    await client.close()
    return { results, sweep, store, fake, sentBefore, tookMs: endedAt - abortedAt, pending: clock.pending }
  }

  test('waits for what is sent, and counts and stores it', async () => {
    const { results, sweep, store, fake } = await abortDuring(() => {}, 1_500)
    expect(results).toHaveLength(4)
    expect(fake.charged()).toBe(4 * LOCKS)
    expect(store.size).toBe(4)
    expect(sweep.remaining).toHaveLength(6)
  })

  test.each([503, 500])('does not try again what was sent and is answered with %i', async (status) => {
    const { results, sweep, fake, tookMs, pending } = await abortDuring((fake) => {
      fake.fault({ operation: 'locks.get', status, headers: { 'retry-after': '3' }, times: 2 })
    }, 500)
    // What was sent takes this long, and no cool-down comes on top.
    expect(tookMs).toBe(500)
    expect(fake.journal()).toHaveLength(2)
    expect(fake.charged()).toBe(0)
    expect(results).toEqual([])
    expect(sweep.remaining).toHaveLength(10)
    expect(pending).toBe(0)
  })

  test('sends nothing of what waits out a cool-down, and does not wait for it', async () => {
    const prepare = (fake: FakeService) => {
      fake.fault({
        operation: 'locks.get',
        status: 503,
        code: 'server_busy',
        headers: { 'retry-after': '30' },
        times: 2,
      })
    }
    const { results, sweep, fake, sentBefore, pending } = await abortDuring(prepare, 3_000)
    expect(fake.journal()).toHaveLength(sentBefore)
    expect(fake.charged()).toBe(0)
    expect(results).toEqual([])
    expect(sweep.remaining).toHaveLength(10)
    expect(pending).toBe(0)
  })
})

test('leaving the loop sends nothing of what waits out a cool-down', async () => {
  const { clock, fake, client } = startService()
  fake.fault({
    operation: 'locks.get',
    status: 503,
    code: 'server_busy',
    headers: { 'retry-after': '30' },
    nth: [2, 3],
  })
  const reading = (async () => {
    for await (const _ of client.locks.get.many(addresses(10))) break
  })()
  await expect.poll(() => fake.journal().length).toBeGreaterThan(0)
  await clock.advance(100_000)
  await reading
  expect(fake.charged()).toBe(LOCKS)
  await client.close()
})
