import { describe, expect, test } from 'vitest'
import { costs, cutOff, ok, price, refusal } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(7)
const finish = { whenAborted: 'finish' } as const
const answer = () => ok(price(TOKEN), costs(50))

/** A call that was sent and whose caller has left. */
async function leftCall(options: Parameters<typeof setup>[1] = {}) {
  const made = setup(undefined, { budget: { credits: 1_000 }, ...finish, ...options })
  const caller = new AbortController()
  const outcome = watch(made.client.token.price({ address: TOKEN }, { signal: caller.signal }))
  await flush()
  caller.abort('gone')
  await flush()
  return { ...made, outcome, exchange: made.script.requests[0] as (typeof made.script.requests)[0] }
}

describe("with whenAborted: 'finish', a call that is aborted after it was sent", () => {
  test('rejects at once; its answer is read, so that its cost is known', async () => {
    const { client, clock, script, outcome, exchange, events } = await leftCall()
    expect(outcome).toEqual({ state: 'rejected', error: 'gone' })
    expect(exchange.aborted).toBe(false)
    expect(client.budget).toMatchObject({ spent: 0, reserved: 50, uncertain: 0 })
    exchange.answer(answer())
    await flush()
    expect(client.budget).toMatchObject({ spent: 50, reserved: 0, uncertain: 0 })
    expect(client.credits.charged).toBe(50)
    expect(events.map(({ type }) => type)).toContain('credits.charged')
    expect(script.requests).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  test('serves the next caller, who pays for it', async () => {
    const { client, script, exchange } = await leftCall()
    const next = watch(client.token.price({ address: TOKEN }).withMeta())
    await flush()
    exchange.answer(answer())
    await flush()
    expect(next.value?.data.address).toBe(TOKEN)
    expect(next.value?.meta.credits.charged).toBe(50)
    expect(script.requests).toHaveLength(1)
  })

  test('fills the cache', async () => {
    const { client, script, exchange } = await leftCall({ cache: { ttlMs: { 'token.price': 60_000 } } })
    exchange.answer(answer())
    await flush()
    const { meta } = await client.token.price({ address: TOKEN }).withMeta()
    expect(meta).toMatchObject({ cached: true, credits: { charged: 0 } })
    expect(script.requests).toHaveLength(1)
  })

  test.each([
    ['fails', () => refusal(500, 'internal'), 0],
    ['is cut off', () => cutOff(costs(50)), 50],
  ] as const)('is not repeated when its attempt %s', async (_, fail, spent) => {
    const { client, clock, script, exchange } = await leftCall()
    exchange.answer(fail())
    await clock.advance(60_000)
    expect(script.requests).toHaveLength(1)
    expect(client.budget).toMatchObject({ spent, reserved: 0, uncertain: 0 })
    expect(clock.pending).toBe(0)
  })

  test('is repeated for somebody who has asked again meanwhile', async () => {
    const { client, clock, script, exchange } = await leftCall()
    const next = watch(client.token.price({ address: TOKEN }))
    exchange.answer(refusal(500, 'internal'))
    await clock.advance(10_000)
    script.requests[1]?.answer(answer())
    await flush()
    expect(next.state).toBe('resolved')
  })

  test('ends with its attempt timeout at the latest', async () => {
    const { client, clock, exchange } = await leftCall({ timeoutMs: 2_000 })
    await clock.advance(1_999)
    expect(exchange.aborted).toBe(false)
    await clock.advance(1)
    expect(exchange.aborted).toBe(true)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 50 })
    expect(clock.pending).toBe(0)
  })

  test('ends with the client', async () => {
    const { client, clock, exchange } = await leftCall()
    await client.close()
    expect(exchange.aborted).toBe(true)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 50 })
    expect(clock.pending).toBe(0)
  })

  test('keeps its heavy slot until the answer, and no longer', async () => {
    const { client, script } = setup(undefined, { heavyConcurrency: 1, ...finish })
    const caller = new AbortController()
    watch(client.locks.get({ address: TOKEN }, { signal: caller.signal }))
    const next = watch(client.farm.list())
    await flush()
    caller.abort()
    await flush()
    expect(script.requests).toHaveLength(1)
    script.requests[0]?.answer(ok([], costs(2_000)))
    await flush()
    script.requests[1]?.answer(ok([], costs(3_000)))
    await flush()
    expect(next.state).toBe('resolved')
  })
})

test.each([
  ['cancel', 'finish'],
  ['finish', 'cancel'],
] as const)(
  'a call may decide for itself: of two that share a request, left by %s and then by %s, it is read to its end',
  async (one, other) => {
    const { client, script } = setup(undefined, { budget: { credits: 100 } })
    const [first, last] = [new AbortController(), new AbortController()]
    watch(client.token.price({ address: TOKEN }, { signal: first.signal, whenAborted: one }))
    watch(client.token.price({ address: TOKEN }, { signal: last.signal, whenAborted: other }))
    await flush()
    first.abort()
    last.abort()
    await flush()
    expect(script.requests.map(({ aborted }) => aborted)).toEqual([false])
    script.requests[0]?.answer(answer())
    await flush()
    expect(client.budget).toMatchObject({ spent: 50, reserved: 0, uncertain: 0 })
  },
)
