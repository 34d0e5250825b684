import { ConnectionError, createClient, InvalidRequestError } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { address, addresses, KEY, rejection, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a baseUrl that is a path alone', () => {
  test('does not throw when a server loads the module', () => {
    expect(() => createClient({ baseUrl: '/api/market' })).not.toThrow()
  })

  test('rejects the first call on a server, and says what is missing', async () => {
    let calls = 0
    const client = createClient({
      baseUrl: '/api/market',
      budget: { credits: 100 },
      fetch: async () => {
        calls++
        return new Response()
      },
    })
    const error = await rejection(client.token.price({ address: TOKEN }), InvalidRequestError)
    expect(error).toMatchObject({ code: 'invalid_option', attempts: 0, charge: 'none', operation: 'token.price' })
    expect(error.message).toContain('/api/market')
    expect(error.message).toContain('absolute URL')
    expect(calls).toBe(0)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 0 })
  })

  test('is resolved against the page at the first call', async () => {
    const urls: string[] = []
    const client = createClient({
      baseUrl: '/api/market',
      fetch: async ({ url }) => {
        urls.push(url)
        return ok(price(TOKEN), costs(50))
      },
    })
    vi.stubGlobal('location', { href: 'https://dapp.test/app/page?x=1' })
    await client.token.price({ address: TOKEN })
    expect(urls).toEqual([`https://dapp.test/api/market/prices/52014/${TOKEN}`])
  })

  test.each(['market', '//other.test/x', '', 'ftp://x.test', 'https://u:p@x.test', 'https://x.test/?a=1'])(
    '%j is rejected at once',
    (baseUrl) => {
      expect(() => createClient({ baseUrl })).toThrow(InvalidRequestError)
    },
  )
})

test.each(['the global fetch', 'no fetch', 'node:http'])(
  'with %s, a port that is blocked or closed: nothing was sent, and nothing is uncertain',
  async (kind) => {
    if (kind === 'no fetch') vi.stubGlobal('fetch', undefined)
    const client = createClient({
      apiKey: KEY,
      baseUrl: 'http://localhost:1',
      budget: { credits: 1_000 },
      retry: false,
      ...(kind === 'node:http' && { transport: createNodeTransport() }),
    })
    const error = await rejection(client.token.price({ address: TOKEN }), ConnectionError)
    expect(error).toMatchObject({ code: 'connection_failed', charge: 'none', credits: 0 })
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 0, spent: 0 })
    await client.close()
  },
)

describe('request.sent', () => {
  test('is not raised for chunks that were never sent', async () => {
    const caller = new AbortController()
    const made = setup(undefined, {
      batchConcurrency: 2,
      budget: { credits: 10_000 },
      onEvent: (event) => void types.push(event.type),
    })
    const types: string[] = []
    const outcome = watch(made.client.prices.batch({ addresses: addresses(400) }, { signal: caller.signal }))
    await made.clock.advance(0)
    caller.abort('left')
    await made.clock.advance(10)
    expect(outcome.error).toBe('left')
    expect(made.script.requests).toHaveLength(2)
    expect(types.filter((type) => type === 'request.sent')).toHaveLength(2)
    expect(types.filter((type) => type === 'request.failed')).toHaveLength(2)
    expect(made.client.budget).toMatchObject({ uncertain: 1_200, reserved: 0 })
  })

  test('is not raised for what its own listener aborts', async () => {
    const caller = new AbortController()
    const types: string[] = []
    const { client, clock, script } = setup(undefined, {
      onEvent: (event) => {
        types.push(event.type)
        if (event.type === 'request.sent') caller.abort('seen')
      },
    })
    const outcome = watch(client.prices.batch({ addresses: addresses(400) }, { signal: caller.signal }))
    await clock.advance(0)
    expect(outcome.error).toBe('seen')
    const sent = types.filter((type) => type === 'request.sent').length
    expect(types.filter((type) => type === 'request.failed')).toHaveLength(sent)
    expect(script.requests.length).toBeLessThanOrEqual(sent)
  })
})
