import { createClient, type HttpAttempt } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createKyTransport, type KyTransportOptions } from '../../src/transport/ky.ts'
import { REQUEST_CONTEXT } from '../support/request-context.ts'

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
    context: REQUEST_CONTEXT,
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
    const attempt: HttpAttempt = {
      url: URL_SENT,
      headers: HEADERS,
      context: REQUEST_CONTEXT,
      signal,
      onSent: () => {},
      onHeaders: () => {},
    }
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
})

/** A Response of another implementation of fetch. */
class ForeignResponse {
  readonly status = 200
  readonly headers = new Headers({ 'x-credits-cost': '5' })
  readonly text = async () => 'foreign'
}

test('a response of another implementation of fetch is read, and its request sent once', async () => {
  const fetch = vi.fn(async () => new ForeignResponse() as unknown as Response)
  const { response } = await start({ fetch }).ended
  expect(response?.text).toBe('foreign')
  expect(fetch).toHaveBeenCalledTimes(1)
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
})
