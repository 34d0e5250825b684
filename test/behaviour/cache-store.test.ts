import type { CacheStore, ClientOptions } from 'etn-market'
import { describe, expect, test, vi } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup, watch } from '../support/setup.ts'
import { createStore } from '../support/store.ts'

const TOKEN = address(1)
const LIST = [{ address: TOKEN, name: 'a', symbol: 'A', decimals: 18, totalSupply: 1 }]
const cache: ClientOptions['cache'] = { ttlMs: { 'token.list': 10_000, 'token.price': 5_000, 'prices.batch': 5_000 } }

const list = () => ok(LIST, costs(105))
const withStore = (store: CacheStore) => ({ cache: { ...cache, store } as ClientOptions['cache'] })

describe('a cache store', () => {
  test('receives a text and its time to live, and never the API key', async () => {
    const { store, calls } = createStore()
    const { client } = setup(list, withStore(store))
    await client.token.list()
    await flush()
    expect(calls).toHaveLength(1)
    const [key, value, ttl] = calls[0]!
    expect([typeof key, typeof value, ttl]).toEqual(['string', 'string', 10_000])
    // An entry of another version is not read.
    expect(key).toMatch(/^etn-market:\d+:/)
    expect(`${key}${value}`).not.toContain('esk_live')
  })

  function thrower(): never {
    throw new Error('down')
  }

  test.each<[string, () => unknown]>([
    ['throws', thrower],
    ['rejects', async () => thrower()],
  ])('that %s: the call sends a request and succeeds', async (_, fail) => {
    const store: CacheStore = { get: fail, set: fail, delete: () => true }
    const { client, script, events } = setup(list, withStore(store))
    expect(await client.token.list()).toEqual(LIST)
    await flush()
    expect(script.requests).toHaveLength(1)
    // The store is left alone for a while.
    expect(events.filter(({ type }) => type === 'cache.failed')).toHaveLength(1)
  })

  test('that never answers: abort and deadline end the call', async () => {
    const store: CacheStore = { get: () => new Promise(() => {}), set: () => new Promise(() => {}), delete: () => true }
    const { client, clock } = setup(list, { deadlineMs: 1_000, ...withStore(store) })
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

  test('that never answers costs a request after a second at most, and is then left alone for 30 s', async () => {
    const never = () => new Promise(() => {})
    const get = vi.fn(never)
    // It never finishes writing, either.
    const store: CacheStore = { get, set: never, delete: () => true }
    const { client, clock, script } = setup(list, withStore(store))
    const first = watch(client.token.list())
    await clock.advance(999)
    expect(script.requests).toHaveLength(0)
    await clock.advance(1)
    expect(first.value).toEqual(LIST)
    const second = watch(client.token.list())
    await clock.advance(0)
    expect(second.value).toEqual(LIST)
    expect([get.mock.calls.length, script.requests.length]).toEqual([1, 2])
    await clock.advance(30_000)
    const hurried = watch(client.token.list({}, { deadlineMs: 500 }))
    await clock.advance(250)
    expect(hurried.value).toEqual(LIST)
    expect([get.mock.calls.length, script.requests.length]).toEqual([2, 3])
    await client.close()
    expect(clock.pending).toBe(0)
  })

  test('loses what has expired, though it ignores the time to live', async () => {
    const { store, kept } = createStore()
    const { client, clock } = setup(
      ({ url }) => ok(price(url.pathname.split('/').at(-1) ?? ''), costs(50)),
      withStore(store),
    )
    for (let index = 0; index < 20; index++) {
      await client.token.price({ address: address(index) })
      await clock.advance(1_000)
    }
    expect(kept.size).toBeLessThanOrEqual(6)
    await clock.advance(60_000)
    await client.token.price({ address: address(30) })
    await flush()
    expect(kept.size).toBe(1)
  })
})
