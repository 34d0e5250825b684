import type { ClientOptions } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, ok, price, refusal } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, addresses, setup } from '../support/setup.ts'
import { createStore } from '../support/store.ts'

const TOKEN = address(1)
const LIST = [{ address: TOKEN, name: 'a', symbol: 'A', decimals: 18, totalSupply: 1 }]
const cache: ClientOptions['cache'] = { ttlMs: { 'token.list': 10_000, 'token.price': 5_000, 'prices.batch': 5_000 } }

const list = () => ok(LIST, costs(105))

describe('the cache', () => {
  test('is off by default', async () => {
    const { client, script } = setup(list)
    await client.token.list()
    await client.token.list()
    expect(script.requests).toHaveLength(2)
  })

  test('answers within the time to live at no cost and without a reservation', async () => {
    const { client, clock, script, events } = setup(list, { cache, budget: { credits: 600 } })
    await client.token.list()
    await clock.advance(9_999)
    const { data, meta } = await client.token.list().withMeta()
    expect(data).toEqual(LIST)
    expect(meta).toMatchObject({ cached: true, requests: 0, attempts: 0, credits: { charged: 0, source: 'none' } })
    expect(script.requests).toHaveLength(1)
    expect(events.at(-2)).toEqual({ type: 'cache.hit', callId: '2', requestId: '2.1', operation: 'token.list' })
    expect(client.budget.spent).toBe(105)
  })

  test('answers equal parameters only, with an address in any case', async () => {
    const { client, script } = setup(() => ok(price(TOKEN), costs(50)), { cache })
    await client.token.price({ address: TOKEN })
    await client.token.price({ address: TOKEN.toLowerCase() })
    expect(script.requests).toHaveLength(1)
    await client.token.price({ address: address(2) })
    await client.token.get({ address: TOKEN })
    await client.token.get({ address: TOKEN })
    expect(script.requests).toHaveLength(4)
  })

  test('returns the original answer after a caller has changed its copy', async () => {
    const { client } = setup(list, { cache })
    const first = await client.token.list()
    first.splice(0)
    const second = await client.token.list()
    expect(second).toEqual(LIST)
    second[0]!.name = 'changed'
    expect(await client.token.list()).toEqual(LIST)
  })

  test('does not store errors', async () => {
    const { client, script } = setup(({ number }) => (number === 1 ? refusal(404, 'x') : ok(LIST, costs(105))), {
      cache,
    })
    await client.token.list().catch(() => {})
    expect(await client.token.list()).toEqual(LIST)
    expect(script.requests).toHaveLength(2)
  })

  test('stores chunks of a batch, and tokens without a price', async () => {
    const { client, script } = setup(() => ok({}, costs(600)), { cache })
    const asked = addresses(60)
    const first = await client.prices.batch({ addresses: asked })
    const { data, meta } = await client.prices.batch({ addresses: [...asked] }).withMeta()
    expect(data).toEqual(first)
    expect(meta).toMatchObject({ cached: true, requests: 0 })
    expect(script.requests).toHaveLength(2)
  })

  test('never stores account.me, nor anything else that ttlMs gets later', async () => {
    const ttlMs: Record<string, number> = { 'token.get': 5_000 }
    const { client, script } = setup(() => ok({ credits: 5, tier: 'x' }), { cache: { ttlMs } })
    Object.assign(ttlMs, { 'account.me': 5_000, 'token.list': 5_000 })
    for (const call of [client.account.me, client.account.me, client.token.list, client.token.list]) await call()
    expect(script.requests).toHaveLength(4)
  })

  test.each([0, undefined])('does not store an operation whose time to live is %s', async (ms) => {
    const { client, script } = setup(list, { cache: { ttlMs: { 'token.list': ms } } })
    await client.token.list()
    await client.token.list()
    expect(script.requests).toHaveLength(2)
  })

  test.each<[string, object]>([
    ['Unknown cache option "stoer". Did you mean store?', { ttlMs: {}, stoer: {} }],
    ['Unknown operation of cache.ttlMs "token.prise". Did you mean token.price?', { ttlMs: { 'token.prise': 5 } }],
    ['Unknown operation of cache.ttlMs "account.me". Known: etn.price, ', { ttlMs: { 'account.me': 5 } }],
    [
      "Invalid cache.ttlMs['token.price']: Infinity. It must be a finite number of milliseconds, or 0 for none.",
      { ttlMs: { 'token.price': Number.POSITIVE_INFINITY } },
    ],
    ["Invalid cache.ttlMs['token.price']: 60000. It must be a finite number", { ttlMs: { 'token.price': '60000' } }],
  ])('that would buy every answer is refused: %s', (message, given) => {
    expect(() => setup(list, { cache: given as never })).toThrow(message)
  })

  test('is shared by clients that get the same store, of one service', async () => {
    const { store } = createStore()
    const shared = { ...cache, store } as ClientOptions['cache']
    const made = [
      setup(list, { cache: shared }),
      setup(list, { cache: shared }),
      setup(list, { cache }),
      setup(list, { cache: shared, baseUrl: 'https://staging.test/v1' }),
    ]
    for (const { client } of made) {
      await client.token.list()
      await flush()
    }
    expect(made.map(({ script }) => script.requests.length)).toEqual([1, 0, 1, 1])
  })
})
