import { InvalidRequestError, ResponseError } from 'etn-market'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { costs, html, ok, raw, refusal } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { KEY, rejection, setup, watch } from '../support/setup.ts'

const budget = { credits: 1_000 }
const ids = ['type', 'operation', 'callId', 'requestId', 'attempt'] as const

// Its retries and what they are charged: `policy-model.test.ts`; when it is aborted: `abort.test.ts`.
describe('client.request()', () => {
  test('goes below baseUrl with the key and the query, and resolves to the data, untyped', async () => {
    const { client, script } = setup(() => ok([{ pool: 1 }], costs(120)), { budget })
    const data = await client.request('/staking/52014', {
      query: { limit: 5, open: true, owner: 'a b&c', none: undefined },
      maxCredits: 500,
    })
    expectTypeOf(data).toBeUnknown()
    expect(data).toEqual([{ pool: 1 }])
    const [{ url, headers } = { url: new URL('x:'), headers: new Headers() }] = script.requests
    expect(url.href).toBe('https://market.test/v1/staking/52014?limit=5&open=true&owner=a+b%26c')
    expect(headers.get('authorization')).toBe(`Bearer ${KEY}`)
  })

  const DOTS = '.. /.. /../account /tokens/../../me /./me /%2e%2e/me /%2E./me /tokens/%2e%2E /a%2fb /a%2F..%2Fb'
  const OTHERS = '/a%5cb /a\\..\\b https://evil.test/x //evil.test/x /\\evil.test /x?a=1 /x#y /%zz / /a//b /ü'
  const ODD = ['/x y', '/x\n', '/x\r\nHost: evil.test', '', undefined, null, 7, {}]
  test.each([...DOTS.split(' '), ...OTHERS.split(' '), ...ODD])(
    'the path %j is rejected, and nothing is sent',
    async (path) => {
      const { client, script } = setup(() => ok(1, costs(1)), { budget })
      const error = await rejection(client.request(path as string, { maxCredits: 10 }), InvalidRequestError)
      expect(error).toMatchObject({ attempts: 0, charge: 'none', operation: 'request' })
      expect(script.requests).toHaveLength(0)
      expect(client.budget.reserved).toBe(0)
    },
  )

  test.each([
    undefined,
    {},
    { maxCredits: -1 },
    { maxCredits: 1.5 },
    { maxCredits: Number.NaN },
    { maxCredits: Number.POSITIVE_INFINITY },
    { maxCredits: '5' },
    { maxCredits: 5, query: 'a=1' },
    { maxCredits: 5, query: { a: {} } },
    { maxCredits: 5, body: 'x' },
    { maxCredits: 5, partial: 'return' },
  ])('the options %j are rejected', async (options) => {
    const { client, script } = setup(() => ok(1, costs(1)))
    await rejection(client.request('/x', options as { maxCredits: number }), InvalidRequestError)
    expect(script.requests).toHaveLength(0)
  })

  test('reserves maxCredits, and is charged what the header states', async () => {
    const { client, clock, script, events } = setup(undefined, { budget })
    const outcome = watch(client.request('/x', { maxCredits: 400 }).withMeta())
    await clock.advance(0)
    expect(client.budget).toMatchObject({ reserved: 400, available: 600 })
    script.open[0]?.answer(ok({ a: 1 }, costs(70, 5_000)))
    await flush()
    expect(client.budget).toMatchObject({ spent: 70, reserved: 0 })
    expect(outcome.value?.meta).toMatchObject({
      attempts: 1,
      requests: 1,
      status: 200,
      credits: { estimated: 400, charged: 70, remaining: 5_000, source: 'header' },
    })
    expect(outcome.value?.meta.headers?.['x-credits-cost']).toBe('70')
    expect(client.credits.byOperation).toEqual({ request: 70 })
    expect(events.map(({ type }) => type)).toEqual([
      'call.started',
      'request.sent',
      'credits.charged',
      'request.succeeded',
      'call.succeeded',
    ])
    for (const event of events) expect(event).toMatchObject({ operation: 'request', callId: '1' })
    expect(events[1]).toMatchObject({ requestId: '1.1', attempt: 1, params: { path: '/x' } })
    expect(Object.keys(events[3] ?? {})).toEqual(expect.arrayContaining([...ids]))
  })

  test('is charged maxCredits where no header states the charge', async () => {
    const { client } = setup(() => ok([1, 2]), { budget })
    const { meta } = await client.request('/x', { maxCredits: 300 }).withMeta()
    expect(meta.credits).toMatchObject({ charged: 300, source: 'computed' })
    expect(client.budget.spent).toBe(300)
  })

  test('with maxCredits 0 may have been charged too: its price is not known', async () => {
    const { client } = setup(() => html(502), { budget, retry: false })
    await expect(client.request('/status', { maxCredits: 0 })).rejects.toMatchObject({ charge: 'unknown' })
  })

  test('shares a request in flight with an equal call only', async () => {
    const { client, clock, script } = setup(undefined, { budget })
    const call = (path: string, query: object, maxCredits = 10) =>
      watch(client.request(path, { query: query as Record<string, string>, maxCredits }).withMeta())
    const outcomes = [call('/x', { a: '1' }), call('x', { a: '1' }), call('/x', { a: '2' }), call('/x', { a: '1' }, 20)]
    await clock.advance(0)
    expect(script.requests).toHaveLength(3)
    for (const exchange of script.open) exchange.answer(ok([], costs(10)))
    await flush()
    expect(outcomes.map(({ value }) => value?.meta.credits.charged)).toEqual([10, 0, 10, 10])
    expect(outcomes[0]?.value?.data).not.toBe(outcomes[1]?.value?.data)
  })

  test('an error of the service, and a body without data', async () => {
    const { client } = setup(({ number }) => (number === 1 ? refusal(404, 'not_found') : raw('{"a":1}', costs(5))), {
      budget,
    })
    await expect(client.request('/x', { maxCredits: 10 })).rejects.toMatchObject({
      code: 'not_found',
      operation: 'request',
      params: { path: '/x' },
      charge: 'none',
    })
    const error = await rejection(client.request('/x', { maxCredits: 10 }), ResponseError)
    expect(error).toMatchObject({ code: 'no_data', charge: 'charged', credits: 5 })
    expect(client.budget).toMatchObject({ spent: 5, uncertain: 0, reserved: 0 })
  })

  test('is not cached', async () => {
    const { client, script } = setup(() => ok([], costs(1)), { cache: { ttlMs: { 'token.list': 5_000 } } })
    await client.request('/tokens/52014', { maxCredits: 1 })
    await client.request('/tokens/52014', { maxCredits: 1 })
    expect(script.requests).toHaveLength(2)
  })
})
