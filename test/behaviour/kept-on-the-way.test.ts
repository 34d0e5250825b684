import { createClient, ResponseError } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { watchPortfolio } from 'etn-market/portfolio'
import { describe, expect, test } from 'vitest'
import { MINUTE, read, recordWatch, SECOND, setupFeed } from '../feed/setup.ts'
import { pricePath, setupProxy } from '../proxy/setup.ts'
import { costs, ok, price } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import { address, rejection, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
const { BOLT, CORE, DYNO } = fakeTokens
const times = Number.POSITIVE_INFINITY

/** An answer that a cache on the way kept so many seconds ago. */
const kept = (age: string | string[]) => ok(price(TOKEN), { ...costs(50), age })

describe('an answer that a cache on the way has kept', () => {
  test.each<[string | string[], number]>([
    ['4', 6_000],
    [['4', '2'], 6_000],
    ['0', 10_000],
    ['soon', 10_000],
    ['-4', 10_000],
    ['4.5', 10_000],
  ])('with Age: %j stays in the cache of the client for %i of 10,000 ms', async (age, ms) => {
    const { client, clock, script } = setup(() => kept(age), { cache: { ttlMs: { 'token.price': 10_000 } } })
    await client.token.price({ address: TOKEN })
    await clock.advance(ms - 1)
    await client.token.price({ address: TOKEN })
    expect(script.requests).toHaveLength(1)
    await clock.advance(1)
    await client.token.price({ address: TOKEN })
    expect(script.requests).toHaveLength(2)
  })

  test('for as long as the client would is not kept', async () => {
    const store = new Map<string, string>()
    const { client, script } = setup(() => kept('10'), { cache: { ttlMs: { 'token.price': 10_000 }, store } })
    await client.token.price({ address: TOKEN })
    await client.token.price({ address: TOKEN })
    expect([script.requests.length, store.size]).toEqual([2, 0])
  })

  test('is kept by the proxy for what is left of its time', async () => {
    const { ask, clock, fake } = setupProxy()
    fake.fault({ headers: { age: '10' }, times })
    await ask(pricePath())
    await clock.advance(4_999)
    await ask(pricePath())
    fake.expectRequests(1)
    await clock.advance(1)
    await ask(pricePath())
    fake.expectRequests(2)
  })
})

test('the proxy says how old its answer is, which was kept by itself and on the way, so that no page takes it for a new one', async () => {
  const { ask, clock, fake } = setupProxy({ allow: [{ operation: 'token.price', cacheMs: 60_000 }] })
  const ageOf = async () => (await ask(pricePath())).headers.get('age')
  expect(await ageOf()).toBe(null)
  await clock.advance(50_900)
  expect(await ageOf()).toBe('50')
  await clock.advance(10_000)
  fake.fault({ headers: { age: '3600' } })
  expect(await ageOf()).toBe('3600')
  fake.expectRequests(2)
})

describe('a price that a cache on the way has kept for an hour', () => {
  const hourOld = { headers: { age: '3600' }, times }

  test('is an hour old, and stale, for a watch, which buys no more often', async () => {
    const { feed, fake, clock } = setupFeed()
    fake.fault(hourOld)
    const { prices } = recordWatch(feed, BOLT, MINUTE)
    await clock.advance(10 * MINUTE)
    expect(fake.journal().length).toBeLessThanOrEqual(11)
    expect(prices.length).toBeGreaterThanOrEqual(10)
    for (const { ageMs, stale } of prices) expect([ageMs >= 60 * MINUTE, stale]).toEqual([true, true])
    expect(feed.peek(BOLT)).toMatchObject({ stale: true })
    const { at = 0 } = feed.peek(BOLT) ?? {}
    expect(clock.now() - at).toBeGreaterThanOrEqual(60 * MINUTE)
  })

  test('is as old where it is that the token is unknown', async () => {
    const { feed, fake, clock } = setupFeed()
    fake.fault({ ...hourOld, status: 404 })
    const { prices } = recordWatch(feed, BOLT, MINUTE)
    await clock.advance(2 * MINUTE)
    expect(prices.length).toBeGreaterThan(0)
    for (const { ageMs, stale, usd } of prices) expect([ageMs >= 60 * MINUTE, stale, usd]).toEqual([true, true, null])
  })

  test('is refused to somebody who wants a younger one, after one purchase', async () => {
    const { feed, fake, clock } = setupFeed()
    fake.fault(hourOld)
    const refused = rejection(feed.price(BOLT, { maxAgeMs: MINUTE }), ResponseError)
    await clock.advance(5 * SECOND)
    expect(await refused).toMatchObject({ code: 'cached_answer', operation: 'token.price' })
    fake.expectRequests(1)
    const accepted = watch(feed.price(BOLT, { maxAgeMs: MINUTE, stale: 'allow' }))
    await clock.advance(5 * SECOND)
    expect(accepted.value).toMatchObject({ stale: true })
    fake.expectRequests(2)
    const old = watch(feed.price(BOLT, { maxAgeMs: 2 * 60 * MINUTE }))
    await clock.advance(5 * SECOND)
    expect(old.value).toMatchObject({ stale: false })
    fake.expectRequests(2)
  })

  test('is an hour old beside one that is invalid, with strict validation', async () => {
    const { feed, fake, clock } = setupFeed({}, {}, { validate: 'strict' })
    const transform = ({ data, ...rest }: { data: object }) => ({
      ...rest,
      data: { ...data, [CORE.toLowerCase()]: { usd: 5 } },
    })
    fake.fault({ ...hourOld, operation: 'prices.batch', transform: transform as never })
    const { prices } = recordWatch(feed, [BOLT, DYNO, CORE], MINUTE)
    await clock.advance(SECOND)
    expect(new Set(prices.map((one) => one.address))).toEqual(new Set([BOLT, DYNO]))
    expect(prices[0]?.ageMs).toBeGreaterThanOrEqual(60 * MINUTE)
    expect(prices[0]?.stale).toBe(true)
  })

  test('makes a portfolio stale, as balances do that were kept for so long, which are bought no more often', async () => {
    const wallet = address(2)
    const { feed, fake, clock } = setupFeed({}, { world: { balances: { [wallet]: { [BOLT]: '5' } } } })
    fake.fault({ ...hourOld, operation: 'balances.get' })
    const { seen } = read(watchPortfolio(feed, wallet, { everyMs: 5 * MINUTE, balancesEveryMs: 30 * MINUTE }))
    await clock.advance(30 * MINUTE - SECOND)
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.map(({ stale }) => stale)).not.toContain(false)
    fake.expectRequests(1, { operation: 'balances.get' })
  })

  test('is bought once for each interval by feeds on one store', async () => {
    const { another, fake, clock } = setupFeed()
    fake.fault(hourOld)
    const store = new Map()
    for (const feed of [another({ store }), another({ store })]) recordWatch(feed, BOLT, MINUTE)
    await clock.advance(10 * MINUTE)
    expect(fake.journal().length).toBeLessThanOrEqual(22)
  })
})

describe('with exclusiveKey, a balance that a cache on the way has kept', () => {
  /** A client whose way to the service has a cache for `account.me`, and an answer of `farm.list` that was lost after it was charged. */
  async function open(age: string | undefined) {
    const clock = createVirtualClock()
    const fake = createFakeService({ clock })
    let cached: string | undefined
    const fetchThroughCache: typeof fake.fetch = async (input, init) => {
      const request = new Request(input as Request, init)
      if (!request.url.endsWith('/me')) return fake.fetch(request)
      if (cached !== undefined) return new Response(cached, { headers: age === undefined ? {} : { age } })
      const response = await fake.fetch(request)
      cached = await response.clone().text()
      return response
    }
    const client = createClient({
      apiKey: fake.key,
      fetch: fetchThroughCache as typeof fetch,
      clock,
      budget: { credits: 10_000, exclusiveKey: true },
      retry: false,
    })
    const lose = async () => {
      fake.fault({ operation: 'farm.list', reset: 'after' })
      await client.farm.list().catch(() => {})
      await clock.advance(2 * MINUTE)
    }
    const charged = () => fake.ledger().reduce((sum, { credits }) => sum + credits, 0)
    await client.account.me()
    await lose()
    await client.account.me()
    return { client, charged, lose }
  }

  test.each(['120', '1', '0, 120', 'soon'])('and says so with Age: %s proves nothing', async (age) => {
    const { client, charged } = await open(age)
    expect(client.budget).toMatchObject({ spent: 0, uncertain: 3_000 })
    await client.token.price({ address: BOLT })
    expect(client.budget).toMatchObject({ spent: charged(), uncertain: 0 })
  })

  test('is not one that a front passed on with Age: 0, as Varnish and Traffic Server do: it proves what was lost', async () => {
    const fake = createFakeService({ clock: createVirtualClock() })
    const client = createClient({
      apiKey: fake.key,
      fetch: fake.fetch,
      budget: { credits: 10_000, exclusiveKey: true },
    })
    fake.fault({ headers: { age: '0' }, times })
    await client.account.me()
    // Sent again by a front: charged twice, answered once.
    await fake.fetch(`${fake.baseUrl}/farms/52014`, { headers: { authorization: `Bearer ${fake.key}` } })
    await client.farm.list()
    expect(client.budget).toMatchObject({ spent: fake.charged(), uncertain: 0 })
    expect(client.budget.spent).toBe(6_000)
  })

  test('and does not say so proves nothing any more as soon as an answer contradicts it', async () => {
    const { client, charged, lose } = await open(undefined)
    // What nobody can know yet.
    expect(client.budget).toMatchObject({ spent: 0, uncertain: 0 })
    await client.token.price({ address: BOLT })
    expect(client.budget).toMatchObject({ spent: charged(), uncertain: 0 })
    await lose()
    await client.account.me()
    expect(client.budget).toMatchObject({ spent: charged() - 3_000, uncertain: 3_000 })
    await client.token.price({ address: BOLT })
    expect(client.budget).toMatchObject({ spent: charged(), uncertain: 0 })
  })
})
