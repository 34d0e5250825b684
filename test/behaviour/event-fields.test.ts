import type { ClientEvent } from 'etn-market'
import { expect, test } from 'vitest'
import { busy, costs, cutOff, limited, networkError, ok, price, tokens, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, KEY, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
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
