import { InvalidRequestError } from 'etn-market'
import { type FakeService, fakeTokens, fakeWallets } from 'etn-market/fake'
import type { FeedOptions } from 'etn-market/feed'
import { watchPortfolio } from 'etn-market/portfolio'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, MINUTE, read, recordWatch, SECOND, setupFeed, some, toMidnight, types } from '../feed/setup.ts'
import { flush } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { createStore } from '../support/store.ts'

const { BOLT, CORE, DYNO } = fakeTokens
const HOUR = 60 * MINUTE
const [WALLET = '', OTHER = '', UNLISTED = ''] = some(3, 900)

/** A service with two wallets of three tokens. */
const world = {
  balances: {
    [WALLET]: { [BOLT]: '123456789012345678901', [CORE]: '5', [DYNO]: '7000000000000000001' },
    [OTHER]: { [BOLT]: '1', [CORE]: '2000000000000000000' },
  },
}
const setup = (options: FeedOptions = {}) => setupFeed(options, { world })

const operations = (fake: FakeService) => fake.ledger().map(({ operation }) => operation)
const count = (fake: FakeService, operation: string) => operations(fake).filter((one) => one === operation).length

/** A decimal text with 100 places, as a whole number. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(100, '0'))
}

describe('a portfolio', () => {
  test('has the exact value of each token, the most valuable first, and the totals', async () => {
    const { feed, clock, fake, client } = setup()
    for (const [address, usd] of [
      [BOLT, '0.5'],
      [CORE, '3'],
      [DYNO, '0.010000000000000000001'],
    ] as const)
      fake.world.setPrice(address, usd)
    const { seen } = read(
      watchPortfolio(feed, WALLET.toLowerCase(), { everyMs: 5 * MINUTE, balancesEveryMs: 5 * MINUTE }),
    )
    await clock.advance(SECOND)
    expect(seen).toMatchObject([{ wallet: WALLET.toLowerCase(), unpriced: [], complete: true, stale: false }])
    expect(seen[0]?.positions.map(({ symbol, amount, usd }) => [symbol, amount, usd])).toEqual([
      ['BOLT', '123.456789012345678901', '61.7283945061728394505'],
      ['DYNO', '7.000000000000000001', '0.070000000000000000017000000000000000001'],
      ['CORE', '0.000000000000000005', '0.000000000000000015'],
    ])
    expect(seen[0]?.totalUsd).toBe('61.798394506172839465517000000000000000001')
    expect(scaled(seen[0]?.totalEtn ?? '')).toBe(
      seen[0]?.positions.reduce((sum, { etn }) => sum + scaled(etn ?? ''), 0n),
    )
    const { usd, etn } = await client.token.price({ address: BOLT })
    expect(seen[0]?.positions[0]).toMatchObject({ decimals: 18, balance: '0x6b14e9f812f366c35', price: { usd, etn } })
  })

  testProperty(
    'is exact for every balance, number of decimals and price',
    () => {
      const price = fc
        .tuple(fc.bigInt(0n, 10n ** 20n), fc.integer({ min: 0, max: 40 }))
        .map(([whole, places]) => `${whole}.${'0'.repeat(places)}7`)
      const token = fc.record({ balance: fc.bigInt(1n, 2n ** 256n - 1n), decimals: fc.nat(40), usd: price })
      return fc.asyncProperty(fc.array(token, { minLength: 1, maxLength: 4 }), async (tokens) => {
        const { feed, fake, clock } = setup()
        const addresses = some(tokens.length)
        const entries = addresses.map((address, n) => [address, tokens[n]] as const)
        const holdings = entries.map(([address, one]) => [
          address,
          { balance: `0x${one?.balance.toString(16)}`, blockUpdated: 1 },
        ])
        const of = (address: unknown) => tokens[addresses.indexOf(String(address))]
        fake.stub('balances.get', ({ data }) => ({ ...data, balances: Object.fromEntries(holdings) }))
        fake.stub('token.get', ({ params: { address } }) => ({
          ...{ address, name: 'n', symbol: 's', totalSupply: 1 },
          decimals: of(address)?.decimals,
        }))
        fake.stub('token.price', ({ params: { address } }) => ({ address, usd: of(address)?.usd }))
        fake.stub('prices.batch', () =>
          Object.fromEntries(entries.map(([address, one]) => [address.toLowerCase(), { usd: one?.usd }])),
        )
        const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: MINUTE, balancesEveryMs: MINUTE }))
        await clock.advance(SECOND)
        const total = entries.reduce(
          (sum, [, one]) => sum + (one ? (one.balance * scaled(one.usd)) / 10n ** BigInt(one.decimals) : 0n),
          0n,
        )
        expect(scaled(seen[0]?.totalUsd ?? '')).toBe(total)
        expect(seen[0]).toMatchObject({ totalEtn: '0', unpriced: expect.arrayContaining(addresses) })
        await feed.close()
      })
    },
    { cases: 8 },
  )

  test('costs one request for balances each interval, and prices that it shares with watches', async () => {
    const { feed, clock, fake } = setup()
    recordWatch(feed, [BOLT, CORE, DYNO], 5 * MINUTE)
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 5 * MINUTE, balancesEveryMs: 20 * MINUTE }))
    await clock.advance(HOUR - SECOND)
    expect(count(fake, 'balances.get')).toBe(3)
    expect(count(fake, 'token.get')).toBe(3)
    fake.expectCredits({
      'balances.get': 3 * 830,
      'token.get': 300,
      'prices.batch': fake.charged({ operation: 'prices.batch' }),
    })
    // As one watch of the three alone.
    expect(fake.charged({ operation: 'prices.batch' })).toBeLessThanOrEqual(13 * 130)
    expect(seen.length).toBeGreaterThanOrEqual(12)
    expect(seen.some(({ stale }) => stale)).toBe(false)
    for (const { positions } of seen) expect(positions).toHaveLength(3)
    expect(feed.status().spent).toBe(fake.charged())
  })

  test('looks decimals up once for all wallets, and never again with a store', async () => {
    const { store, kept } = createStore()
    const { feed, another, clock, fake } = setup({ store })
    read(watchPortfolio(feed, WALLET, { everyMs: HOUR }))
    read(watchPortfolio(feed, OTHER, { everyMs: HOUR }))
    await clock.advance(MINUTE)
    expect(fake.charged({ operation: 'token.get' })).toBe(300)
    await feed.close()
    const { seen } = read(watchPortfolio(another({ store }), OTHER, { everyMs: HOUR }))
    await clock.advance(MINUTE)
    expect(seen.at(-1)).toMatchObject({ unpriced: [], stale: false })
    expect(fake.charged({ operation: 'token.get' })).toBe(300)
    expect([...kept.keys()].filter((key) => key.includes(':token:'))).toHaveLength(3)
  })

  test.each<[string, (entry: Record<string, unknown>) => unknown]>([
    ['of another token', (entry) => ({ ...entry, address: CORE })],
    ['that are negative', (entry) => ({ ...entry, decimals: -1 })],
    ['that are no object', () => 18],
  ])('ignores stored decimals %s', async (_, change) => {
    const { store, kept } = createStore()
    const { feed, another, clock, fake, events } = setup({ store })
    read(watchPortfolio(feed, WALLET, { everyMs: HOUR }))
    await clock.advance(MINUTE)
    await feed.close()
    const key = `etn-market:feed:token:1:${BOLT.toLowerCase()}`
    kept.set(key, JSON.stringify(change(JSON.parse(kept.get(key) ?? ''))))
    read(watchPortfolio(another({ store }), WALLET, { everyMs: HOUR }))
    await clock.advance(MINUTE)
    expect(fake.charged({ operation: 'token.get' })).toBe(400)
    expect(types(events)).toContain('feed.store_failed')
  })

  test('reads the list of tokens if that is cheaper, once', async () => {
    const { feed, clock, fake } = setup()
    const { seen } = read(
      watchPortfolio(feed, fakeWallets.whale, { everyMs: 20 * MINUTE, balancesEveryMs: 20 * MINUTE }),
    )
    await clock.advance(2 * HOUR)
    expect(seen[0]?.positions.length).toBeGreaterThan(90)
    expect(seen[0]?.positions.every(({ amount }) => amount !== null)).toBe(true)
    expect(fake.charged({ operation: 'token.list' })).toBeLessThanOrEqual(600)
    expect(count(fake, 'token.get')).toBe(0)
    // A token without a price is asked for once an hour.
    const unpriced = seen[0]?.unpriced ?? []
    expect(unpriced.length).toBeGreaterThan(0)
    const asked = fake.journal().filter(({ query }) => query.addresses?.includes((unpriced[0] ?? '').toLowerCase()))
    expect(asked.length).toBeLessThanOrEqual(3)
  })

  test('names tokens without a price or decimals, which are in no total, and does not buy prices of unlisted ones', async () => {
    const { feed, clock, fake } = setup()
    fake.world.unprice(CORE)
    fake.stub('balances.get', ({ data }) => ({
      ...data,
      balances: {
        ...(data.balances as object),
        [UNLISTED]: { balance: '0x5', blockUpdated: 1 },
        [OTHER]: { balance: '0x0', blockUpdated: 1 },
      },
    }))
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 5 * MINUTE, balancesEveryMs: 5 * MINUTE }))
    await clock.advance(HOUR)
    const [first] = seen
    expect(first?.unpriced.toSorted()).toEqual([CORE, UNLISTED].toSorted())
    const of = (wanted: string) => first?.positions.find(({ address }) => address === wanted)
    expect(of(UNLISTED)).toMatchObject({ balance: '0x5', decimals: null, amount: null, usd: null, price: null })
    expect(of(CORE)).toMatchObject({ amount: '0.000000000000000005', usd: null, etn: null, price: { usd: null } })
    expect(first?.positions).toHaveLength(4)
    expect(scaled(first?.totalUsd ?? '')).toBe(scaled(of(BOLT)?.usd ?? '') + scaled(of(DYNO)?.usd ?? ''))
    expect(seen.some(({ stale }) => stale)).toBe(false)
    const asked = fake.journal().filter(({ url }) => url.toLowerCase().includes(UNLISTED.toLowerCase()))
    // Its decimals, once: the answer is free.
    expect(asked).toMatchObject([{ operation: 'token.get', credits: 0 }])
    fake.world.release(CORE)
    await clock.advance(HOUR)
    expect(seen.at(-1)?.unpriced).toEqual([UNLISTED])
  })

  test('follows balances that change', async () => {
    const { feed, clock, fake } = setup()
    let held: Record<string, unknown> = { [BOLT]: { balance: '0x5', blockUpdated: 1 } }
    fake.stub('balances.get', ({ data }) => ({ ...data, balances: held }))
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 5 * MINUTE, balancesEveryMs: 5 * MINUTE }))
    await clock.advance(MINUTE)
    held = { [CORE]: { balance: '0x7', blockUpdated: 2 } }
    await clock.advance(5 * MINUTE)
    expect(seen[0]?.positions).toMatchObject([{ address: BOLT }])
    expect(seen.at(-1)).toMatchObject({ positions: [{ address: CORE, balance: '0x7' }], unpriced: [], stale: false })
    expect(feed.status().addresses).toBe(1)
    held = {}
    await clock.advance(5 * MINUTE)
    expect(seen.at(-1)).toMatchObject({ positions: [], totalUsd: '0', totalEtn: '0' })
    expect(feed.status().addresses).toBe(0)
  })

  test('is incomplete if the service returns a full page', async () => {
    const { feed, clock, fake } = setup()
    const holdings = some(200).map((address) => [address, { balance: '0x1', blockUpdated: 1 }])
    fake.stub('balances.get', ({ data }) => ({ ...data, balances: Object.fromEntries(holdings) }))
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 5 * MINUTE, balancesEveryMs: 5 * MINUTE }))
    await clock.advance(MINUTE)
    expect(seen[0]).toMatchObject({ complete: false, totalUsd: '0' })
    expect(seen[0]?.unpriced).toHaveLength(200)
    // All are unlisted: the list says so.
    expect(fake.journal().length).toBeLessThanOrEqual(2 + 200)
  })

  test('readers of one wallet share the balances', async () => {
    const { feed, clock, fake } = setup()
    const portfolio = watchPortfolio(feed, WALLET, { everyMs: 10 * MINUTE, balancesEveryMs: 10 * MINUTE })
    const one = read(portfolio)
    await clock.advance(MINUTE)
    const other = read(portfolio)
    await flush()
    expect(other.seen).toHaveLength(1)
    await clock.advance(HOUR - 2 * MINUTE)
    expect(fake.charged({ operation: 'balances.get' })).toBe(6 * 830)
    expect(other.seen.at(-1)).toEqual(one.seen.at(-1))
  })
})

test('a reader who waits for the budget beside one whose request is on its way gets the balances that one buys', async () => {
  const { feed, clock, fake } = setupFeed({ budget: { creditsPerDay: 3_500 } }, { world, latencyMs: 100 })
  const first = read(watchPortfolio(feed, WALLET, { everyMs: HOUR }))
  await clock.advance(50)
  const second = read(watchPortfolio(feed, WALLET, { everyMs: HOUR }))
  await clock.advance(5 * SECOND)
  const { totalUsd } = first.seen.at(-1) ?? {}
  expect(second.seen.at(-1)).toMatchObject({ totalUsd, unpriced: [], stale: false })
  expect(count(fake, 'balances.get')).toBe(1)
})

describe('when something fails, a portfolio', () => {
  test('keeps the last state with stale: true, reports it once, and recovers', async () => {
    const { feed, clock, fake, events } = setup()
    clock.randomValue = 0.5
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 5 * MINUTE, balancesEveryMs: 5 * MINUTE }))
    await clock.advance(MINUTE)
    const broken = fake.fault({ operation: 'balances.get', status: 500, times: Number.POSITIVE_INFINITY })
    await clock.advance(20 * MINUTE)
    const [first] = seen
    expect(seen.at(-1)).toMatchObject({ at: first?.at, stale: true, unpriced: [] })
    const failures = events.filter(({ type }) => type === 'feed.watch_failed')
    expect(failures).toMatchObject([{ addresses: [WALLET] }])
    broken.remove()
    await clock.advance(2 * MINUTE)
    expect(seen.at(-1)).toMatchObject({ stale: false })
    expect(seen.at(-1)?.at).toBeGreaterThan(first?.at ?? 0)
  })

  test('is marked stale while prices fail to arrive', async () => {
    const { feed, clock, fake } = setup()
    clock.randomValue = 0.5
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 5 * MINUTE, balancesEveryMs: HOUR }))
    await clock.advance(MINUTE)
    const broken = fake.fault({
      operation: ['prices.batch', 'token.price'],
      status: 503,
      times: Number.POSITIVE_INFINITY,
    })
    await clock.advance(6 * MINUTE)
    expect(seen[0]).toMatchObject({ stale: false })
    expect(seen.at(-1)).toMatchObject({ stale: true, unpriced: [], totalUsd: seen[0]?.totalUsd })
    broken.remove()
    await clock.advance(2 * MINUTE)
    expect(seen.at(-1)).toMatchObject({ stale: false })
  })

  test('values the other tokens if one token fails', async () => {
    const { feed, clock, fake, events } = setup()
    clock.randomValue = 0.5
    const isBolt = ({ path }: { path: string }) => path.includes(BOLT)
    const broken = fake.fault({ operation: 'token.get', status: 500, when: isBolt, times: Number.POSITIVE_INFINITY })
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 5 * MINUTE, balancesEveryMs: 5 * MINUTE }))
    await clock.advance(30 * MINUTE)
    expect(seen.at(-1)).toMatchObject({ unpriced: [BOLT], stale: true })
    expect(seen.at(-1)?.positions.filter(({ usd }) => usd !== null)).toHaveLength(2)
    expect(count(fake, 'balances.get')).toBe(7)
    expect(events.filter(({ type }) => type === 'feed.watch_failed')).toMatchObject([{ addresses: [BOLT] }])
    broken.remove()
    await clock.advance(6 * MINUTE)
    expect(seen.at(-1)).toMatchObject({ unpriced: [], stale: false })
  })

  test('keeps an unreadable balance, and names it', async () => {
    const { feed, clock, fake } = setup()
    const odd = { [BOLT]: { balance: 5 }, '0x1': { balance: '0x1' }, [CORE]: null, [DYNO]: { balance: '0x5' } }
    fake.stub('balances.get', () => ({ balances: odd }), { validate: false })
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 10 * MINUTE, balancesEveryMs: 10 * MINUTE }))
    await clock.advance(MINUTE)
    expect(seen[0]?.unpriced.toSorted()).toEqual(['0x1', BOLT, CORE].toSorted())
    expect(seen[0]?.positions[0]).toMatchObject({ address: DYNO, balance: '0x5' })
    expect(seen[0]).toMatchObject({ updated: 0 })
  })

  test('rejects if the key is refused for balances or for prices', async () => {
    for (const operation of ['balances.get', 'prices.batch'] as const) {
      const { feed, clock, fake } = setup()
      fake.fault({ operation, status: 401, times: Number.POSITIVE_INFINITY })
      const { end } = read(watchPortfolio(feed, WALLET, { everyMs: MINUTE }))
      await clock.advance(2 * MINUTE)
      expect(end).toMatchObject({ state: 'rejected', error: { name: 'AuthenticationError' } })
    }
  })

  test('stays within the budget of the feed, and says that it is stale', async () => {
    const { feed, clock, fake } = setup({ budget: { creditsPerDay: 10_000 } })
    await toMidnight(clock)
    const { seen } = read(watchPortfolio(feed, WALLET, { everyMs: 10 * MINUTE, balancesEveryMs: 10 * MINUTE }))
    await clock.advance(DAY - MINUTE)
    expect(fake.charged()).toBeGreaterThan(5_000)
    expect(fake.charged()).toBeLessThanOrEqual(10_000)
    expect(seen.at(-1)).toMatchObject({ stale: true })
  })

  test('rejects with the budget’s error if no day has room for one request', async () => {
    const { feed, fake } = setup({ budget: { creditsPerDay: 2_000 } })
    const { end } = read(watchPortfolio(feed, WALLET, { everyMs: 10 * MINUTE, balancesEveryMs: 10 * MINUTE }))
    await flush()
    expect(end).toMatchObject({ state: 'rejected', error: { name: 'BudgetExceededError', needed: 2_800 } })
    fake.expectRequests(0)
  })

  test.each([
    ['0x1', { everyMs: 5 }],
    [WALLET, { everyMs: 0 }],
    [WALLET, { everyMs: 5, balancesEveryMs: -1 }],
    [WALLET, { everyMs: 5, wallet: 1 }],
  ])('%s with the options %j is rejected', (wallet, options) => {
    const { feed, fake } = setup()
    expect(() => watchPortfolio(feed, wallet, options)).toThrow(InvalidRequestError)
    fake.expectRequests(0)
  })
})

test('balances are requested every 15 minutes by default, and no more often than prices', async () => {
  const { feed, clock, fake } = setup()
  const balances = () => fake.journal().filter(({ operation }) => operation === 'balances.get').length
  const minute = read(watchPortfolio(feed, WALLET, { everyMs: MINUTE }))
  await clock.advance(HOUR - MINUTE)
  expect(balances()).toBe(4)
  expect(minute.seen.length).toBeGreaterThan(50)
  read(watchPortfolio(feed, OTHER, { everyMs: HOUR }))
  await clock.advance(2 * HOUR - MINUTE)
  expect(balances()).toBe(4 + 8 + 2)
})
