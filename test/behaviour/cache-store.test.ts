import type { CacheStore, ClientOptions } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup, watch } from '../support/setup.ts'
import { createStore } from '../support/store.ts'

const TOKEN = address(1)
const LIST = [{ address: TOKEN, name: 'a', symbol: 'A', decimals: 18, totalSupply: 1 }]
const cache: ClientOptions['cache'] = { ttlMs: { 'token.list': 10_000, 'token.price': 5_000, 'prices.batch': 5_000 } }

describe('a cache store', () => {
  test('receives a text and its time to live, and never the API key', async () => {
    const { store, calls } = createStore()
    const { client } = setup(() => ok(LIST, costs(105)), { cache: { ...cache, store } as ClientOptions['cache'] })
    await client.token.list()
    await flush()
    expect(calls).toHaveLength(1)
    const [key, value, ttl] = calls[0]!
    expect([typeof key, typeof value, ttl]).toEqual(['string', 'string', 10_000])
    expect(`${key}${value}`).not.toContain('esk_live')
  })

  const FAILING: [string, CacheStore][] = [
    [
      'throws',
      {
        get: () => {
          throw new Error('down')
        },
        set: () => {
          throw new Error('down')
        },
        delete: () => true,
      },
    ],
    [
      'rejects',
      {
        get: () => Promise.reject(new Error('down')),
        set: () => Promise.reject(new Error('down')),
        delete: () => true,
      },
    ],
  ]

  test.each(FAILING)('that %s: the call sends a request and succeeds', async (_, store) => {
    const { client, script, events } = setup(() => ok(LIST, costs(105)), {
      cache: { ...cache, store } as ClientOptions['cache'],
    })
    expect(await client.token.list()).toEqual(LIST)
    await flush()
    expect(script.requests).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'cache.failed')).toHaveLength(2)
  })

  test('that never answers: abort and deadline end the call', async () => {
    const store: CacheStore = { get: () => new Promise(() => {}), set: () => new Promise(() => {}), delete: () => true }
    const { client, clock } = setup(() => ok(LIST, costs(105)), {
      deadlineMs: 1_000,
      cache: { ...cache, store } as ClientOptions['cache'],
    })
    const caller = new AbortController()
    const aborted = watch(client.token.list({}, { signal: caller.signal }))
    const late = watch(client.token.price({ address: TOKEN }))
    await clock.advance(10)
    caller.abort('enough')
    await clock.advance(1_000)
    expect(aborted.error).toBe('enough')
    expect(late.state).not.toBe('pending')
    expect(clock.pending).toBe(0)
  })

  test('that never finishes writing does not delay the answer', async () => {
    const store: CacheStore = { get: () => undefined, set: () => new Promise(() => {}), delete: () => true }
    const { client } = setup(() => ok(LIST, costs(105)), { cache: { ...cache, store } as ClientOptions['cache'] })
    expect(await client.token.list()).toEqual(LIST)
    await client.close()
  })
})
