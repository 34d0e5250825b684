import { runInNewContext } from 'node:vm'
import { ConnectionError, createClient, InvalidRequestError } from 'etn-market'
import { createFakeService, useFakeService } from 'etn-market/fake'
import { createNodeTransport } from 'etn-market/node'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { address, KEY, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
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
      fetch: async (url) => {
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
    const events: string[] = []
    const client = createClient({
      apiKey: KEY,
      baseUrl: 'http://localhost:1',
      onEvent: ({ type }) => void events.push(type),
      budget: { credits: 1_000 },
      retry: false,
      ...(kind === 'node:http' && { transport: createNodeTransport() }),
    })
    const error = await rejection(client.token.price({ address: TOKEN }), ConnectionError)
    const attempts = kind === 'no fetch' ? 0 : 1
    expect(error).toMatchObject({ code: 'connection_failed', attempts, charge: 'none', credits: 0 })
    expect(events.filter((type) => type === 'request.sent')).toHaveLength(attempts)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 0, spent: 0 })
    await client.close()
  },
)

function enterPage() {
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', {})
  return vi.spyOn(console, 'warn').mockImplementation(() => {})
}

test('in a page, a client with a key emits one warning that names the proxy and not the key', async () => {
  const warn = enterPage()
  const { events, client } = setup(() => new Response('{"data":{}}'))
  await client.etn.price()
  await client.etn.price()
  const warnings = [
    ...events.filter(({ type }) => type === 'key.exposed').map((event) => JSON.stringify(event)),
    ...warn.mock.calls.flat(),
  ]
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('proxy')
  expect(warnings[0]).not.toContain(KEY)
})

test('in a page, a client without a listener warns on the console', () => {
  const warn = enterPage()
  setup(undefined, { onEvent: undefined })
  expect(warn).toHaveBeenCalledTimes(1)
  expect(warn.mock.calls.flat().join()).toMatch(/proxy/)
  expect(warn.mock.calls.flat().join()).not.toContain(KEY)
})

test('in a page that a test imitates, the key of a fake raises no warning', async () => {
  const warn = enterPage()
  const fake = await useFakeService({ after: onTestFinished }, { keys: { mine: 100 } })
  const { key, fetch } = createFakeService()
  for (const options of [{ apiKey: fake.key }, { apiKey: key }, { apiKey: 'own', fetch }]) {
    const types: string[] = []
    await createClient(options).close()
    await createClient({ ...options, onEvent: ({ type }) => void types.push(type) }).close()
    expect(types).not.toContain('key.exposed')
  }
  expect(warn).not.toHaveBeenCalled()
})

test('in a page, a client without a key does not warn and sends no key', async () => {
  const warn = enterPage()
  vi.stubEnv('ETN_MARKET_API_KEY', '')
  const { client, script, events } = setup(() => new Response('{"data":{}}'), { apiKey: undefined, validate: 'off' })
  await client.etn.price()
  expect(warn).not.toHaveBeenCalled()
  expect(events.filter(({ type }) => type === 'key.exposed')).toEqual([])
  expect(script.requests[0]?.headers.has('authorization')).toBe(false)
})

test('outside of a page, a client does not warn', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(setup().events).toEqual([])
  expect(warn).not.toHaveBeenCalled()
})

test('key and base URL are read from the environment when the options have none', async () => {
  vi.stubEnv('ETN_MARKET_API_KEY', 'esk_live_from_env')
  vi.stubEnv('ETN_MARKET_BASE_URL', 'https://env.test/v1/')
  const { client, script } = setup(() => new Response('{"data":{}}'), { apiKey: undefined, baseUrl: undefined })
  await client.etn.price()
  expect(script.requests[0]?.url.href).toBe('https://env.test/v1/prices/etn')
  expect(script.requests[0]?.headers.get('authorization')).toBe('Bearer esk_live_from_env')
})

test('meta.openapi is sent without the key', async () => {
  const { client, script } = setup(() => new Response('{"openapi":"3.1.0"}'))
  expect(await client.meta.openapi()).toEqual({ openapi: '3.1.0' })
  expect(script.requests[0]?.headers.has('authorization')).toBe(false)
})

describe('where Node and a page that is imitated meet', () => {
  test('a request that cannot be built is a mistake of the program: it is not retried, and nothing was sent', async () => {
    const cause = new TypeError('RequestInit: Expected signal to be an instance of AbortSignal')
    const { client, script } = setup()
    vi.stubGlobal(
      'Request',
      class {
        constructor() {
          throw cause
        }
      },
    )
    const error = await rejection(client.token.price({ address: TOKEN }), InvalidRequestError)
    expect(error).toMatchObject({ code: 'request_not_built', retryable: false, attempts: 0, charge: 'none', cause })
    expect(error.message).toContain('Expected signal')
    expect(script.requests).toHaveLength(0)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 0 })
  })

  test('an error of another realm stays the cause, without the key', async () => {
    const raw = `Object.assign(new TypeError('fetch failed for ${KEY}', { cause: new RangeError('${KEY}') }), { code: 'ENOTFOUND' })`
    const foreign = runInNewContext(raw)
    expect(foreign).not.toBeInstanceOf(Error)
    const { client } = setup(undefined, { fetch: () => Promise.reject(foreign), retry: false })
    const error = await rejection(client.token.price({ address: TOKEN }), ConnectionError)
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed for [redacted]', code: 'ENOTFOUND' })
    expect((error.cause as Error).cause).toMatchObject({ name: 'RangeError', message: '[redacted]' })
    expect(error.toJSON()).toMatchObject({ cause: { name: 'TypeError', message: 'fetch failed for [redacted]' } })
  })
})
