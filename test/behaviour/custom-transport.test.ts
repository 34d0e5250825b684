import { type ClientOptions, createClient, type HttpAttempt, type Transport } from 'etn-market'
import { expect, test, vi } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { address, BASE_URL, KEY, watch } from '../support/setup.ts'

/** A call over a transport that does this, in virtual time. */
function call(send: (attempt: HttpAttempt) => unknown, options: ClientOptions = {}) {
  const clock = createVirtualClock()
  const transport = { send } as Transport
  const budget = { credits: 100 }
  const client = createClient({ apiKey: KEY, baseUrl: BASE_URL, clock, budget, retry: false, transport, ...options })
  return { client, clock, outcome: watch(client.token.price({ address: address(1) })) }
}

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw 'broken'
    },
  ],
  ['rejects', () => Promise.reject('broken')],
])('a transport that %s before it has sent is a connection that failed', async (_, send) => {
  const { client, clock, outcome } = call(send)
  await clock.advance(0)
  expect(outcome.error).toMatchObject({ code: 'connection_failed', charge: 'none', cause: 'broken' })
  expect([client.budget.available, clock.pending]).toEqual([100, 0])
})

test('an attempt that has ended lets its transport send nothing, and ignores what it reports', async () => {
  const seen: HttpAttempt[] = []
  let finish: (outcome: unknown) => void = () => {}
  const send = (attempt: HttpAttempt) => {
    seen.push(attempt)
    return new Promise((resolve) => {
      finish = resolve
    })
  }
  const { client, clock, outcome } = call(send, { timeoutMs: 1_000 })
  await clock.advance(1_000)
  expect(seen[0]?.signal).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } })
  expect(() => seen[0]?.onSent()).toThrow('has ended')
  await expect(seen[0]?.lastLook?.()).rejects.toThrow('has ended')
  const head = { status: 200, headers: new Headers({ 'x-credits-cost': '50' }) }
  seen[0]?.onHeaders(head)
  finish({ response: { ...head, text: '{}' } })
  await clock.advance(5_000)
  expect(outcome.error).toMatchObject({ code: 'attempt_timeout', attempts: 0, charge: 'none' })
  expect([client.budget.available, clock.pending]).toEqual([100, 0])
})

test('a store that fails before the bytes ends the call, also where the transport does not wait for the last look', async () => {
  const store = { get: () => undefined, set: vi.fn<() => unknown>() }
  const send = async (attempt: HttpAttempt) => {
    await clock.sleep(2_000)
    store.set.mockRejectedValue(new Error('disk full'))
    void attempt.lastLook?.()
    return new Promise(() => {})
  }
  const { client, clock, outcome } = call(send, { budget: { credits: 100, windowMs: 1_000, store } })
  await clock.advance(3_000)
  expect(outcome.error).toMatchObject({ code: 'state_unavailable', attempts: 0, charge: 'none' })
  await client.close()
  expect(clock.pending).toBe(0)
})

test('a call that is aborted because one beside it is refused sends nothing, also where a transport sends at once', async () => {
  const send = vi.fn(({ onSent }: HttpAttempt) => {
    onSent()
    return new Promise(() => {})
  })
  const client = createClient({ apiKey: KEY, baseUrl: BASE_URL, transport: { send } as unknown as Transport })
  const caller = new AbortController()
  const { signal } = caller
  // As a program asks: by functions of its own.
  const ask = async (token: string) => client.token.price({ address: token }, { signal })
  const show = async (token: string) => ask(token)
  const calls = [show(address(1)), show('no address')]
  await expect(Promise.all(calls).finally(() => caller.abort('enough'))).rejects.toThrow('address')
  await client.close()
  expect(send).not.toHaveBeenCalled()
})
