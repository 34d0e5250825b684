import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { callSafely } from '../../src/utils/runtime.ts'
import { costs, ok, price } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup, watch } from '../support/setup.ts'

/** As zone.js does, and Bluebird where it is global: what async functions return is no instance of it. */
class ReplacedPromise<T> extends Promise<T> {}

const TOKEN = address(7)

describe('where the global Promise is replaced', () => {
  beforeEach(() => void vi.stubGlobal('Promise', ReplacedPromise))
  afterEach(() => void vi.unstubAllGlobals())

  test('a key that an async function returns is sent as text', async () => {
    const { client, script } = setup(() => ok(price(TOKEN), costs(50)), { apiKey: async () => 'esk_test_replaced' })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await flush()
    expect(outcome.state).toBe('resolved')
    expect(script.requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer esk_test_replaced'])
  })

  test('heavy calls get their slots and give them back', async () => {
    const { client, script } = setup(() => ok({ locks: [] }, costs(100)), { validate: 'off' })
    const outcomes = [1, 2, 3, 4].map((index) => watch(client.locks.get({ address: address(index) })))
    await flush()
    await flush()
    expect(outcomes.map(({ state }) => state)).toEqual(Array(4).fill('resolved'))
    expect(script.requests).toHaveLength(4)
  })

  test('a budget with a store reserves and settles', async () => {
    const store = new Map<string, unknown>()
    const stored = {
      get: async (key: string) => store.get(key),
      set: async (key: string, value: unknown) => void store.set(key, value),
      delete: async (key: string) => store.delete(key),
    }
    const { client } = setup(() => ok(price(TOKEN), costs(50)), { budget: { credits: 100, store: stored } })
    const outcome = watch(client.token.price({ address: TOKEN }))
    for (let turn = 0; turn < 5; turn++) await flush()
    expect(outcome.state).toBe('resolved')
    expect(client.budget).toMatchObject({ spent: 50, reserved: 0, uncertain: 0 })
  })
})

test('what a callback returns is left alone unless it is a promise: some query builders have a `then` that starts them', () => {
  const started = vi.fn()
  const onThrow = vi.fn()
  const query = Object.defineProperty({}, 'then', { value: started })
  callSafely(() => query, undefined, onThrow)
  expect(started).not.toHaveBeenCalled()
  expect(onThrow).not.toHaveBeenCalled()
})
