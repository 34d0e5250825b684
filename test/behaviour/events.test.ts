import type { ClientEvent } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, cutOff, limited, networkError, ok, price, refusal, tokens, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

describe('the events', () => {
  test('of a call that succeeds have its ids, its credits and its duration', async () => {
    const { client, clock, script, events } = setup()
    watch(client.token.price({ address: TOKEN }))
    await clock.advance(1_234)
    script.open[0]?.answer(ok(price(TOKEN), costs(50, 950)))
    await flush()
    const params = { address: TOKEN }
    const call = { callId: '1', operation: 'token.price' }
    const attempt = { ...call, requestId: '1.1', attempt: 1 }
    const totals = {
      credits: 50,
      charge: 'charged',
      attempts: 1,
      shared: false,
      cached: false,
      durationMs: expect.closeTo(1_234, 1),
    }
    expect(events).toEqual([
      { type: 'call.started', ...call, params, estimated: 50 },
      { type: 'request.sent', ...attempt, params },
      { type: 'credits.charged', ...attempt, credits: 50, remaining: 950 },
      { type: 'request.succeeded', ...attempt, status: 200, durationMs: expect.closeTo(1_234, 1) },
      { type: 'call.succeeded', ...call, params, ...totals },
    ])
  })

  test('of a call with retries report each attempt, each wait and each lost answer', async () => {
    const answers = [
      () => refusal(500, 'Internal', wait(2)),
      () => networkError('ECONNRESET'),
      () => refusal(404, 'not_found'),
    ]
    const { client, clock, events } = setup(({ number }) => answers[number - 1]?.())
    clock.randomValue = 0.5
    watch(client.token.price({ address: TOKEN }))
    await clock.advance(10_000)
    const params = { address: TOKEN }
    const call = { callId: '1', operation: 'token.price' }
    const attempt = (number: number) => ({ ...call, requestId: '1.1', attempt: number })
    expect(events).toEqual([
      { type: 'call.started', ...call, params, estimated: 50 },
      { type: 'request.sent', ...attempt(1), params },
      { type: 'request.failed', ...attempt(1), status: 500, code: 'internal', durationMs: 0 },
      { type: 'retry.scheduled', ...attempt(1), code: 'internal', waitMs: 2_100 },
      { type: 'request.sent', ...attempt(2), params },
      { type: 'credits.uncertain', ...attempt(2), credits: 50 },
      { type: 'request.failed', ...attempt(2), code: 'connection_lost', durationMs: 0 },
      { type: 'retry.scheduled', ...attempt(2), code: 'connection_lost', waitMs: 500 },
      { type: 'request.sent', ...attempt(3), params },
      { type: 'request.failed', ...attempt(3), status: 404, code: 'not_found', durationMs: 0 },
      {
        type: 'call.failed',
        ...call,
        params,
        credits: 0,
        charge: 'unknown',
        attempts: 3,
        shared: false,
        cached: false,
        durationMs: expect.closeTo(2_600, 1),
        code: 'not_found',
        errorName: 'NotFoundError',
      },
    ])
  })
})

const OF_CALL = ['call.started', 'call.succeeded', 'call.failed']
type Fields = ClientEvent & Record<string, unknown>

/** Calls of every kind, and all their events. */
async function eventsOf(handler: Handler) {
  const { client, clock, script, events } = setup(handler, {
    budget: { credits: 100_000 },
    cache: { ttlMs: { 'token.list': 60_000 } },
    timeoutMs: 1_000,
  })
  const run = () => [
    watch(client.token.price({ address: TOKEN })),
    watch(client.token.price({ address: TOKEN })),
    watch(client.prices.batch({ addresses: addresses(120) })),
    watch(client.token.list({ limit: 5 })),
    watch(client.locks.get({ address: TOKEN })),
    watch(client.request('/x', { maxCredits: 10 })),
  ]
  run()
  await clock.advance(90_000)
  run()
  await clock.advance(90_000)
  await client.close()
  return { events: events as Fields[], sent: script.requests.length }
}

const answerOf: Handler = ({ url }) => {
  if (url.pathname.includes('locks')) return ok([], costs(2_000))
  if (url.searchParams.has('addresses')) return ok({}, costs(600))
  if (url.searchParams.has('limit')) return ok(tokens(5), costs(125))
  return ok(price(TOKEN), costs(50))
}
const services: [string, Handler][] = [
  ['a service that answers', answerOf],
  ['a service that refuses first', (exchange) => (exchange.number < 4 ? limited(wait(1)) : answerOf(exchange))],
  ['a busy service', () => busy(wait(2))],
  ['a service that breaks', ({ number }) => (number % 2 ? networkError('ECONNRESET') : cutOff(costs(50)))],
  ['a service without headers and of another shape', () => ok({ odd: 1 })],
  ['a service that does not answer', () => undefined],
]

test.each(services)('with %s: every event has its ids, and every start has one end', async (_, handler) => {
  const { events, sent } = await eventsOf(handler)
  const open = new Map<unknown, number>()
  const attempts = new Map<unknown, number>()
  for (const { type, callId, operation, requestId, attempt, params } of events) {
    expect(callId).toMatch(/^\d+$/)
    expect(operation).toBeTypeOf('string')
    if (OF_CALL.includes(type)) expect(requestId).toBeUndefined()
    else expect(String(requestId)).toMatch(new RegExp(`^${callId}\\.\\d+$`))
    if (type === 'request.sent') {
      expect(open.has(requestId)).toBe(false)
      expect(params).toBeTypeOf('object')
      // The attempts of a request count from 1.
      expect(attempt).toBe((attempts.get(requestId) ?? 0) + 1)
      attempts.set(requestId, Number(attempt))
      open.set(requestId, Number(attempt))
    }
    if (type === 'request.succeeded' || type === 'request.failed') {
      expect(open.get(requestId)).toBe(attempt)
      open.delete(requestId)
    }
  }
  expect([...open]).toEqual([])
  expect(attempts.size).toBeGreaterThan(0)
  // Nothing is reported as sent that was not.
  expect(events.filter(({ type }) => type === 'request.sent')).toHaveLength(sent)

  const started = events.filter(({ type }) => type === 'call.started')
  const ended = events.filter(({ type }) => type === 'call.succeeded' || type === 'call.failed')
  expect(new Set(started.map(({ callId }) => callId)).size).toBe(12)
  expect(ended.map(({ callId }) => callId).sort()).toEqual(started.map(({ callId }) => callId).sort())
  const charged = events.filter(({ type }) => type === 'credits.charged' || type === 'credits.computed')
  const sum = (list: readonly Fields[]) => list.reduce((total, { credits }) => total + Number(credits), 0)
  expect(sum(ended)).toBe(sum(charged))
  for (const event of ended)
    expect(event).toMatchObject({ attempts: expect.any(Number), durationMs: expect.any(Number) })
})

describe('an event listener', () => {
  test.each<[string, () => unknown]>([
    [
      'that throws',
      () => {
        throw new Error('mine')
      },
    ],
    [
      'that throws undefined',
      () => {
        throw undefined
      },
    ],
    ['that rejects', () => Promise.reject(new Error('mine'))],
    [
      'that rejects later',
      async () => {
        await flush()
        throw new Error('mine')
      },
    ],
  ])('%s does not affect the call', async (_, listener) => {
    const answers = [() => networkError('ECONNRESET'), () => ok({ odd: 1 }, { 'x-credits-cost': 'x' })]
    const { client, clock } = setup(({ number }) => answers[number - 1]?.(), {
      onEvent: listener as () => void,
      budget: { credits: 100 },
    })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(10_000)
    await flush()
    expect(outcome).toMatchObject({ state: 'resolved', value: { odd: 1 } })
    expect(client.budget).toMatchObject({ spent: 50, uncertain: 50, reserved: 0 })
  })

  test.each(['request.sent', 'request.succeeded'])(
    'that calls the client at %s: the same call shares the request that is in flight, and each is charged once',
    async (type) => {
      let events = 0
      const made = setup(() => ok(price(TOKEN), costs(50)), {
        budget: { credits: 1_000 },
        onEvent: (event) => {
          if (event.type !== type || events++ > 0) return
          for (const token of [TOKEN, address(2)]) watch(made.client.token.price({ address: token }))
        },
      })
      const outcome = watch(made.client.token.price({ address: TOKEN }))
      await made.clock.advance(0)
      expect(outcome.state).toBe('resolved')
      expect(made.script.requests).toHaveLength(2)
      expect(made.client.budget).toMatchObject({ spent: 100, reserved: 0 })
      expect(made.client.credits.charged).toBe(100)
    },
  )

  test('that changes an event does not change the answer', async () => {
    const { client } = setup(() => ok({ address: TOKEN, usd: 5 }, costs(50)), {
      onEvent: (event) => {
        for (const key of Object.keys(event)) delete (event as unknown as Record<string, unknown>)[key]
      },
    })
    const { data, meta } = await client.token.price({ address: TOKEN }).withMeta()
    expect(data).toEqual({ address: TOKEN, usd: 5 })
    expect(meta.credits.charged).toBe(50)
  })
})
