import { type BeforeRequestHook, createClient, type EtnMarketError, type Hooks, InvalidRequestError } from 'etn-market'
import ky from 'ky'
import { describe, expect, test } from 'vitest'
import type { BeforeRequestState } from '../../src/client/options.ts'
import { allRepresentations } from '../support/all-representations.ts'
import { costs, limited, ok, price, raw, refusal } from '../support/answers.ts'
import type { Handler } from '../support/script.ts'
import { address, BASE_URL, KEY, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
const OTHER_KEY = 'esk_live_of_somebody_else'
const answer: Handler = () => ok(price(TOKEN), costs(50))

async function call(hooks: Hooks, handler = answer, retry: { limit: number } | undefined = undefined) {
  const made = setup(handler, { hooks, budget: { credits: 1_000 }, retry })
  const outcome = watch(made.client.token.price({ address: TOKEN }).withMeta())
  await made.clock.advance(30_000)
  return { ...made, outcome, error: outcome.error as EtnMarketError }
}

const fail = (error: unknown) => () => {
  throw error
}

test('hooks are told to which call, operation and attempt a request belongs, by the names of events', async () => {
  const seen: unknown[] = []
  const note =
    (hook: string) =>
    ({ operation, callId, attempt }: BeforeRequestState) =>
      void seen.push([hook, operation, callId, attempt])
  const events: unknown[] = []
  const { client, clock } = setup(({ number }) => (number === 1 ? refusal(500, 'x') : ok(price(TOKEN), costs(50))), {
    hooks: { beforeRequest: [note('before')], afterResponse: [note('after')] },
    onEvent(event) {
      if (event.type === 'request.sent') events.push(['before', event.operation, event.callId, event.attempt])
    },
  })
  for (const call of [client.token.price({ address: TOKEN }), client.request('/prices/new', { maxCredits: 50 })])
    watch(call)
  await clock.advance(30_000)
  expect(seen).toHaveLength(6)
  expect(seen).toEqual(
    expect.arrayContaining([...events, ['after', 'token.price', '1', 2], ['after', 'request', '2', 1]]),
  )
})

describe('beforeRequest', () => {
  test('adds headers to each request, retries included, and keeps the key', async () => {
    let count = 0
    const { script } = await call(
      { beforeRequest: [({ request }) => request.headers.set('traceparent', `00-${++count}`)] },
      ({ number }) => (number === 1 ? refusal(500, 'x') : ok(price(TOKEN), costs(50))),
    )
    expect(script.requests.map(({ headers }) => headers.get('traceparent'))).toEqual(['00-1', '00-2'])
    expect(script.requests.map(({ headers }) => headers.get('authorization'))).toEqual([
      `Bearer ${KEY}`,
      `Bearer ${KEY}`,
    ])
  })

  test('runs in order, and may be asynchronous', async () => {
    const order: string[] = []
    const step = (name: string) => async () => {
      await Promise.resolve()
      order.push(name)
    }
    await call({ beforeRequest: [step('a'), step('b')], afterResponse: [step('c'), step('d')] })
    expect(order).toEqual(['a', 'b', 'c', 'd'])
  })

  test('may send another Request within the origin, once', async () => {
    const { outcome, script } = await call({
      beforeRequest: [
        ({ request }) =>
          new Request(`${BASE_URL}/elsewhere`, { headers: { ...Object.fromEntries(request.headers), x: '1' } }),
        fail(new Error('skipped')),
      ],
    })
    expect(outcome.state).toBe('resolved')
    expect(script.requests.map(({ url, headers }) => [url.href, headers.get('x')])).toEqual([
      [`${BASE_URL}/elsewhere`, '1'],
    ])
    expect(script.requests[0]?.headers.get('authorization')).toBe(`Bearer ${KEY}`)
  })

  test('has its Request aborted with the call', async () => {
    const hooks: Hooks = { beforeRequest: [({ request }) => new Request(request.url, { headers: request.headers })] }
    const { client, clock, script } = setup(undefined, { hooks })
    const caller = new AbortController()
    watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    await clock.advance(0)
    caller.abort()
    expect(script.requests.map(({ aborted }) => aborted)).toEqual([true])
  })

  test.each(['https://evil.test/v1/x', 'http://market.test/v1/x', 'https://market.test:8443/v1/x'])(
    'may not send the key to another origin: %s',
    async (url) => {
      const { error, script, client } = await call({ beforeRequest: [({ request }) => new Request(url, request)] })
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(error).toMatchObject({ code: 'hook_failed', charge: 'none' })
      expect(error.message).toContain('beforeRequest[0]')
      expect(script.requests).toHaveLength(0)
      expect(client.budget.available).toBe(1_000)
      expect(allRepresentations(error)).not.toContain(KEY)
    },
  )

  const asOther = ({ request }: BeforeRequestState, headers: object) =>
    new Request(request, { headers: { ...Object.fromEntries(request.headers), ...headers } })

  test.each<[string, BeforeRequestHook]>([
    ['sets another', ({ request }) => request.headers.set('Authorization', `Bearer ${OTHER_KEY}`)],
    ['sets the same with another scheme', ({ request }) => request.headers.set('authorization', `bearer ${KEY}`)],
    ['adds one', ({ request }) => request.headers.append('authorization', `Bearer ${OTHER_KEY}`)],
    ['removes it', ({ request }) => request.headers.delete('authorization')],
    ['returns a Request with another', (state) => asOther(state, { authorization: `Bearer ${OTHER_KEY}` })],
    ['returns a Request without it', ({ request }) => new Request(request.url)],
  ])('may not change the key: %s', async (_, hook) => {
    const { error, script, client } = await call({ beforeRequest: [() => {}, hook, () => {}] })
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ code: 'hook_failed', attempts: 0, charge: 'none' })
    expect(error.message).toContain('beforeRequest[1]')
    expect(error.message).toContain('apiKey: () =>')
    expect(script.requests).toHaveLength(0)
    expect(client.budget.available).toBe(1_000)
    expect(allRepresentations(error)).not.toMatch(new RegExp(`${KEY}|${OTHER_KEY}`))
  })

  test.each<[string, unknown]>([
    ['a response of another implementation', { status: 200, headers: new Map(), text: async () => '{}' }],
    ['something else', {}],
    ['Response.error()', Response.error()],
  ])('is no answer, and nothing is sent, when it returns %s', async (_, value) => {
    const { error, script } = await call({ beforeRequest: [() => value as never] })
    expect(error).toMatchObject({ code: 'hook_failed', attempts: 0, charge: 'none' })
    expect(script.requests).toHaveLength(0)
  })

  test('may not set a key where the client has none, and is no reason to call the public service without one', async () => {
    const beforeRequest = [({ request }: BeforeRequestState) => request.headers.set('authorization', OTHER_KEY)]
    const { client, script } = setup(answer, { apiKey: undefined, hooks: { beforeRequest } })
    await expect(client.token.price({ address: TOKEN })).rejects.toMatchObject({ code: 'hook_failed' })
    expect(script.requests).toHaveLength(0)
    const onPublic = setup(answer, { apiKey: undefined, baseUrl: undefined, hooks: { beforeRequest } })
    await expect(onPublic.client.etn.price()).rejects.toMatchObject({ code: 'api_key_missing' })
  })

  test.each([
    ['an Error', new Error('no trace')],
    ['a text', 'no trace'],
    ['undefined', undefined],
  ])(
    'rejects the call with the name of the hook when it throws %s: nothing is sent, charged or retried',
    async (_, thrown) => {
      for (const hook of [fail(thrown), () => Promise.reject(thrown)]) {
        const { error, script, client } = await call({ beforeRequest: [() => {}, hook] })
        expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'hook_failed', charge: 'none', credits: 0 })
        expect(error.cause).toBe(thrown)
        expect(error.message).toContain('beforeRequest[1]')
        expect(script.requests).toHaveLength(0)
        expect(client.budget).toMatchObject({ available: 1_000, reserved: 0, uncertain: 0 })
      }
    },
  )

  test('may answer by itself: that is no attempt, and costs nothing', async () => {
    const seen: number[] = []
    const { outcome, script, client, events } = await call({
      beforeRequest: [() => ok(price(TOKEN), costs(7, 3))],
      afterResponse: [({ response }) => void seen.push(response.status)],
    })
    expect(outcome.value).toMatchObject({ data: price(TOKEN), meta: { attempts: 0, credits: { charged: 0 } } })
    expect([script.requests.length, seen]).toEqual([0, [200]])
    expect(client.budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 0 })
    expect(client.credits).toMatchObject({ charged: 0, remaining: undefined })
    expect(events.map(({ type }) => type)).toEqual(['call.started', 'call.succeeded'])
  })

  test('that waits leaves the whole time of an attempt to the request', async () => {
    const options = {
      hooks: { beforeRequest: [() => clock.sleep(5_000)] },
      timeoutMs: 3_000,
      retry: false as const,
    }
    const { client, clock, script } = setup(() => undefined, options)
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(5_000)
    await clock.advance(2_900)
    script.requests[0]?.answer(ok(price(TOKEN), costs(50)))
    await clock.advance(0)
    expect([outcome.state, script.requests.length]).toEqual(['resolved', 1])
  })

  test('that never settles delays neither the deadline nor an abort, and sends nothing later', async () => {
    let resume = () => {}
    const waiting = new Promise<void>((resolve) => {
      resume = resolve
    })
    const options = {
      hooks: { beforeRequest: [() => waiting] },
      timeoutMs: 100,
      deadlineMs: 1_000,
      budget: { credits: 50 },
    }
    const { client, clock, script } = setup(answer, options)
    const late = watch(client.token.price({ address: TOKEN }))
    await clock.advance(1_000)
    expect(late.error).toMatchObject({ code: 'deadline_exceeded', attempts: 0, charge: 'none' })
    const caller = new AbortController()
    const aborted = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
    await clock.advance(0)
    caller.abort('enough')
    await clock.advance(0)
    expect(aborted.error).toBe('enough')
    resume()
    await clock.advance(0)
    expect([script.requests.length, client.budget.available]).toEqual([0, 50])
  })
})

describe('afterResponse', () => {
  test('reads the raw response of every attempt, and leaves it to the client', async () => {
    const seen: unknown[] = []
    const { outcome } = await call(
      {
        afterResponse: [
          async ({ request, response }) => void seen.push([request.url, response.status, await response.text()]),
        ],
      },
      ({ number }) => (number === 1 ? refusal(500, 'x') : ok(price(TOKEN), costs(50))),
    )
    expect(outcome.state).toBe('resolved')
    expect(seen).toMatchObject([
      [`${BASE_URL}/prices/52014/${TOKEN}`, 500, expect.stringContaining('"x"')],
      [`${BASE_URL}/prices/52014/${TOKEN}`, 200, expect.stringContaining(TOKEN)],
    ])
  })

  test('may replace the response', async () => {
    const { outcome } = await call({
      afterResponse: [
        ({ response: { headers } }) => Response.json({ data: { ...price(TOKEN), usd: '9' } }, { headers }),
      ],
    })
    expect(outcome.value).toMatchObject({ data: { usd: '9' }, meta: { credits: { charged: 50, source: 'header' } } })
  })

  test.each<[string, Handler, object]>([
    ['the header', answer, { spent: 50, uncertain: 0 }],
    ['the items in the body, without the header', () => ok(price(TOKEN)), { spent: 50, uncertain: 0 }],
    ['nothing for a refusal', () => limited(), { spent: 0, uncertain: 0 }],
    ['nothing known for a gateway', () => raw('<html>', {}, 502), { spent: 0, uncertain: 50 }],
  ])('rejects the call when it throws, is not retried, and is billed by %s', async (_, handler, money) => {
    const { error, script, client } = await call({ afterResponse: [() => {}, fail(new Error('mine'))] }, handler)
    expect(error).toMatchObject({ code: 'hook_failed', attempts: 1, cause: { message: 'mine' } })
    expect(error.message).toContain('afterResponse[1]')
    expect(script.requests).toHaveLength(1)
    expect(client.budget).toMatchObject({ reserved: 0, ...money })
  })

  test.each([
    ['with a header that no Response takes', 200, [[':status', '200']]],
    ['with a body that its status does not allow', 204, []],
  ])('is not handed an answer of a custom fetch %s, which is not bought again', async (_, status, lines) => {
    let requests = 0
    const headers = new Map([['x-credits-cost', '50'], ...(lines as [string, string][])])
    const fetch = async () => {
      requests++
      return { status, headers, text: async () => JSON.stringify({ data: price(TOKEN) }) } as unknown as Response
    }
    const client = createClient({
      apiKey: 'esk_test_key',
      baseUrl: 'http://any',
      fetch,
      hooks: { afterResponse: [() => {}] },
    })
    const error = await client.token.price({ address: TOKEN }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid_fetch', credits: 50, charge: 'charged' })
    expect(requests).toBe(1)
  })

  test('that throws leaves the body in the error', async () => {
    const { error } = await call({ afterResponse: [fail(new Error('mine'))] })
    expect(error).toMatchObject({ name: 'ResponseError', charge: 'charged', credits: 50, status: 200 })
    expect(error.body).toContain(TOKEN)
  })

  test.each<[string, NonNullable<Hooks['afterResponse']>[number]]>([
    [
      'a response whose body it has read',
      async ({ response }) => {
        await response.text()
        return response
      },
    ],
    ['what asks ky for a retry', () => ky.retry() as unknown as undefined],
  ])('is reported, and nothing is sent again, when it returns %s', async (_, hook) => {
    const { error, script, client } = await call({ afterResponse: [hook, () => {}] })
    expect(error).toMatchObject({ code: 'hook_failed', credits: 50 })
    expect(error.message).toContain('afterResponse[0]')
    expect(script.requests).toHaveLength(1)
    expect(client.budget.spent).toBe(50)
  })
})
