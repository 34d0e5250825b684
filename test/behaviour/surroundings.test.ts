import { ConnectionError, createClient, InvalidRequestError } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { address, KEY, rejection } from '../support/setup.ts'

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
