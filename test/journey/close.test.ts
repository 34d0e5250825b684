import { createClient, EtnMarketError } from 'etn-market'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { busy, costs, limited, ok, price, refusal, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { createScript } from '../support/script.ts'
import { address, addresses, BASE_URL, KEY, rejection, setup, watch } from '../support/setup.ts'

describe('close', () => {
  test('ends calls in every stage and leaves no timer', async () => {
    const { client, clock } = setup(
      ({ url }) => (url.pathname.includes('history') ? refusal(500, 'x', wait(30)) : undefined),
      {
        budget: { credits: 1e6 },
      },
    )
    const outcomes = [
      ...addresses(4).map((token) => watch(client.locks.get({ address: token }))),
      ...addresses(4).map((token) => watch(client.token.price({ address: token }))),
      watch(client.token.history({ address: address(1) })),
      watch(client.prices.batch({ addresses: addresses(500) })),
    ]
    await clock.advance(0)
    await client.close()
    await flush()
    expect(outcomes.every(({ state }) => state === 'rejected')).toBe(true)
    for (const { error } of outcomes) expect(error).toMatchObject({ code: 'client_closed' })
    expect(clock.pending).toBe(0)
    expect(client.budget.reserved).toBe(0)
  })

  test.each([
    ['heavy', () => busy(wait(30))],
    ['key', () => limited(wait(30))],
  ])('ends those who are parked: %s', async (_, refuse) => {
    const { client, clock, script } = setup(refuse)
    watch(client.farm.list())
    await clock.advance(0)
    const parked = watch(client.locks.get({ address: address(1) }))
    await clock.advance(0)
    await client.close()
    await flush()
    expect(parked.error).toMatchObject({ code: 'client_closed' })
    expect(clock.pending).toBe(0)
    expect(script.requests).toHaveLength(1)
  })

  test('lets no further call begin', async () => {
    const { client, script } = setup(() => ok(price(address(1)), costs(50)))
    await client.close()
    const error = await rejection(client.token.price({ address: address(1) }), EtnMarketError)
    expect(error).toMatchObject({ code: 'client_closed', charge: 'none' })
    expect(script.requests).toHaveLength(0)
  })

  test('resolves when all have ended, every time it is called, and through await using', async () => {
    const { client } = setup()
    const order: string[] = []
    client.token.price({ address: address(1) }).catch(() => order.push('call'))
    await Promise.all([client.close().then(() => order.push('closed')), client.close()])
    expect(order).toEqual(['call', 'closed'])
    await client[Symbol.asyncDispose]()
    await setup().client.close()
  })

  test('takes the listeners off the signals of the callers', async () => {
    const { client } = setup()
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    watch(client.token.price({ address: address(1) }, { signal }))
    await client.close()
    await flush()
    expect(removed.mock.calls.length).toBeGreaterThanOrEqual(added.mock.calls.length)
    expect(added).toHaveBeenCalled()
  })
})

describe('in real time', () => {
  afterEach(() => void vi.useRealTimers())

  test.each([2 ** 31, 1e10, Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY])(
    'times of %d ms do not overflow, and close leaves no timer',
    async (ms) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
      const script = createScript(({ number }) => (number === 1 ? refusal(500, 'x', wait(9_999_999)) : undefined))
      const client = createClient({
        apiKey: KEY,
        baseUrl: BASE_URL,
        fetch: script.fetch,
        timeoutMs: ms,
        deadlineMs: ms,
        retry: { maxRetryAfterMs: ms },
      })
      const retrying = watch(client.token.price({ address: address(1) }))
      await flush()
      const flying = watch(client.token.price({ address: address(2) }))
      await flush()
      await vi.advanceTimersByTimeAsync(2_000_000)
      expect([retrying.state === 'resolved', flying.state]).toEqual([false, 'pending'])
      expect(script.requests).toHaveLength(2)
      await client.close()
      await flush()
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('a call that is over leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const answers = [() => ok({ usd: '1' }), () => refusal(404, 'x'), () => refusal(500, 'x')]
    const script = createScript(({ number }) => answers[number - 1]?.())
    const client = createClient({ apiKey: KEY, baseUrl: BASE_URL, fetch: script.fetch, retry: false })
    for (let call = 0; call < 3; call++) watch(client.etn.price({}, { timeoutMs: 1_000 + call }))
    await flush()
    expect(script.requests).toHaveLength(3)
    expect(vi.getTimerCount()).toBe(0)
  })
})
