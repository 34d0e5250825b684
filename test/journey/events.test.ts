import type { ClientEvent } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, networkError, ok, price, refusal, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

describe('events', () => {
  test('of a call that succeeds', async () => {
    const { client, events } = setup(() => ok(price(TOKEN), costs(50, 950)))
    await client.token.price({ address: TOKEN })
    expect(events).toEqual([
      { type: 'request.sent', operation: 'token.price', attempt: 1 },
      { type: 'credits.charged', operation: 'token.price', credits: 50, remaining: 950 },
      { type: 'request.succeeded', operation: 'token.price', attempt: 1, status: 200, durationMs: 0 },
    ])
  })

  test('of a call that fails, is repeated and gets lost', async () => {
    const answers = [
      () => refusal(500, 'Internal', wait(2)),
      () => networkError('ECONNRESET'),
      () => refusal(404, 'not_found'),
    ]
    const { client, clock, events } = setup(({ number }) => answers[number - 1]?.())
    clock.luck = 0.5
    watch(client.token.price({ address: TOKEN }))
    await clock.advance(10_000)
    const operation = 'token.price'
    expect(events).toEqual([
      { type: 'request.sent', operation, attempt: 1 },
      { type: 'request.failed', operation, attempt: 1, status: 500, code: 'internal', durationMs: 0 },
      { type: 'retry.scheduled', operation, attempt: 1, code: 'internal', waitMs: 2_100 },
      { type: 'request.sent', operation, attempt: 2 },
      { type: 'credits.uncertain', operation, credits: 50 },
      { type: 'request.failed', operation, attempt: 2, code: 'connection_lost', durationMs: 0 },
      { type: 'retry.scheduled', operation, attempt: 2, code: 'connection_lost', waitMs: 500 },
      { type: 'request.sent', operation, attempt: 3 },
      { type: 'request.failed', operation, attempt: 3, status: 404, code: 'not_found', durationMs: 0 },
    ])
  })

  test('tell how long an attempt took', async () => {
    const { client, clock, script, events } = setup()
    watch(client.token.price({ address: TOKEN }))
    await clock.advance(1_234)
    script.open[0]?.answer(ok(price(TOKEN), costs(50)))
    await clock.advance(0)
    expect(events.at(-1)).toMatchObject({ type: 'request.succeeded', durationMs: 1_234 })
  })

  test('every request that was sent comes to one end', async () => {
    const { client, clock, script, events } = setup(
      ({ number }) =>
        number % 3 === 0 ? ok(price(TOKEN), costs(50)) : number % 3 === 1 ? undefined : networkError('EPIPE'),
      {
        timeoutMs: 1_000,
      },
    )
    const caller = new AbortController()
    for (let call = 0; call < 9; call++)
      watch(client.token.price({ address: address(call) }, call === 0 ? { signal: caller.signal } : {}))
    await clock.advance(0)
    caller.abort()
    await clock.advance(100_000)
    const count = (type: ClientEvent['type']) => events.filter((event) => event.type === type).length
    expect(count('request.sent')).toBe(script.requests.length)
    expect(count('request.succeeded') + count('request.failed')).toBe(script.requests.length)
  })
})

describe('a listener', () => {
  test.each<[string, () => unknown]>([
    [
      'that throws',
      () => {
        throw new Error('mine')
      },
    ],
    [
      'that throws nothing',
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
  ])('%s breaks nothing', async (_, listener) => {
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

  test('that calls the client does not end in a circle', async () => {
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

  test('that changes an event changes nothing else', async () => {
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
