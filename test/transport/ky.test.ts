import type { AfterResponseHook, FetchLike, HttpAttempt } from 'etn-market'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { KyTransport, type KyTransportOptions } from '../../src/transport/ky.ts'
import { REQUEST_CONTEXT } from '../support/request-context.ts'

const URL_SENT = 'https://market.test/v1/prices/etn?a=1'
const HEADERS = { accept: 'application/json', authorization: 'Bearer esk_test_x', 'x-own': '1' }

afterEach(() => void vi.unstubAllGlobals())

/** One attempt over ky, with what it reported. */
function start(options: KyTransportOptions, more: Partial<HttpAttempt> = {}) {
  const { signal } = new AbortController()
  const reported: unknown[] = []
  const attempt: HttpAttempt = {
    url: URL_SENT,
    headers: HEADERS,
    context: REQUEST_CONTEXT,
    signal,
    beforeSend: () => void reported.push('sent'),
    onHeaders: ({ status }) => void reported.push(status),
    ...more,
  }
  return { ended: new KyTransport(options).send(attempt), reported, signal }
}

describe('what is sent', () => {
  test('the URL, and an init with the headers, no body, and no redirect followed by fetch', async () => {
    const given: [url: string, init: Parameters<FetchLike>[1]][] = []
    const { ended, reported, signal } = start({
      fetch: async (...both) => {
        given.push(both)
        return new Response('{"data":1}', { headers: { 'x-credits-cost': '5' } })
      },
    })
    const { response } = await ended
    expect(response).toMatchObject({ status: 200, text: '{"data":1}' })
    expect(response?.headers.get('X-Credits-Cost')).toBe('5')
    expect(reported).toEqual(['sent', 200])
    const { credentials, cache } = new Request(URL_SENT)
    const init = { method: 'GET', headers: HEADERS, redirect: 'manual', signal, credentials, cache }
    expect(given).toEqual([[URL_SENT, init]])
    expect(given[0]?.[1].signal).toBe(signal)
  })

  test.each([
    ['in a page or its worker', 'location', undefined, 'no-cache'],
    ['in a page, with the mode of a hook', 'location', 'force-cache', 'force-cache'],
    ['elsewhere', 'window', undefined, 'default'],
  ] as const)('%s: anew, also where a browser has kept an answer', async (_, name, cache, expected) => {
    vi.stubGlobal(name, {})
    const given: unknown[] = []
    const fetch: FetchLike = async (_, { cache }: RequestInit) => {
      given.push(cache)
      return new Response('1')
    }
    const hook = ({ request }: { request: Request }) => (cache ? new Request(request, { cache }) : undefined)
    await start({ fetch, hooks: { beforeRequest: [hook] } }).ended
    expect(given).toEqual([expected])
  })

  test('as always in a page whose fetch would change the URL for that', async () => {
    vi.stubGlobal('location', {})
    const fetch = vi.fn(async () => new Response('1'))
    vi.stubGlobal('fetch', Object.assign(fetch, { polyfill: true }))
    await start({}).ended
    expect(fetch).toHaveBeenCalledWith(URL_SENT, expect.objectContaining({ cache: 'default' }))
  })

  test('through the fetch that is global at the moment', async () => {
    const seen: string[] = []
    const stub = (name: string) =>
      vi.stubGlobal('fetch', async (url: string, { redirect }: Parameters<FetchLike>[1]) => {
        seen.push(`${name} ${url} ${redirect}`)
        return new Response(name)
      })
    for (const name of ['first', 'second']) {
      stub(name)
      expect((await start({}).ended).response?.text).toBe(name)
    }
    expect(seen).toEqual([`first ${URL_SENT} manual`, `second ${URL_SENT} manual`])
  })
})

describe('a Request that a hook returns', () => {
  const sendAs = async (init: RequestInit) => {
    const given: Parameters<FetchLike>[1][] = []
    const { ended } = start({
      hooks: { beforeRequest: [({ request }) => new Request(request, init)] },
      fetch: async (url, init) => {
        given.push(init)
        return new Response(await new Request(url, init).text())
      },
    })
    return { outcome: await ended, given }
  }

  test('goes out with its method, headers, credentials and cache mode', async () => {
    const own = { method: 'HEAD', credentials: 'include', cache: 'no-store' } as const
    const { given } = await sendAs({ ...own, headers: { ...HEADERS, 'x-hook': '1' } })
    expect(given).toMatchObject([{ ...own, headers: { ...HEADERS, 'x-hook': '1' }, redirect: 'manual' }])
  })

  test('goes out with its body', async () => {
    const { outcome } = await sendAs({ method: 'POST', body: 'a body', headers: HEADERS })
    expect(outcome.response?.text).toBe('a body')
  })
})

/** A Response as node-fetch makes it: its body cannot be cancelled, and hooks could not return it. */
class ForeignResponse {
  readonly headers: Headers
  readonly body = { pipe() {} }
  readonly text = async () => 'foreign'
  constructor(
    readonly status = 200,
    headers: Record<string, string> = {},
  ) {
    this.headers = new Headers({ 'x-credits-cost': '5', ...headers })
  }
}

describe('a response of another implementation of fetch', () => {
  test('is read, and its request sent once', async () => {
    const fetch = vi.fn(async () => new ForeignResponse())
    const { response } = await start({ fetch }).ended
    expect(response?.text).toBe('foreign')
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  test('may be a redirect', async () => {
    const fetch = vi.fn(async (url: string) =>
      url === URL_SENT ? new ForeignResponse(302, { location: '/elsewhere' }) : new ForeignResponse(),
    )
    expect((await start({ fetch }).ended).response?.text).toBe('foreign')
    expect(fetch.mock.calls.map(([url]) => url)).toEqual([URL_SENT, 'https://market.test/elsewhere'])
  })

  test('is a Response of this runtime for hooks, which may return it', async () => {
    const seen: unknown[] = []
    const afterResponse: AfterResponseHook[] = [
      async ({ response }) => void seen.push(response.status, await response.text()),
      ({ response }) => response,
    ]
    const { response } = await start({ fetch: async () => new ForeignResponse(), hooks: { afterResponse } }).ended
    expect(seen).toEqual([200, 'foreign'])
    expect(response?.text).toBe('foreign')
    expect(response?.headers.get('x-credits-cost')).toBe('5')
  })

  test('is not given to hooks when its body is too large', async () => {
    const afterResponse = vi.fn()
    const options = { fetch: async () => new ForeignResponse(), hooks: { afterResponse: [afterResponse] } }
    const { failure } = await start(options, { maxResponseBytes: 3 }).ended
    expect(failure).toMatchObject({ kind: 'too_large', mayHaveArrived: true, response: { status: 200 } })
    expect(afterResponse).not.toHaveBeenCalled()
  })
})
