import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { watch } from '../support/setup.ts'
import { MINUTE, noted, SECOND, stage, types } from './setup.ts'

const { BOLT, CORE, DYNO, PDY } = fakeTokens

/** What Keyv does, without its expiry. */
function createStore() {
  const values = new Map<string, string>()
  const ttls: number[] = []
  return {
    values,
    ttls,
    get: async (key: string) => values.get(key),
    set: async (key: string, value: string, ttl: number) => {
      ttls.push(ttl)
      values.set(key, value)
    },
    delete: async (key: string) => values.delete(key),
  }
}

describe('a store', () => {
  test('saves what is fresh over a restart, also that there is no price', async () => {
    const store = createStore()
    const { feed, another, clock, fake } = stage({ store })
    const nobody = `0x${'1'.repeat(40)}`
    await Promise.all([feed.prices([BOLT, CORE, nobody]), clock.advance(10)])
    await feed.close()
    fake.expectCredits(130)
    await clock.advance(30 * SECOND)
    const next = another({ store })
    const [prices] = await Promise.all([next.prices([BOLT, CORE, nobody]), clock.advance(10)])
    expect(prices[BOLT]).toMatchObject({ ageMs: 30_010, stale: false })
    expect(prices[nobody]).toMatchObject({ usd: null })
    fake.expectCredits(130)
    expect(store.ttls).toEqual([3_600_000, 3_600_000, 3_600_000])
  })

  test('lets two processes buy each price once, and both keep their promises', async () => {
    const store = createStore()
    const { feed, another, clock, fake } = stage({ store })
    const one = noted(feed, [BOLT, CORE, DYNO], MINUTE)
    await clock.advance(20 * SECOND)
    const other = noted(another({ store }), [BOLT, CORE, DYNO], MINUTE)
    await clock.advance(10 * MINUTE)
    expect(fake.charged()).toBeLessThanOrEqual(130 * 12)
    for (const { prices } of [one, other]) {
      for (const [index, { at, ageMs, stale }] of prices.entries()) {
        const before = prices.slice(0, index).findLast(({ address }) => address === prices[index]?.address)
        expect(stale).toBe(false)
        expect(ageMs).toBeLessThanOrEqual(MINUTE)
        if (before) expect(at + ageMs - before.at).toBeLessThanOrEqual(MINUTE)
      }
    }
  })

  test('is not believed when what it holds is too old, from the future, or nonsense', async () => {
    const store = createStore()
    const { feed, clock, fake } = stage({ store })
    const key = (address: string) => `etn-market:feed:1:${address.toLowerCase()}`
    const kept = (at: number) => JSON.stringify({ price: { address: BOLT, usd: '1' }, at })
    store.values.set(key(BOLT), kept(clock.now() - 2 * MINUTE))
    store.values.set(key(CORE), kept(clock.now() + MINUTE))
    store.values.set(key(DYNO), '{')
    await Promise.all([feed.prices([BOLT, CORE, DYNO]), clock.advance(10)])
    fake.expectCredits(130)
  })

  test('that throws or hangs costs a request and an event, never a price', async () => {
    const fail = async () => {
      throw new Error('disk full')
    }
    const broken = stage({ store: { get: fail, set: fail, delete: fail } })
    const [price] = await Promise.all([broken.feed.price(BOLT), broken.clock.advance(10)])
    expect(price.stale).toBe(false)
    expect(types(broken.events)).toContain('feed.store_failed')
    const hanging = stage({ store: { get: () => new Promise(() => {}), set: () => {}, delete: () => {} } })
    const [late] = await Promise.all([hanging.feed.price(BOLT), hanging.clock.advance(2 * SECOND)])
    expect(late.stale).toBe(false)
  })

  test('a look-up of a rider is answered though the call that it was to ride in is not made', async () => {
    const store = createStore()
    const { feed, clock, fake } = stage({
      store: {
        ...store,
        async get(key) {
          await clock.sleep(50)
          return store.values.get(key)
        },
      },
    })
    noted(feed, BOLT, MINUTE)
    noted(feed, [CORE, DYNO, PDY], 90 * SECOND)
    await clock.advance(59 * SECOND)
    const key = `etn-market:feed:1:${BOLT.toLowerCase()}`
    store.values.set(key, JSON.stringify({ price: { address: BOLT, usd: '1' }, at: clock.now() }))
    const before = fake.charged()
    await clock.advance(960)
    const asked = watch(feed.price(CORE, { maxAgeMs: 0 }))
    await clock.advance(SECOND)
    expect(asked).toMatchObject({ state: 'resolved', value: { stale: false } })
    expect(fake.charged() - before).toBeGreaterThan(0)
  })
})
