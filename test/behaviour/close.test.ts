import { EtnMarketError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, ok, price, refusal, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { useFakeTimers } from '../support/fake-timers.ts'
import { address, rejection, setup, watch } from '../support/setup.ts'

// In every state of a call: `abort.test.ts`.
describe('client.close()', () => {
  test('rejects later calls and sends nothing', async () => {
    const { client, script } = setup(() => ok(price(address(1)), costs(50)))
    await client.close()
    const error = await rejection(client.token.price({ address: address(1) }), EtnMarketError)
    expect(error).toMatchObject({ code: 'client_closed', charge: 'none' })
    expect(script.requests).toHaveLength(0)
  })

  test('resolves when every call has ended, also when called again and by await using', async () => {
    const { client } = setup()
    const order: string[] = []
    client.token.price({ address: address(1) }).catch(() => order.push('call'))
    await Promise.all([client.close().then(() => order.push('closed')), client.close()])
    expect(order).toEqual(['call', 'closed'])
    await client[Symbol.asyncDispose]()
    await setup().client.close()
  })
})

const realTime = { clock: undefined }

describe('in real time, a client', () => {
  test.each([2 ** 31, 1e10, Number.MAX_SAFE_INTEGER, 1e300, Number.POSITIVE_INFINITY])(
    'accepts time limits of %d ms without an overflow, and leaves no timer after close',
    async (ms) => {
      const timers = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
      const { client, script } = setup(
        ({ number }) => (number === 1 ? refusal(500, 'x', wait(9_999_999)) : undefined),
        { ...realTime, timeoutMs: ms, deadlineMs: ms, retry: { maxRetryAfterMs: ms } },
      )
      const retrying = watch(client.token.price({ address: address(1) }))
      await flush()
      const inFlight = watch(client.token.price({ address: address(2) }))
      await flush()
      await timers.advance(2_000_000)
      expect([retrying.state === 'resolved', inFlight.state]).toEqual([false, 'pending'])
      expect(script.requests).toHaveLength(2)
      await client.close()
      await flush()
      expect(timers.pending()).toBe(0)
    },
  )

  test('leaves no timer when its calls have ended', async () => {
    const timers = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const answers = [() => ok({ usd: '1' }), () => refusal(404, 'x'), () => refusal(500, 'x')]
    const { client, script } = setup(({ number }) => answers[number - 1]?.(), { ...realTime, retry: false })
    for (let call = 0; call < 3; call++) watch(client.etn.price({}, { timeoutMs: 1_000 + call }))
    await flush()
    expect(script.requests).toHaveLength(3)
    expect(timers.pending()).toBe(0)
  })
})
