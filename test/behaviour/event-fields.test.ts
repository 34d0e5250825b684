import type { ClientEvent, ClientOptions } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, cutOff, limited, networkError, ok, price, tokens, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, KEY, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
const OF_CALL = ['call.started', 'call.succeeded', 'call.failed']
type Fields = ClientEvent & Record<string, unknown>

/** Calls of every kind, and all their events. */
async function eventsOf(handler: Handler, options: ClientOptions = {}): Promise<Fields[]> {
  const { client, clock, events } = setup(handler, {
    budget: { credits: 100_000 },
    cache: { ttlMs: { 'token.list': 60_000 } },
    timeoutMs: 1_000,
    ...options,
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
  return events as Fields[]
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

describe.each(services)('with %s', (_, handler) => {
  test('every event has a callId and an operation, and a requestId of that call where it is of a request', async () => {
    for (const event of await eventsOf(handler)) {
      expect(event.callId).toMatch(/^\d+$/)
      expect(event.operation).toBeTypeOf('string')
      if (OF_CALL.includes(event.type)) expect(event).not.toHaveProperty('requestId')
      else expect(String(event.requestId)).toMatch(new RegExp(`^${event.callId}\\.\\d+$`))
    }
  })

  test('each request.sent has attempt and params, and is followed by its end', async () => {
    const open = new Map<string, number>()
    for (const { type, requestId, attempt, params } of await eventsOf(handler)) {
      if (type === 'request.sent') {
        expect(open.has(String(requestId))).toBe(false)
        expect(params).toBeTypeOf('object')
        open.set(String(requestId), Number(attempt))
      }
      if (type === 'request.succeeded' || type === 'request.failed') {
        expect(open.get(String(requestId))).toBe(attempt)
        open.delete(String(requestId))
      }
    }
    expect([...open]).toEqual([])
  })

  test('attempts of a request count from 1', async () => {
    const counts = new Map<unknown, number>()
    for (const { type, requestId, attempt } of await eventsOf(handler)) {
      if (type !== 'request.sent') continue
      expect(attempt).toBe((counts.get(requestId) ?? 0) + 1)
      counts.set(requestId, Number(attempt))
    }
    expect(counts.size).toBeGreaterThan(0)
  })

  test('each call.started is followed by one end, with what it was charged', async () => {
    const events = await eventsOf(handler)
    const started = events.filter(({ type }) => type === 'call.started')
    const ended = events.filter(({ type }) => type === 'call.succeeded' || type === 'call.failed')
    expect(started).toHaveLength(12)
    expect(ended.map(({ callId }) => callId).sort()).toEqual(started.map(({ callId }) => callId).sort())
    const charged = events.filter(({ type }) => type === 'credits.charged' || type === 'credits.computed')
    const sum = (list: readonly Fields[]) => list.reduce((total, { credits }) => total + Number(credits), 0)
    expect(sum(ended)).toBe(sum(charged))
    for (const event of ended)
      expect(event).toMatchObject({ attempts: expect.any(Number), durationMs: expect.any(Number) })
  })
})

test('no event holds the key, also where a parameter or a service repeats it', async () => {
  const { client, events } = setup(() => ok({ [KEY]: KEY }, costs(50)))
  watch(client.token.price({ address: KEY }))
  watch(client.request('/x', { query: { token: KEY, [KEY]: 1 }, maxCredits: 5 }))
  watch(client.token.price({ address: TOKEN }))
  await flush()
  expect(events.length).toBeGreaterThan(0)
  expect(JSON.stringify(events)).not.toContain(KEY)
})

test('a call that shares a request says so, and is charged nothing', async () => {
  const { client, clock, script, events } = setup()
  watch(client.token.price({ address: TOKEN }))
  watch(client.token.price({ address: TOKEN }))
  await clock.advance(0)
  script.open[0]?.answer(ok(price(TOKEN), costs(50)))
  await flush()
  const ended = (events as Fields[]).filter(({ type }) => type === 'call.succeeded')
  expect(ended.map(({ callId, shared, credits }) => [callId, shared, credits])).toEqual([
    ['1', false, 50],
    ['2', true, 0],
  ])
})
