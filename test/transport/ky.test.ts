import { createClient, type FetchLike, type HttpAttempt } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createKyTransport, type KyTransportOptions } from '../../src/transport/ky.ts'

const URL_SENT = 'https://market.test/v1/prices/etn?a=1'
const HEADERS = { accept: 'application/json', authorization: 'Bearer esk_test_x', 'x-own': '1' }

afterEach(() => void vi.unstubAllGlobals())

/** One attempt over ky, with what it reported. */
function start(options: KyTransportOptions) {
  const controller = new AbortController()
  const reported: unknown[] = []
  const attempt: HttpAttempt = {
    url: URL_SENT,
    headers: HEADERS,
    signal: controller.signal,
    onSent: () => void reported.push('sent'),
    onHeaders: ({ status }) => void reported.push(status),
  }
  return { ended: createKyTransport(options).send(attempt), controller, reported }
}

describe('what is sent', () => {
  test('one Request with the URL, the headers, no body, and no redirect followed by fetch', async () => {
    const requests: Request[] = []
    const { ended, reported } = start({
      fetch: async (request) => {
        requests.push(request)
        return new Response('{"data":1}', { headers: { 'x-credits-cost': '5' } })
      },
    })
    const { response } = await ended
    expect(response).toMatchObject({ status: 200, text: '{"data":1}' })
    expect(response?.headers.get('X-Credits-Cost')).toBe('5')
    expect(reported).toEqual(['sent', 200])
    expect(requests).toHaveLength(1)
    const [request] = requests
    expect(request).toMatchObject({ url: URL_SENT, method: 'GET', body: null, redirect: 'manual' })
    expect(Object.fromEntries(request?.headers ?? [])).toEqual(HEADERS)
  })

  test('through the fetch that is global at the moment, which may take a Request alone', async () => {
    const seen: string[] = []
    const stub = (name: string) =>
      vi.stubGlobal('fetch', async (request: Request) => {
        seen.push(`${name} ${request.url} ${request.redirect}`)
        return new Response(name)
      })
    const transport = createKyTransport()
    const { signal } = new AbortController()
    const attempt: HttpAttempt = { url: URL_SENT, headers: HEADERS, signal, onSent: () => {}, onHeaders: () => {} }
    for (const name of ['first', 'second']) {
      stub(name)
      expect((await transport.send(attempt)).response?.text).toBe(name)
    }
    expect(seen).toEqual([`first ${URL_SENT} manual`, `second ${URL_SENT} manual`])
  })

  test('to a fetch that takes a Request alone, with the signal in it', async () => {
    const fake = createFakeService()
    const signals: AbortSignal[] = []
    const fetch = (request: Request) => {
      signals.push(request.signal)
      return fake.fetch(request)
    }
    await using client = createClient({ apiKey: fake.key, fetch })
    await client.etn.price()
    expect(fake.ledger()).toHaveLength(1)
    fake.fault({ delayMs: 60_000 })
    const caller = new AbortController()
    const call = client.token.list({ limit: 1 }, { signal: caller.signal })
    await expect.poll(() => signals.length).toBe(2)
    caller.abort('enough')
    await expect(call).rejects.toBe('enough')
    expect(signals[1]?.aborted).toBe(true)
    await fake.close()
  })

  test('nothing, after the attempt was aborted in a hook', async () => {
    const fetch = vi.fn<FetchLike>()
    let resume = () => {}
    const waiting = new Promise<void>((resolve) => {
      resume = resolve
    })
    const { ended, controller, reported } = start({ fetch, hooks: { beforeRequest: [() => waiting] } })
    controller.abort('enough')
    resume()
    expect((await ended).failure).toMatchObject({ mayHaveArrived: false, cause: 'enough' })
    expect([fetch.mock.calls.length, reported]).toEqual([0, []])
  })

  test('the same headers to where a redirect within the origin leads', async () => {
    const requests: Request[] = []
    const { ended } = start({
      fetch: async (request) => {
        requests.push(request)
        return requests.length === 1
          ? new Response('', { status: 307, headers: { location: '/v2/there' } })
          : new Response('there')
      },
    })
    expect((await ended).response?.text).toBe('there')
    expect(requests[1]).toMatchObject({ url: 'https://market.test/v2/there', redirect: 'manual' })
    expect(Object.fromEntries(requests[1]?.headers ?? [])).toEqual(HEADERS)
  })
})

/** A Response of another implementation of fetch. */
class ForeignResponse {
  readonly status = 200
  readonly headers = new Headers({ 'x-credits-cost': '5' })
  readonly text = async () => 'foreign'
}

describe('what fetch resolves to', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'ok'],
    ['an empty object', {}],
    ['headers without get', { status: 200, headers: { 'x-credits-cost': '5' }, text: async () => '' }],
    ['no text function', { status: 200, headers: new Headers() }],
  ])('%s is reported as invalid, and may have arrived', async (_, value) => {
    const { ended, reported } = start({ fetch: (async () => value) as unknown as FetchLike })
    const { failure } = await ended
    expect(failure).toMatchObject({ kind: 'invalid_fetch', mayHaveArrived: true })
    expect(failure?.cause).toBeInstanceOf(TypeError)
    expect(reported).toEqual(['sent'])
  })

  test('a Response whose body was read is reported as invalid', async () => {
    const shared = new Response('{}')
    const fetch = async () => shared
    expect((await start({ fetch }).ended).response?.text).toBe('{}')
    expect((await start({ fetch }).ended).failure).toMatchObject({ kind: 'invalid_fetch', mayHaveArrived: true })
  })

  test('the call rejects with a typed error, and the credits stay uncertain', async () => {
    const fetch = (async () => ({})) as unknown as FetchLike
    const client = createClient({ apiKey: 'esk_test_x', fetch, budget: { credits: 100 }, baseUrl: 'http://a.test' })
    await expect(client.etn.price()).rejects.toMatchObject({
      name: 'ResponseError',
      code: 'invalid_fetch',
      attempts: 1,
    })
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 25 })
  })

  test('a response of another implementation is read, and its request sent once', async () => {
    const fetch = vi.fn(async () => new ForeignResponse() as unknown as Response)
    const { response } = await start({ fetch }).ended
    expect(response?.text).toBe('foreign')
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  test('a body that breaks is a failure with status and headers', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) })
    const { failure } = await start({ fetch: async () => new Response(body, { status: 201 }) }).ended
    expect(failure).toMatchObject({ kind: 'network', mayHaveArrived: true, response: { status: 201, text: undefined } })
  })
})

describe('a request that was never sent', () => {
  const failedWith = (cause: unknown) => new TypeError('fetch failed', { cause })

  test.each<[string, boolean, unknown]>([
    ['a refused connection', false, failedWith(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))],
    ['a port that Node blocks', false, failedWith(new Error('bad port'))],
    ['a port that Safari blocks', false, new TypeError('Not allowed to use restricted network port')],
    [
      'no address that answers',
      false,
      failedWith(new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })])),
    ],
    ['a reset', true, failedWith(Object.assign(new Error('no'), { code: 'ECONNRESET' }))],
    ['an error without a cause', true, new TypeError('Failed to fetch')],
    ['a text', true, 'no'],
  ])('is distinguished from one that may have arrived: %s', async (_, mayHaveArrived, error) => {
    const rejecting = start({ fetch: () => Promise.reject(error) })
    expect((await rejecting.ended).failure).toEqual({
      kind: 'network',
      mayHaveArrived,
      response: undefined,
      cause: error,
    })
    const throwing = start({
      fetch: () => {
        throw error
      },
    })
    expect((await throwing.ended).failure).toMatchObject({ kind: 'network', mayHaveArrived })
  })

  test('is what a blocked port and a runtime without fetch end in', async () => {
    const client = createClient({ baseUrl: 'http://localhost:1', apiKey: 'esk_test_x', retry: false })
    await expect(client.etn.price()).rejects.toMatchObject({ code: 'connection_failed', charge: 'none' })
    vi.stubGlobal('fetch', undefined)
    await expect(client.etn.price()).rejects.toMatchObject({ code: 'connection_failed', charge: 'none' })
  })
})
