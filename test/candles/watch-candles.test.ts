import { type Candle, createClient, InvalidRequestError } from 'etn-market'
import { watchCandles } from 'etn-market/candles'
import { createFakeService, type FaultEffects, fakeTokens } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, MINUTE, read, SECOND, setupFeed, some, toMidnight, types } from '../feed/setup.ts'
import { createVirtualClock, flush } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
import { testProperty } from '../support/property.ts'
import { createRandom } from '../support/random.ts'
import { watch } from '../support/setup.ts'
import { createStore } from '../support/store.ts'

const { BOLT, CORE } = fakeTokens
const LENGTH = { '1m': 60, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const
const HOUR = 60 * MINUTE

const items = (fake: ReturnType<typeof createFakeService>) => fake.ledger().map((charge) => charge.items)

describe('watchCandles', () => {
  test('requests the whole series once, and later only what is missing and the open candle', async () => {
    const { feed, clock, fake, client } = setupFeed()
    const { seen } = read(watchCandles(feed, BOLT, { bucket: '15m', everyMs: 5 * MINUTE, limit: 50 }))
    await clock.advance(HOUR)
    // At 0, 15, 30, 45 and 60 minutes a bucket has ended.
    expect(items(fake)).toEqual([50, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2])
    fake.expectCredits(13 * 100 + 50 + 8 + 8)
    const expected = await client.token.candles({ address: BOLT, bucket: '15m', limit: 50 })
    expect(seen.at(-1)).toEqual(expected)
    expect(seen).toHaveLength(13)
    for (const candles of seen) expect(candles).toHaveLength(50)
  })

  test('counts what it buys where nothing else loads the budget of a store', async () => {
    const { store } = createStore()
    const { feed, clock, fake } = setupFeed({ store, budget: { creditsPerDay: 3_000 } })
    read(watchCandles(feed, BOLT, { bucket: '15m', everyMs: 15 * MINUTE, limit: 50 }))
    await clock.advance(HOUR)
    expect(fake.charged()).toBeGreaterThan(0)
    expect(feed.status().spent).toBe(fake.charged())
  })

  test('requests a page at most after a long time, and in the requested currency', async () => {
    const { feed, clock, fake, client } = setupFeed()
    const { seen } = read(watchCandles(feed, BOLT, { bucket: '1m', everyMs: DAY, limit: 30, currency: 'ETN' }))
    await clock.advance(2 * DAY)
    expect(items(fake)).toEqual([30, 30, 30])
    expect(seen.at(-1)).toEqual(await client.token.candles({ address: BOLT, bucket: '1m', limit: 30, currency: 'ETN' }))
  })

  test('continues after a restart with the store, and yields a fresh series at once and for free', async () => {
    const { store, kept } = createStore()
    const { feed, another, clock, fake } = setupFeed({ store })
    const one = read(watchCandles(feed, BOLT, { bucket: '1h', everyMs: 10 * MINUTE }))
    await clock.advance(SECOND)
    await feed.close()
    expect(kept.size).toBe(1)
    await clock.advance(MINUTE)
    const second = another({ store })
    const two = read(watchCandles(second, BOLT, { bucket: '1h', everyMs: 10 * MINUTE }))
    await flush()
    expect(two.seen).toEqual(one.seen)
    await clock.advance(9 * MINUTE)
    expect(items(fake)).toEqual([100, 1])
    await second.close()
    await clock.advance(3 * HOUR)
    read(watchCandles(another({ store }), BOLT, { bucket: '1h', everyMs: 10 * MINUTE }))
    await flush()
    expect(items(fake)).toEqual([100, 1, 4])
  })

  test.each<[string, (entry: Record<string, unknown>) => unknown]>([
    ['another address', (entry) => ({ ...entry, address: CORE })],
    ['another bucket', (entry) => ({ ...entry, bucket: '1m' })],
    ['a candle without a price', (entry) => ({ ...entry, candles: [{ time: 1 }] })],
    ['another order', (entry) => ({ ...entry, candles: (entry.candles as unknown[]).toReversed() })],
    ['a time in the future', (entry) => ({ ...entry, at: (entry.at as number) + DAY })],
    ['the end of another series', (entry) => ({ ...entry, finalUntil: 1 })],
    ['no object', () => 7],
  ])('ignores a stored series with %s', async (_, change) => {
    const { store, kept } = createStore()
    const { feed, another, clock, fake, events } = setupFeed({ store })
    read(watchCandles(feed, BOLT, { bucket: '1h', everyMs: 10 * MINUTE }))
    await clock.advance(SECOND)
    await feed.close()
    const [key = '', entry = ''] = [...kept][0] ?? []
    kept.set(key, JSON.stringify(change(JSON.parse(entry))))
    read(watchCandles(another({ store }), BOLT, { bucket: '1h', everyMs: 10 * MINUTE }))
    await flush()
    expect(items(fake)).toEqual([100, 100])
    expect(types(events)).toContain('feed.store_failed')
  })

  test('several readers share each request, and each gets the number of candles it wants', async () => {
    const { feed, clock, fake } = setupFeed()
    const small = read(watchCandles(feed, BOLT, { bucket: '15m', everyMs: 5 * MINUTE, limit: 10 }))
    await clock.advance(MINUTE)
    const large = read(watchCandles(feed, BOLT, { bucket: '15m', everyMs: 5 * MINUTE, limit: 40 }))
    await clock.advance(HOUR)
    expect(items(fake).slice(0, 2)).toEqual([10, 40])
    expect(fake.ledger()).toHaveLength(14)
    expect(small.seen.at(-1)).toEqual(large.seen.at(-1)?.slice(-10))
    expect(large.seen.at(-1)).toHaveLength(40)
  })

  test('reports a failure once, asks for what was missed, and does not hold up prices', async () => {
    const { feed, clock, fake, events } = setupFeed()
    clock.randomValue = 0.5
    const { seen } = read(watchCandles(feed, BOLT, { bucket: '1m', everyMs: MINUTE, limit: 60 }))
    await clock.advance(SECOND)
    const broken = fake.fault({ operation: 'token.candles', status: 500, times: Number.POSITIVE_INFINITY })
    await clock.advance(10 * MINUTE)
    expect(events.filter(({ type }) => type === 'feed.watch_failed')).toMatchObject([{ addresses: [BOLT] }])
    const price = watch(feed.price(BOLT))
    await clock.advance(SECOND)
    expect(price.state).toBe('resolved')
    expect(types(events)).not.toContain('feed.waiting')
    broken.remove()
    await clock.advance(10 * SECOND)
    expect(seen).toHaveLength(2)
    expect(fake.ledger({ operation: 'token.candles' }).map((charge) => charge.items)).toEqual([60, 11])
  })

  test('stays within the budget of the feed', async () => {
    const { feed, clock, fake } = setupFeed({ budget: { creditsPerDay: 2_000 } })
    await toMidnight(clock)
    read(watchCandles(feed, BOLT, { bucket: '1m', everyMs: MINUTE }))
    await clock.advance(DAY - MINUTE)
    expect(fake.charged()).toBeGreaterThan(1_500)
    expect(fake.charged()).toBeLessThanOrEqual(2_000)
    expect(feed.status().spent).toBe(fake.charged())
  })

  test('names its own operation where the address is none', () => {
    expect(() => watchCandles(setupFeed().feed, '0x', { bucket: '1h', everyMs: MINUTE })).toThrow(/^token\.candles: /)
  })

  test('rejects if the token is unknown', async () => {
    const { feed } = setupFeed()
    const [unknown = ''] = some(1)
    const { end } = read(watchCandles(feed, unknown, { bucket: '1m', everyMs: MINUTE }))
    await flush()
    expect(end).toMatchObject({ state: 'rejected', error: { name: 'NotFoundError' } })
    expect(feed.status().state).toBe('idle')
  })

  test.each([
    [BOLT, { bucket: '1m', everyMs: 0 }],
    [BOLT, { bucket: '5m', everyMs: 5 }],
    [BOLT, { everyMs: 5 }],
    [BOLT, { bucket: '1m', everyMs: 5, limit: 501 }],
    [BOLT, { bucket: '1m', everyMs: 5, size: 3 }],
    ['0x1', { bucket: '1m', everyMs: 5 }],
  ])('rejects %s with the options %j', (address, options) => {
    const { feed, fake } = setupFeed()
    expect(() => watchCandles(feed, address, options as never)).toThrow(InvalidRequestError)
    fake.expectRequests(0)
  })
})

const candle = (time: number): Candle => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 0, count: 1 })

describe('a service that leaves out empty buckets, the open one included', () => {
  test.each(['counts candles', 'counts buckets'])('and %s: no candle is missing or bought again', async (counts) => {
    const { feed, clock, fake } = setupFeed()
    const start = Math.floor(clock.now() / 1_000 / 60) * 60
    const isTraded = (time: number) => (time / 60) % 7 === 0 || (time / 60) % 11 === 0
    const all = () => {
      const newest = Math.floor(fake.now() / 60_000) * 60
      const times = Array.from({ length: 600 }, (_, n) => newest - n * 60).reverse()
      return { newest, candles: times.filter(isTraded).map(candle) }
    }
    fake.stub('token.candles', ({ params }) => {
      const { newest, candles } = all()
      const limit = Number(params.limit)
      return counts === 'counts candles'
        ? candles.slice(-limit)
        : candles.filter(({ time }) => time > newest - limit * 60)
    })
    const { seen } = read(watchCandles(feed, BOLT, { bucket: '1m', everyMs: 3 * MINUTE, limit: 100 }))
    await clock.advance(2 * HOUR)
    const newest = seen.at(-1) ?? []
    const from = counts === 'counts candles' ? 0 : start - 99 * 60
    expect(newest).toEqual(
      all()
        .candles.filter(({ time }) => time >= from)
        .slice(-100),
    )
    // The clock starts at the end of a bucket, when the service may still be counting its trades.
    for (const charge of fake.ledger().slice(1)) expect(charge.items).toBeLessThanOrEqual(5)
  })
})

test('a bucket that ends while the request is on its way makes no gap, and costs a second request once', async () => {
  const { feed, clock, fake } = setupFeed()
  clock.jump(59_900)
  const same = createFakeService({ clock })
  const reference = createClient({ apiKey: same.key, fetch: same.fetch, clock })
  const page = (limit: number) => reference.token.candles({ address: BOLT, bucket: '1m', limit })
  fake.stub('token.candles', async ({ params }) => {
    await clock.sleep(200)
    return page(Number(params.limit))
  })
  const { seen } = read(watchCandles(feed, BOLT, { bucket: '1m', everyMs: MINUTE, limit: 20 }))
  await clock.advance(5 * MINUTE + SECOND)
  expect(items(fake)).toEqual([20, 1, 2, 2, 2, 2, 2])
  expect(seen.at(-1)).toEqual(await page(20))
  await reference.close()
  await same.close()
})

test.each([-10 * MINUTE, 10 * MINUTE])('a local clock that is %d ms off makes no gap', async (offset) => {
  const { feed, clock, fake } = setupFeed()
  const shifted = createFakeService({ clock: { now: () => clock.now() - offset } })
  fake.fault({ operation: 'token.candles', date: { skewMs: -offset }, times: Number.POSITIVE_INFINITY })
  const reference = createClient({ apiKey: shifted.key, fetch: shifted.fetch, clock })
  const page = (limit: number) => reference.token.candles({ address: BOLT, bucket: '1m', limit })
  fake.stub('token.candles', ({ params }) => page(Number(params.limit)))
  const { seen } = read(watchCandles(feed, BOLT, { bucket: '1m', everyMs: MINUTE, limit: 20 }))
  await clock.advance(HOUR)
  expect(seen).toHaveLength(61)
  expect(seen.at(-1)).toEqual(await page(20))
  // The first answer already shows the offset.
  expect(fake.charged()).toBe(61 * 100 + 20 + 60 * 2)
  await reference.close()
  await shifted.close()
})

const fault: fc.Arbitrary<FaultEffects> = fc.constantFrom<FaultEffects>(
  { reset: 'after' },
  { reset: 'before' },
  { never: true },
  { malformed: true },
  { status: 500 },
  { status: 503, retryAfter: '3' },
  { status: 429, retryAfter: '2' },
  { front: 'nginx' },
)

testProperty(
  'through outages, restarts and latencies the series is what the service has, for one page and what is missing',
  () => {
    const scenario = fc.record({
      bucket: fc.constantFrom('1m' as const, '15m' as const),
      everyMs: fc.integer({ min: 20 * SECOND, max: 10 * MINUTE }),
      limit: fc.integer({ min: 1, max: 120 }),
      latencies: fc.array(fc.tuple(fc.nat(2_000), fc.nat(2_000)), { minLength: 1, maxLength: 10 }),
      faults: fc.array(fault, { maxLength: 3 }),
      chance: fc.double({ min: 0, max: 0.6, noNaN: true }),
      /** How long each feed lives and how long none does afterwards, in milliseconds. */
      lives: fc.array(fc.tuple(fc.nat(20 * MINUTE), fc.nat(2 * HOUR)), { minLength: 1, maxLength: 3 }),
      phase: fc.nat(15 * MINUTE),
      seed: fc.nat(1_000),
    })
    return fc.asyncProperty(
      scenario,
      async ({ bucket, everyMs, limit, latencies, faults, chance, lives, phase, seed }) => {
        const clock = createVirtualClock()
        clock.jump(phase)
        clock.randomValue = 0.5
        const fake = createFakeService({ clock })
        const same = createFakeService({ clock })
        const reference = createClient({ apiKey: same.key, transport: createDirectTransport(same.fetch), clock })
        const random = createRandom(seed)
        for (const effect of faults)
          fake.fault({ ...effect, when: () => random() < chance, times: Number.POSITIVE_INFINITY })
        const length = LENGTH[bucket]
        let sent = 0
        let crossed = 0
        const transport = createDirectTransport(async (url, init) => {
          const [before = 0, after = 0] = latencies[sent++ % latencies.length] ?? []
          const signal = init.signal ?? undefined
          const open = Math.floor(clock.now() / 1_000 / length)
          if (before > 0) await clock.sleep(before, signal)
          const answer = await fake.fetch(url, init)
          if (after > 0) await clock.sleep(after, signal)
          if (Math.floor(clock.now() / 1_000 / length) !== open) crossed++
          return answer
        })
        const client = createClient({ apiKey: fake.key, transport, clock, timeoutMs: 5 * SECOND })
        const { store } = createStore()
        /** The open candle of each update, and when the update arrived. */
        const updates: { at: number; open: number }[] = []
        for (const [lasts, pause] of lives) {
          const feed = createPriceFeed(client, { clock, store })
          const reading = (async () => {
            for await (const candles of watchCandles(feed, BOLT, { bucket, everyMs, limit })) {
              const open = candles.at(-1)?.time ?? 0
              updates.push({ at: clock.now(), open })
              const page = await reference.token.candles({ address: BOLT, bucket, limit: limit + 3 })
              const closed = page.filter(({ time }) => time < open)
              expect(candles.slice(0, -1)).toEqual(limit === 1 ? [] : closed.slice(1 - limit))
            }
          })()
          await clock.advance(lasts)
          await feed.close()
          await reading
          expect(clock.pending).toBe(0)
          await clock.advance(pause)
        }
        for (const charge of fake.ledger()) {
          const known = updates.findLast(({ at }) => at < charge.at)?.open
          const now = Math.floor(charge.at / 1_000 / length) * length
          const missing = known === undefined ? limit : (now - known) / length + 1
          expect(charge.items).toBeLessThanOrEqual(Math.min(limit, missing))
        }
        const delivered = fake.journal().filter((entry) => entry.credits > 0 && entry.fault === null)
        // A restart may lose an answer, and an answer that crosses the end of a bucket may need another.
        expect(delivered.length).toBeLessThanOrEqual(updates.length + crossed + lives.length)
        await client.close()
        await reference.close()
        await fake.close()
        await same.close()
      },
    )
  },
  { cases: 5 },
)

test.each([1, 2])(
  'a reader who joins as another leaves, before anything is sent, does not wait for a minute: %d turns later',
  async (turns) => {
    const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay: 1_000 } }, { latencyMs: 100 })
    const open = () => watchCandles(feed, BOLT, { bucket: '1h', everyMs: MINUTE, limit: 500 })[Symbol.asyncIterator]()
    const pass = async () => {
      for (let turn = 0; turn < turns; turn++) await undefined
    }
    const leaving = open()
    void leaving.next().catch(() => {})
    await pass()
    const staying = watch(open().next())
    await pass()
    void leaving.return?.()
    await clock.advance(2 * SECOND)
    expect(staying.state).toBe('resolved')
    fake.expectCredits(600)
  },
)

test.each([10, 500])(
  'a reader who waits for the budget beside one whose request is on its way gets what that one buys: %d candles',
  async (limit) => {
    const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay: 1_000 } }, { latencyMs: 100 })
    const first = read(watchCandles(feed, BOLT, { bucket: '1h', everyMs: HOUR, limit: 500 }))
    await clock.advance(50)
    const second = read(watchCandles(feed, BOLT, { bucket: '1h', everyMs: HOUR, limit }))
    await clock.advance(2 * SECOND)
    expect([first.seen.length, second.seen.length]).toEqual([1, 1])
    expect(second.seen[0]).toEqual(first.seen[0]?.slice(-limit))
    expect(feed.status().spent).toBe(fake.charged())
    expect(fake.charged()).toBeLessThanOrEqual(710)
  },
)

test('a reader whose request fits does not wait for one whose request does not', async () => {
  const { feed, fake, clock } = setupFeed({ budget: { creditsPerDay: 1_000 } })
  read(watchCandles(feed, BOLT, { bucket: '1h', everyMs: DAY, limit: 500 }))
  await clock.advance(SECOND)
  const large = read(watchCandles(feed, CORE, { bucket: '1h', everyMs: DAY, limit: 500 }))
  await clock.advance(SECOND)
  const small = read(watchCandles(feed, CORE, { bucket: '1h', everyMs: DAY, limit: 10 }))
  await clock.advance(SECOND)
  expect([large.seen.length, small.seen.length]).toEqual([0, 1])
  fake.expectCredits(710)
  // No day has room for it: it rejects at once, also while others wait.
  const other = setupFeed({ budget: { creditsPerDay: 500 } })
  const refused = [0, 1].map(() => read(watchCandles(other.feed, BOLT, { bucket: '1h', everyMs: DAY, limit: 500 })))
  await other.clock.advance(SECOND)
  for (const { end } of refused) expect(end).toMatchObject({ error: { name: 'BudgetExceededError' } })
})
