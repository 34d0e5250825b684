import { describe, expect, test } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
const good = () => ok(price(TOKEN), costs(50))

describe('aborted in the tick in which it was made', () => {
  test('two components mount twice and share one request', async () => {
    const { client, script } = setup(good, { budget: { credits: 100 } })
    const mount = () => {
      const caller = new AbortController()
      const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }).withMeta())
      return { outcome, unmount: () => caller.abort() }
    }
    const discarded = [mount(), mount()]
    for (const { unmount } of discarded) unmount()
    const kept = [mount(), mount()]
    await flush()
    expect(discarded.map(({ outcome }) => outcome.state)).toEqual(['rejected', 'rejected'])
    const charged = kept.map(({ outcome }) => outcome.value?.meta.credits.charged)
    expect(charged).toEqual([50, 0])
    expect(script.requests).toHaveLength(1)
  })

  test.each(['a key function', 'a cache', 'neither'])('with %s: nothing is sent and nothing reserved', async (kind) => {
    const { client, clock, script, events } = setup(good, {
      budget: { credits: 5_000 },
      ...(kind === 'a key function' && { apiKey: async () => 'esk_live_of_a_function' }),
      ...(kind === 'a cache' && { cache: { ttlMs: { 'token.price': 1_000 } } }),
    })
    const caller = new AbortController()
    const { signal } = caller
    const outcomes = [
      watch(client.token.price({ address: TOKEN }, { signal })),
      watch(client.locks.get({ address: TOKEN }, { signal })),
      watch(client.prices.batch({ addresses: [TOKEN] }, { signal })),
      watch(client.request('/new', { maxCredits: 10, signal })),
    ]
    caller.abort('left')
    await flush()
    expect(outcomes).toEqual(Array(4).fill({ state: 'rejected', error: 'left' }))
    expect(script.requests).toHaveLength(0)
    expect(script.abortedBeforeSend).toBe(0)
    expect(events.filter(({ type }) => type.startsWith('request.'))).toEqual([])
    expect(client.budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 0 })
    expect(clock.pending).toBe(0)
  })

  test('closed in the tick of the call: nothing is sent', async () => {
    const { client, script } = setup(good)
    const outcome = watch(client.token.price({ address: TOKEN }))
    await client.close()
    await flush()
    expect(outcome.error).toMatchObject({ code: 'client_closed', attempts: 0, charge: 'none' })
    expect(script.requests).toHaveLength(0)
  })
})
