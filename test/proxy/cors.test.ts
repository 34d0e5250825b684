import { describe, expect, test } from 'vitest'
import { errorOf, ORIGIN, pricePath, setupProxy } from './setup.ts'

const PARTNER = 'https://partner.example'
const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => /^access-control/.test(name)))

describe('a listed origin', () => {
  test('may read answers and their costs, errors included', async () => {
    const { ask } = setupProxy({ cors: { origins: [PARTNER] } })
    const headers = { origin: PARTNER }
    const expected = {
      'access-control-allow-origin': PARTNER,
      'access-control-expose-headers': 'Age, X-Credits-Cost, X-Credits-Remaining, Retry-After',
    }
    for (const path of [pricePath(), '/me', '/nowhere', '/tokens/52014?limit=x']) {
      const response = await ask(path, { headers })
      expect(corsOf(response)).toEqual(expected)
      expect(response.headers.get('vary')).toBe('Origin, *')
    }
  })

  test('may send cookies where credentials are asked for', async () => {
    const { ask } = setupProxy({ cors: { origins: [PARTNER], credentials: true } })
    const response = await ask(pricePath(), { headers: { origin: PARTNER } })
    expect(corsOf(response)['access-control-allow-credentials']).toBe('true')
  })

  test('gets an answer to its preflight, with the headers that its pages send', async () => {
    const { ask, fake } = setupProxy({ cors: { origins: [PARTNER] } })
    const headers = {
      origin: PARTNER,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-session',
    }
    const response = await ask(pricePath(), { method: 'OPTIONS', headers })
    expect(response.status).toBe(204)
    expect(corsOf(response)).toMatchObject({
      'access-control-allow-origin': PARTNER,
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'If-None-Match, x-session',
    })
    expect(response.headers.get('vary')).toContain('Origin')
    fake.expectRequests(0)
  })
})

test('a foreign origin may read nothing, not even the error', async () => {
  const { ask } = setupProxy({ cors: { origins: [PARTNER] } })
  for (const method of ['GET', 'OPTIONS']) {
    const response = await ask(pricePath(), { method, headers: { origin: 'https://evil.example' } })
    expect(corsOf(response)).toEqual({})
    expect(response.headers.get('vary')).toBe('Origin, *')
    expect(await errorOf(response)).toBe('403 not_allowed')
  }
})

test.each<[headers: Record<string, string>, byDefault: number, listed?: number]>([
  [{ origin: PARTNER }, 403, 200],
  [{ origin: PARTNER, 'sec-fetch-site': 'cross-site' }, 403, 200],
  [{ origin: 'https://evil.example' }, 403],
  [{ origin: 'null' }, 403],
  [{ origin: 'https://dapp.example.evil.example' }, 403],
  [{ origin: `${PARTNER}.` }, 403],
  [{ origin: 'https://dapp.example:8443' }, 403],
  [{ origin: 'not an origin' }, 403],
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{ 'sec-fetch-site': 'same-site' }, 403],
  [{ origin: ORIGIN }, 200],
  // Behind a TLS terminator.
  [{ origin: 'http://dapp.example' }, 200],
  [{ 'sec-fetch-site': 'same-origin' }, 200],
  [{ 'sec-fetch-site': 'none' }, 200],
  [{}, 200],
])(
  'a request with %o gets %i by default, and where an origin is listed',
  async (headers, byDefault, listed = byDefault) => {
    const response = await setupProxy().ask(pricePath(), { headers })
    expect([response.status, corsOf(response)]).toEqual([byDefault, {}])
    const { ask, fake } = setupProxy({ cors: { origins: [PARTNER] } })
    expect((await ask(pricePath(), { headers })).status).toBe(listed)
    fake.expectRequests(listed === 200 ? 1 : 0)
  },
)

test.each([
  ['https://dapp.example', 'dapp.example', 200],
  ['http://dapp.example', 'dapp.example:80', 200],
  ['http://dapp.example:3000', 'dapp.example:3000', 200],
  ['https://evil.example', 'dapp.example', 403],
  ['https://dapp.example:8443', 'dapp.example', 403],
  ['https://dapp.example', 'dapp.example:8443', 403],
  ['null', 'null', 403],
  ['https://dapp.example', '', 403],
  ['https://dapp.example', '[', 403],
])('where the URL is that of the socket, a page of %s that asks %s gets %i', async (origin, host, status) => {
  const { proxy } = setupProxy()
  const url = `http://localhost:3000/api/market${pricePath()}`
  expect((await proxy(new Request(url, { headers: { origin, host } }))).status).toBe(status)
})
