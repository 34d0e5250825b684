import { afterEach, expect, test, vi } from 'vitest'
import { KEY, setup } from '../support/setup.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

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
