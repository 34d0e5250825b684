import { describe, expect, test } from 'vitest'
import { costs, networkError, ok, price, refusal, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, addresses, type Setup, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

describe('the events', () => {
  test('of a call that succeeds have its ids, its credits and its duration', async () => {
    const { client, events } = setup(() => ok(price(TOKEN), costs(50, 950)))
    await client.token.price({ address: TOKEN })
    const params = { address: TOKEN }
    const call = { callId: '1', operation: 'token.price' }
    const attempt = { ...call, requestId: '1.1', attempt: 1 }
    const totals = { credits: 50, charge: 'charged', attempts: 1, shared: false, cached: false, durationMs: 0 }
    expect(events).toEqual([
      { type: 'call.started', ...call, params, estimated: 50 },
      { type: 'request.sent', ...attempt, params },
      { type: 'credits.charged', ...attempt, credits: 50, remaining: 950 },
      { type: 'request.succeeded', ...attempt, status: 200, durationMs: 0 },
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
        durationMs: 2_600,
        code: 'not_found',
        errorName: 'NotFoundError',
      },
    ])
  })

  test('report the duration of an attempt', async () => {
    const { client, clock, script, events } = setup()
    watch(client.token.price({ address: TOKEN }))
    await clock.advance(1_234)
    script.open[0]?.answer(ok(price(TOKEN), costs(50)))
    await clock.advance(0)
    expect(events.at(-2)).toMatchObject({ type: 'request.succeeded', durationMs: 1_234 })
  })
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

  test('that calls the client causes no endless loop', async () => {
    let calls = 0
    const made = setup(() => ok(price(TOKEN), costs(50)), {
      onEvent: (event) => {
        if (event.type === 'request.succeeded' && calls++ === 0) watch(made.client.token.price({ address: address(2) }))
      },
    })
    await made.client.token.price({ address: TOKEN })
    await made.clock.advance(0)
    expect(made.script.requests).toHaveLength(2)
  })

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

/** A client whose listener runs `act` during the first `request.sent`. */
function interrupted(act: (made: Setup) => void, credits: number): Setup {
  let done = false
  const made: Setup = setup(() => ok(price(TOKEN), costs(50)), {
    budget: { credits },
    onEvent: (event) => {
      if (event.type !== 'request.sent' || done) return
      done = true
      act(made)
    },
  })
  return made
}

test('of the calls that a listener makes during request.sent, the same one shares the request, and each is charged once', async () => {
  const made = interrupted(({ client }) => {
    watch(client.token.price({ address: TOKEN }))
    watch(client.token.price({ address: address(2) }))
  }, 1_000)
  const outcome = watch(made.client.token.price({ address: TOKEN }))
  await made.clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(made.script.requests).toHaveLength(2)
  expect(made.client.budget).toMatchObject({ spent: 100, reserved: 0 })
  expect(made.client.credits.charged).toBe(100)
})

test('a listener cannot spend the credits that a batch has reserved', async () => {
  const made = interrupted(({ client }) => void watch(client.token.list()), 1_200)
  const outcome = watch(made.client.prices.batch({ addresses: addresses(100) }))
  await made.clock.advance(0)
  expect(outcome.state).toBe('resolved')
  expect(made.script.requests).toHaveLength(2)
})
