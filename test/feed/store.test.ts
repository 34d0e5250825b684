import { fakeTokens } from 'etn-market/fake'
import { followTrades } from 'etn-market/trades'
import { describe, expect, test } from 'vitest'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
import { createStore } from '../support/store.ts'
import { type FeedSetup, MINUTE, recordWatch, SECOND, setupFeed, some, types } from './setup.ts'

const { BOLT, CORE, DYNO, PDY } = fakeTokens

describe('a store', () => {
  test('keeps fresh prices across a restart, missing prices included', async () => {
    const { store, calls } = createStore()
    const { feed, another, clock, fake } = setupFeed({ store })
    const nobody = `0x${'1'.repeat(40)}`
    await Promise.all([feed.prices([BOLT, CORE, nobody]), clock.advance(SECOND)])
    await feed.close()
    fake.expectCredits(130)
    await clock.advance(30 * SECOND)
    const next = another({ store })
    const [prices] = await Promise.all([next.prices([BOLT, CORE, nobody]), clock.advance(SECOND)])
    expect(prices[BOLT]).toMatchObject({ ageMs: expect.closeTo(31_000, -3), stale: false })
    expect(prices[nobody]).toMatchObject({ usd: null })
    fake.expectCredits(130)
    expect(calls.flatMap(([, , ttl = 0]) => (ttl > 5_000 ? [ttl] : []))).toEqual([3_600_000, 3_600_000, 3_600_000])
  })

  const key = (address: string) => `etn-market:feed:1:${address.toLowerCase()}`
  const entry = (price: unknown, at: number) => JSON.stringify({ price, at })
  const price = { address: BOLT, usd: '1' }

  test.each<[string, (now: number) => string, number]>([
    ['too old', (now) => entry(price, now - 2 * MINUTE), 0],
    ['from the future', (now) => entry(price, now + MINUTE), 1],
    ['no JSON', () => '{', 1],
    ['of another address', (now) => entry({ ...price, address: CORE }, now), 1],
    ['of another type', (now) => entry({ ...price, usd: 1 }, now), 1],
    ['no price', (now) => entry('free', now), 1],
  ])('is ignored where its entry is %s', async (_, kept, reported) => {
    const { store, kept: values } = createStore()
    const { feed, clock, fake, events } = setupFeed({ store })
    values.set(key(BOLT), kept(clock.now()))
    await Promise.all([feed.price(BOLT), clock.advance(SECOND)])
    fake.expectCredits(50)
    expect(types(events).filter((type) => type === 'feed.store_failed')).toHaveLength(reported)
  })

  test('that throws or hangs costs a request and an event, and never a price', async () => {
    const fail = async () => {
      throw new Error('disk full')
    }
    const broken = setupFeed({ store: { get: fail, set: fail, delete: fail } })
    const [price] = await Promise.all([broken.feed.price(BOLT), broken.clock.advance(SECOND)])
    expect(price.stale).toBe(false)
    expect(types(broken.events)).toContain('feed.store_failed')
    const hanging = setupFeed({ store: { get: () => new Promise(() => {}), set: () => {}, delete: () => {} } })
    const [late] = await Promise.all([hanging.feed.price(BOLT), hanging.clock.advance(3 * SECOND)])
    expect(late.stale).toBe(false)
  })

  test('a price request for an early address is answered if the batch it would have joined is not sent', async () => {
    const { store, kept } = createStore()
    const get = (key: string) => clock.sleep(50).then(() => kept.get(key))
    const { feed, clock, fake } = setupFeed({ store: { ...store, get } })
    recordWatch(feed, BOLT, MINUTE)
    recordWatch(feed, [CORE, DYNO, PDY], 90 * SECOND)
    await clock.advance(59 * SECOND)
    kept.set(key(BOLT), entry(price, clock.now()))
    const before = fake.charged()
    await clock.advance(960)
    const asked = watch(feed.price(CORE, { maxAgeMs: 0 }))
    await clock.advance(SECOND)
    expect(asked).toMatchObject({ state: 'resolved', value: { stale: false } })
    expect(fake.charged() - before).toBeGreaterThan(0)
  })

  test.each([2, 5])('lets %d processes share one purchase, with and without an atomic add', async (processes) => {
    for (const isAtomic of [true, false]) {
      const { store, kept } = createStore()
      const add = async (key: string, value: string) => !kept.has(key) && Boolean(kept.set(key, value))
      const shared = isAtomic ? { ...store, add } : store
      const { feed, another, clock, fake } = setupFeed({ store: shared }, { latencyMs: 100 })
      const feeds = [feed, ...Array.from({ length: processes - 1 }, () => another({ store: shared }))]
      const watches: ReturnType<typeof recordWatch>[] = []
      for (const each of feeds) {
        watches.push(recordWatch(each, some(9), MINUTE))
        await clock.advance(7 * SECOND)
      }
      await clock.advance(20 * MINUTE)
      // One feed alone makes 21 calls at most.
      expect(fake.charged()).toBeLessThanOrEqual(1.2 * 21 * 190)
      for (const { prices } of watches) {
        expect(prices.length).toBeGreaterThanOrEqual(19 * 9)
        expect(prices.some(({ stale }) => stale)).toBe(false)
      }
    }
  })
})

describe('close does not wait for a store', () => {
  const keysOf = (values: Map<string, string>, part: string) => [...values.keys()].filter((key) => key.includes(part))
  const never = () => new Promise<never>(() => {})

  /** Whether a feed has closed before any time passes. */
  async function closesAtOnce({ feed, clock }: FeedSetup): Promise<boolean> {
    const closing = watch(feed.close())
    await flush()
    expect(clock.pending).toBe(0)
    return closing.state === 'resolved'
  }

  test('that does not answer', async () => {
    const setup = setupFeed({ store: { get: never, set: () => {}, delete: () => {} } })
    const { feed, clock, fake, events } = setup
    recordWatch(feed, some(3), MINUTE)
    const trades = watch(followTrades(feed, { token: BOLT, everyMs: MINUTE })[Symbol.asyncIterator]().next())
    await clock.advance(10)
    expect(await closesAtOnce(setup)).toBe(true)
    expect(trades.state).toBe('resolved')
    expect(events).toEqual([])
    fake.expectRequests(0)
  })

  test('whose leases do not answer', async () => {
    const { store } = createStore()
    const setup = setupFeed({ store: { ...store, add: never } })
    recordWatch(setup.feed, some(3), MINUTE)
    await setup.clock.advance(10)
    expect(await closesAtOnce(setup)).toBe(true)
    setup.fake.expectRequests(0)
  })

  test.each([
    ['waits for the last write of a lease', 20, 0],
    ['has a request in flight', 200, 1],
  ])('when it %s, and gives the leases back', async (_, afterMs, requests) => {
    const { store, kept } = createStore()
    const setup = setupFeed({ store }, { latencyMs: SECOND })
    recordWatch(setup.feed, some(3), MINUTE)
    await setup.clock.advance(afterMs)
    expect(keysOf(kept, 'lease')).toHaveLength(3)
    expect(await closesAtOnce(setup)).toBe(true)
    expect(keysOf(kept, 'lease')).toEqual([])
    setup.fake.expectRequests(requests)
  })

  test('while another process buys a part of its prices', async () => {
    const { store, kept } = createStore()
    const setup = setupFeed({ store }, { latencyMs: SECOND })
    const { another, clock } = setup
    recordWatch(another({ store }), some(3), MINUTE)
    await clock.advance(100)
    recordWatch(setup.feed, some(5), MINUTE)
    await clock.advance(300)
    expect(keysOf(kept, 'lease')).toHaveLength(5)
    const closing = watch(setup.feed.close())
    await flush()
    expect(closing.state).toBe('resolved')
    expect(keysOf(kept, 'lease')).toHaveLength(3)
  })
})
