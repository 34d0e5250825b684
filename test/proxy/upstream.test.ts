import { describe, expect, test } from 'vitest'
import { settle } from '../support/settle.ts'
import { watch } from '../support/setup.ts'
import { errorOf, pricePath, setupProxy } from './setup.ts'

describe('what the service answers', () => {
  test.each([
    [{ status: 400, code: 'invalid_request' }, '400 invalid_request', null],
    [{ status: 401 }, '502 upstream_refused', '1'],
    [{ status: 402 }, '502 upstream_refused', '1'],
    [{ status: 403 }, '502 upstream_refused', '1'],
    [{ status: 404 }, '404 not_found', null],
    [{ status: 409 }, '502 upstream_failed', '1'],
    [{ status: 429, retryAfter: 7 }, '503 upstream_busy', '7'],
    [{ status: 429, retryAfter: false }, '503 upstream_busy', '1'],
    [{ status: 500 }, '502 upstream_failed', '1'],
    [{ status: 503, code: 'server_busy', retryAfter: 3 }, '503 upstream_busy', '3'],
    [{ status: 503, code: 'maintenance', retryAfter: 30 }, '503 upstream_busy', '30'],
    [{ front: 'nginx', charge: false }, '502 upstream_failed', '1'],
    [{ malformed: true }, '502 upstream_failed', '1'],
    [{ reset: 'before' }, '502 upstream_failed', '1'],
    [{ never: true }, '504 upstream_timeout', '1'],
  ] as const)('%o is answered with %s', async (fault, expected, retryAfter) => {
    const { ask, fake, clock } = setupProxy({}, {}, { retry: false })
    fake.fault(fault)
    const asked = watch(ask(pricePath()))
    await clock.advance(15_000)
    const response = asked.value as Response
    expect(response.headers.get('retry-after')).toBe(retryAfter)
    expect(response.headers.get('x-credits-cost')).toBeNull()
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await errorOf(response)).toBe(expected)
  })
})

test('a key function that fails is answered as a refusal, without its reason', async () => {
  const { ask } = setupProxy({}, {}, { apiKey: () => Promise.reject(new Error('vault at 10.0.0.1 is sealed')) })
  const response = await ask(pricePath())
  expect(response.status).toBe(502)
  expect(await response.text()).not.toContain('vault')
})

test('a total with a store counts across restarts', async () => {
  const entries = new Map<string, string>()
  const store = {
    get: (key: string) => entries.get(key),
    set: (key: string, value: string) => void entries.set(key, value),
  }
  const budget = { credits: 120, windowMs: 86_400_000, store }
  const first = setupProxy({ budget, perVisitor: { credits: 500, windowMs: 60_000 } })
  expect((await first.ask(pricePath(0))).headers.get('x-credits-remaining')).toBe('450')
  await settle()
  const second = setupProxy({ budget })
  expect((await second.ask(pricePath(1))).status).toBe(200)
  expect(await errorOf(second.ask(pricePath(2)))).toBe('429 budget_exceeded')
  expect(first.fake.charged() + second.fake.charged()).toBe(100)
})

test('a total whose store fails sends nothing', async () => {
  const store = { get: () => Promise.reject(new Error('redis at 10.0.0.1')), set: () => {} }
  const { ask, fake } = setupProxy({ budget: { credits: 500, store }, perVisitor: { credits: 50, windowMs: 60_000 } })
  const response = await ask(pricePath())
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.text()).not.toContain('10.0.0.1')
  fake.expectRequests(0)
})

test.each([
  ['of the proxy', { budget: { credits: 60, windowMs: 5_000 } }, {}],
  ['of the client, which is a total as well,', {}, { budget: { credits: 60, windowMs: 5_000 } }],
])('what the budget %s refuses is not left on the visitor', async (_, options, clientOptions) => {
  const perVisitor = { credits: 100, windowMs: 60_000 }
  const { ask, client, clock, fake } = setupProxy({ perVisitor, ...options }, {}, clientOptions)
  await ask(pricePath(0))
  for (let count = 0; count < 5; count++) {
    const refused = await ask(pricePath(1))
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await errorOf(refused)).toBe('429 budget_exceeded')
  }
  await clock.advance(5_000)
  expect((await ask(pricePath(1))).headers.get('x-credits-remaining')).toBe('0')
  expect(client.budget).toMatchObject({ reserved: 0, uncertain: 0 })
  fake.expectCredits(100)
})
