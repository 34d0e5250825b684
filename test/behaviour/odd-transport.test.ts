import {
  type AttemptOutcome,
  type ClientOptions,
  createClient,
  type HttpAttempt,
  isEtnMarketError,
  type Transport,
} from 'etn-market'
import { describe, expect, test, vi } from 'vitest'
import { allRepresentations } from '../support/all-representations.ts'
import { createVirtualClock } from '../support/clock.ts'
import { address, BASE_URL, KEY, watch } from '../support/setup.ts'

const PRICE = 25
const text = '{"data":{"usd":"1"}}'
const headers = new Headers({ 'x-credits-cost': String(PRICE) })

/** What a call makes of an outcome that a transport of the user resolves to. */
async function call(outcome: unknown, onHeaders?: unknown, saysSent = true) {
  const transport: Transport = {
    async send(attempt: HttpAttempt) {
      if (saysSent) attempt.beforeSend()
      if (onHeaders !== undefined) attempt.onHeaders(onHeaders as never)
      return outcome as AttemptOutcome
    },
  }
  const client = createClient({ apiKey: 'esk_live_key', transport, budget: { credits: 100 } })
  const error = await client.etn.price().catch((caught: unknown) => caught)
  const { spent, reserved, uncertain } = client.budget
  await client.close()
  return { error, budget: { spent, reserved, uncertain } }
}

const throwing = {
  get() {
    throw new Error('no headers here')
  },
  [Symbol.iterator]: () => headers[Symbol.iterator](),
}

describe('an outcome that cannot be read or billed is invalid_fetch, and its charge is unknown', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no status', { response: { headers, text } }],
    ['a status of 0', { response: { status: 0, headers, text } }],
    ['a status that is a text', { response: { status: '200', headers, text } }],
    ['headers with get() alone', { response: { status: 200, headers: { get: () => '25' }, text } }],
    ['headers whose get() throws', { response: { status: 200, headers: throwing, text } }],
    [
      'headers whose get() returns numbers',
      { response: { status: 200, headers: { ...throwing, get: () => 25 }, text } },
    ],
    ['a body that is no text', { response: { status: 200, headers, text: new Uint8Array(3) } }],
    ['a failure of no kind', { failure: { mayHaveArrived: false, cause: undefined } }],
    ['a failure of an unknown kind', { failure: { kind: 'weather', mayHaveArrived: false, cause: undefined } }],
    ['a failure that does not say whether it arrived', { failure: { kind: 'network', cause: undefined } }],
    [
      'a getter that throws',
      {
        get response() {
          throw new Error('not yet')
        },
      },
    ],
  ])('%s', async (_, outcome) => {
    const { error, budget } = await call(outcome)
    expect(error).toMatchObject({ name: 'ResponseError', code: 'invalid_fetch', charge: 'unknown', attempts: 1 })
    expect(budget).toEqual({ spent: 0, reserved: 0, uncertain: PRICE })
  })

  test('also where the headers arrived before, in a form that cannot be read', async () => {
    const { error, budget } = await call(undefined, { status: 200, headers: throwing })
    expect(error).toMatchObject({ code: 'invalid_fetch', charge: 'unknown' })
    expect(budget.uncertain).toBe(PRICE)
  })

  test('also where the transport has not said that it has sent', async () => {
    for (const outcome of [undefined, null, 5, {}]) {
      const { error, budget } = await call(outcome, undefined, false)
      expect(error).toMatchObject({ name: 'ResponseError', code: 'invalid_fetch', charge: 'unknown' })
      expect((error as Error).message).toContain('the transport gave no outcome')
      expect(budget).toEqual({ spent: 0, reserved: 0, uncertain: PRICE })
    }
  })
})

/** A call over a transport that does this, in virtual time. */
function start(send: (attempt: HttpAttempt) => unknown, options: ClientOptions = {}) {
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
  const { client, clock, outcome } = start(send)
  await clock.advance(0)
  expect(outcome.error).toMatchObject({ code: 'connection_failed', charge: 'none', cause: 'broken' })
  expect([client.budget.available, clock.pending]).toEqual([100, 0])
})

test('an attempt that has ended lets its transport send nothing, and ignores what it reports', async () => {
  const seen: HttpAttempt[] = []
  let finish: (outcome: unknown) => void = () => {}
  const send = (attempt: HttpAttempt) => {
    seen.push(attempt)
    attempt.onConnecting?.()
    return new Promise((resolve) => {
      finish = resolve
    })
  }
  const { client, clock, outcome } = start(send, { timeoutMs: 1_000 })
  await clock.advance(1_000)
  expect(seen[0]?.signal).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } })
  expect(() => seen[0]?.beforeSend()).toThrow('has ended')
  await expect(seen[0]?.recheck?.()).rejects.toThrow('has ended')
  const head = { status: 200, headers: new Headers({ 'x-credits-cost': '50' }) }
  seen[0]?.onHeaders(head)
  finish({ response: { ...head, text: '{}' } })
  await clock.advance(5_000)
  expect(outcome.error).toMatchObject({ code: 'attempt_timeout', attempts: 1, charge: 'none' })
  expect([client.budget.available, clock.pending]).toEqual([100, 0])
})

test('a store that fails before the bytes ends the call, also where the transport does not wait for the last look', async () => {
  const map = new Map<string, string>()
  const set = vi.fn<(key: string, value: string) => unknown>((key, value) => map.set(key, value))
  const store = { get: (key: string) => map.get(key), set }
  const send = async (attempt: HttpAttempt) => {
    await clock.sleep(2_000)
    store.set.mockRejectedValue(new Error('disk full'))
    void attempt.recheck?.()
    return new Promise(() => {})
  }
  const { client, clock, outcome } = start(send, { budget: { credits: 100, windowMs: 1_000, store } })
  await clock.advance(3_000)
  expect(outcome.error).toMatchObject({ code: 'state_unavailable', attempts: 0, charge: 'none' })
  await client.close()
  expect(clock.pending).toBe(0)
})

test('a call that is aborted because one beside it is refused sends nothing, also where a transport sends at once', async () => {
  const send = vi.fn(({ beforeSend }: HttpAttempt) => {
    beforeSend()
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

describe('what is thrown and cannot be read ends in an error of the package, which shows nothing of it', () => {
  const fail = () => {
    throw new Error(KEY)
  }
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const values = {
    'a revoked Proxy': proxy,
    'a Proxy whose traps throw': new Proxy({}, { get: fail, getPrototypeOf: fail, ownKeys: fail }),
    'a message that throws': Object.defineProperty({}, 'message', { get: fail, enumerable: true }),
    'a text that throws': { toString: fail, message: { toString: fail } },
  }
  const store = (thrown: unknown) => ({ get: () => Promise.reject(thrown), set() {}, delete() {} })
  const answer = async () => new Response(text, { headers })
  const places: Record<string, (thrown: unknown) => ClientOptions> = {
    fetch: (thrown) => ({ fetch: () => Promise.reject(thrown) }),
    'the answer of fetch': (thrown) => ({ fetch: async () => thrown as Response }),
    beforeRequest: (thrown) => ({ fetch: answer, hooks: { beforeRequest: [() => Promise.reject(thrown)] } }),
    afterResponse: (thrown) => ({ fetch: answer, hooks: { afterResponse: [() => Promise.reject(thrown)] } }),
    'a transport before sending': (thrown) => ({ transport: { send: () => Promise.reject(thrown) } }),
    'a transport after sending': (thrown) => ({ transport: { send: async (attempt) => reject(attempt, thrown) } }),
    'the failure of a transport': (cause) => ({
      transport: {
        send: async () => ({ failure: { kind: 'network', mayHaveArrived: false, response: undefined, cause } }),
      },
    }),
    'the store of a budget': (thrown) => ({ fetch: answer, budget: { credits: 100, store: store(thrown) } }),
    'the store of a cache': (thrown) => ({
      fetch: answer,
      validate: 'strict',
      cache: { ttlMs: { 'token.price': 1 }, store: store(thrown) },
    }),
  }
  const reject = (attempt: HttpAttempt, thrown: unknown) => {
    attempt.beforeSend()
    return Promise.reject(thrown)
  }

  for (const [what, thrown] of Object.entries(values)) {
    test.each(Object.entries(places))(`${what}, from %s`, async (_, place) => {
      const events: unknown[] = []
      const onEvent = (event: unknown) => events.push(event)
      const client = createClient({ apiKey: KEY, baseUrl: BASE_URL, retry: false, onEvent, ...place(thrown) })
      const error = await client.token.price({ address: address(1) }).catch((caught: unknown) => caught)
      expect(isEtnMarketError(error)).toBe(true)
      expect(allRepresentations([error, events])).not.toContain(KEY)
      await client.close()
    })
  }
})
