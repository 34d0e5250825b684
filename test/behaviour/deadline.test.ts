import { TimeoutError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, cutOff, limited, ok, price, refusal, stalled, wait } from '../support/answers.ts'
import type { Handler } from '../support/script.ts'
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

describe('the deadline of a call', () => {
  test.each<[string, Handler, object]>([
    ['no answer', () => undefined, { attempts: 1, charge: 'unknown', credits: 0 }],
    ['a body that stalls', () => stalled(), { attempts: 1, charge: 'unknown', credits: 0 }],
    [
      'a body that stalls after a credits header',
      () => stalled(costs(50)),
      { attempts: 1, charge: 'charged', credits: 50 },
    ],
    ['a wait before a retry', () => refusal(500, 'x', wait(5)), { attempts: 1, charge: 'none', credits: 0 }],
    ['another attempt after a lost answer', () => cutOff(costs(50)), { attempts: 2, charge: 'unknown', credits: 50 }],
    ['a cool-down of all calls with the key', () => limited(wait(5)), { attempts: 1, charge: 'none', credits: 0 }],
  ])('rejects with TimeoutError at exactly that time, with the charged credits: %s', async (_, handler, expected) => {
    const made = setup((exchange) => (exchange.number === 1 ? handler(exchange) : undefined), {
      deadlineMs: 5_000,
      budget: { credits: 1_000 },
    })
    made.clock.randomValue = 0.9
    const outcome = watch(made.client.token.price({ address: TOKEN }))
    await made.clock.advance(4_999)
    expect(outcome.state).toBe('pending')
    await made.clock.advance(1)
    expect(outcome.error).toBeInstanceOf(TimeoutError)
    expect(outcome.error).toMatchObject({ code: 'deadline_exceeded', operation: 'token.price', ...expected })
    expect(made.client.budget.reserved).toBe(0)
    expect(made.clock.pending).toBe(0)
  })

  test('covers all attempts together and is never retried', async () => {
    const { client, clock, script } = setup(() => refusal(500, 'x', wait(2)), {
      deadlineMs: 5_000,
      retry: { limit: 9 },
    })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(60_000)
    expect(script.requests).toHaveLength(3)
    expect(outcome.error).toMatchObject({ attempts: 3 })
  })

  test('is 60 s by default, and an attempt may take 15 s', async () => {
    const { client, clock, script } = setup()
    const outcome = watch(client.etn.price())
    await clock.advance(14_999)
    expect(script.open).toHaveLength(1)
    await clock.advance(1)
    expect(script.requests[0]?.aborted).toBe(true)
    await clock.advance(45_000)
    expect(outcome.state).toBe('rejected')
  })
})

describe('the timeout of one attempt', () => {
  test('runs from sending to the last byte, for each attempt anew', async () => {
    const { client, clock, script } = setup(() => stalled(), { timeoutMs: 1_000, retry: { limit: 1 } })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(999)
    expect(outcome.state).toBe('pending')
    await clock.advance(1)
    expect(script.requests).toHaveLength(2)
    await clock.advance(1_000)
    expect(outcome.error).toBeInstanceOf(TimeoutError)
    expect(outcome.error).toMatchObject({ code: 'attempt_timeout', attempts: 2, status: 200 })
  })

  test('does not run during a cool-down', async () => {
    const { client, clock } = setup(({ number }) => (number === 1 ? limited(wait(10)) : ok(price(TOKEN), costs(50))), {
      timeoutMs: 1_000,
      retry: false,
    })
    watch(client.etn.price())
    await clock.advance(0)
    const waiting = watch(client.token.price({ address: TOKEN }))
    await clock.advance(10_000)
    expect(waiting.state).toBe('resolved')
  })

  test('does not end a later attempt', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? busy(wait(1)) : undefined), {
      timeoutMs: 1_500,
    })
    const outcome = watch(client.farm.list())
    await clock.advance(2_400)
    expect(script.open).toHaveLength(1)
    script.open[0]?.answer(ok([], costs(3_000)))
    await clock.advance(0)
    expect(outcome.state).toBe('resolved')
  })
})
