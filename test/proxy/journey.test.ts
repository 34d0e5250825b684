import { InvalidLimitError, NotFoundError, PermissionError, RateLimitError, ServiceError } from 'etn-market'
import { expect, test } from 'vitest'
import { rejection, watch } from '../support/setup.ts'
import { setupProxy, TOKENS } from './setup.ts'

const MINUTE = 60_000
const UNKNOWN = `0x${'0'.repeat(39)}1`
const [TOKEN = '', OTHER = ''] = TOKENS

test('a page without a key gets the data and the costs of the service', async () => {
  const { fake, page, client } = setupProxy({
    allow: ['token.list', 'prices.batch', { operation: 'token.candles', limit: 20 }, 'trade.list', 'meta.openapi'],
  })
  const own = page()
  const listed = await own.token.list({ limit: 5 }).withMeta()
  expect(listed.meta.credits).toMatchObject({ charged: 125, source: 'header' })
  const addresses = [...TOKENS.slice(0, 3), UNKNOWN, TOKEN.toLowerCase()]
  const prices = await own.prices.batch({ addresses }).withMeta()
  expect(prices.meta.credits).toMatchObject({ charged: 140, source: 'header' })
  const candles = await own.token.candles({ address: TOKEN, bucket: '1d' }).withMeta()
  expect(candles.meta.credits.charged).toBe(120)
  const trades = await own.trade.list({ limit: 3 })
  const openapi = await own.meta.openapi().withMeta()
  expect(openapi.meta.credits).toMatchObject({ charged: 0, source: 'none' })

  expect(fake.charged()).toBe(own.credits.charged)
  expect(listed.data).toEqual(await client.token.list({ limit: 5 }))
  expect(prices.data).toEqual(await client.prices.batch({ addresses }))
  expect(candles.data).toEqual(await client.token.candles({ address: TOKEN, bucket: '1d', limit: 20 }))
  expect(trades).toEqual(await client.trade.list({ limit: 3 }))
  expect(openapi.data).toEqual(await client.meta.openapi())
})

test('errors arrive as the classes and fields that the service causes', async () => {
  const { page, fake } = setupProxy({ allow: ['token.price', { operation: 'token.list', limit: 10 }] })
  const own = page('ada', { retry: false })
  expect(await rejection(own.token.price({ address: UNKNOWN }), NotFoundError)).toMatchObject({
    status: 404,
    credits: 0,
  })
  const limit = await rejection(own.token.list({ limit: 11 }), InvalidLimitError)
  expect(limit).toMatchObject({ code: 'invalid_limit', status: 400, message: expect.stringContaining('at most 10') })
  const refused = await rejection(own.nft.stats(), PermissionError)
  expect(refused).toMatchObject({ code: 'not_allowed', status: 403 })
  fake.expectCredits(0)
})

test('a call that does not fit the credits of a visitor holds up no other call', async () => {
  const { page, fake, clock } = setupProxy({
    allow: ['token.price', 'nft.stats', 'farm.list'],
    perVisitor: { credits: 100, windowMs: 60 * MINUTE },
  })
  const ada = page('ada')
  await ada.token.price({ address: TOKEN })
  const startedAt = clock.now()
  // More than the client allows of real refusals in a minute.
  for (let refusals = 0; refusals < 20; refusals++) {
    const error = await rejection(ada.farm.list(), RateLimitError)
    expect(error).toMatchObject({ code: 'visitor_budget_exceeded', retryAfterMs: 60 * MINUTE, attempts: 1 })
    expect(error.message).toContain('Cheaper calls may fit')
  }
  await ada.nft.stats()
  const { meta } = await ada.token.price({ address: TOKEN }).withMeta()
  expect([meta.credits.charged, clock.now() - startedAt]).toEqual([0, 0])
  fake.expectCredits({ 'token.price': 50, 'nft.stats': 25 })
})

test('a spent visitor waits for the end of the window, which Retry-After states', async () => {
  const { clock, page, fake } = setupProxy({ perVisitor: { credits: 120, windowMs: 30_000 } })
  const ada = page('ada')
  await ada.token.price({ address: TOKEN })
  await clock.advance(10_000)
  await ada.token.price({ address: OTHER })
  const third = watch(ada.token.price({ address: TOKENS[2] ?? '' }))
  await clock.advance(19_000)
  expect(third.state).toBe('pending')
  fake.expectCredits(100)
  await clock.advance(2_000)
  expect(third.state).toBe('resolved')
  const bob = await page('bob').token.price({ address: TOKENS[3] ?? '' })
  expect(bob.address).toBe(TOKENS[3])
  fake.expectCredits(200)
})

test('a total that is spent is a RateLimitError with the time until it renews', async () => {
  const { page, clock } = setupProxy({ budget: { credits: 70, windowMs: 10 * MINUTE } })
  await page('ada').token.price({ address: TOKEN })
  await clock.advance(MINUTE)
  const error = await rejection(page('bob').token.price({ address: OTHER }), RateLimitError)
  expect(error).toMatchObject({ code: 'budget_exceeded', retryAfterMs: 9 * MINUTE, credits: 0, charge: 'none' })
})

test('a refused key is not blamed on the page, and is not retried for ever', async () => {
  const { page, fake, clock } = setupProxy()
  fake.fault({ status: 401, times: Number.POSITIVE_INFINITY })
  const error = watch(page().token.price({ address: TOKEN }))
  await clock.advance(MINUTE)
  expect(error.error).toBeInstanceOf(ServiceError)
  expect(error.error).toMatchObject({ code: 'upstream_refused', status: 502, charge: 'none', attempts: 3 })
})

test('closing the proxy leaves the client open', async () => {
  const { page, proxy, client, clock, fake } = setupProxy({}, { latencyMs: 300 })
  const pending = watch(page().token.price({ address: TOKEN }))
  await clock.advance(100)
  const closed = watch(proxy.close())
  await clock.advance(100)
  expect([pending.state, closed.state]).toEqual(['pending', 'pending'])
  await clock.advance(200)
  expect([pending.state, closed.state]).toEqual(['resolved', 'resolved'])
  const late = watch(page('ada', { retry: false }).token.price({ address: TOKEN }))
  const own = watch(client.token.price({ address: OTHER }))
  await clock.advance(1_000)
  expect(late.error).toMatchObject({ code: 'proxy_closed', status: 503 })
  expect(own.state).toBe('resolved')
  fake.expectCredits(100)
  expect(clock.pending).toBe(0)
})

test('closing the proxy waits for the token list, which the visitor who needs it gets', async () => {
  const { ask, proxy, clock, fake } = setupProxy(
    { allow: [{ operation: 'token.price', tokens: 'listed' }] },
    { latencyMs: 300 },
  )
  const asked = watch(ask(`/prices/52014/${TOKEN}`))
  await clock.advance(100)
  const closed = watch(proxy.close())
  await clock.advance(400)
  expect(closed.state).toBe('pending')
  await clock.advance(200)
  expect([asked.value?.status, closed.state]).toEqual([200, 'resolved'])
  fake.expectCredits({ 'token.list': 600, 'token.price': 50 })
})
