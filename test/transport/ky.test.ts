import type { FetchInit, HttpAttempt } from 'etn-market'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createKyTransport, type KyTransportOptions } from '../../src/transport/ky.ts'
import { REQUEST_CONTEXT } from '../support/request-context.ts'

const URL_SENT = 'https://market.test/v1/prices/etn?a=1'
const HEADERS = { accept: 'application/json', authorization: 'Bearer esk_test_x', 'x-own': '1' }

afterEach(() => void vi.unstubAllGlobals())

/** One attempt over ky, with what it reported. */
function start(options: KyTransportOptions) {
  const { signal } = new AbortController()
  const reported: unknown[] = []
  const attempt: HttpAttempt = {
    url: URL_SENT,
    headers: HEADERS,
    context: REQUEST_CONTEXT,
    signal,
    onSent: () => void reported.push('sent'),
    onHeaders: ({ status }) => void reported.push(status),
  }
  return { ended: createKyTransport(options).send(attempt), reported, signal }
}

describe('what is sent', () => {
  test('the URL, and an init with the headers, no body, and no redirect followed by fetch', async () => {
    const given: [url: string, init: FetchInit][] = []
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

  test('through the fetch that is global at the moment', async () => {
    const seen: string[] = []
    const stub = (name: string) =>
      vi.stubGlobal('fetch', async (url: string, { redirect }: FetchInit) => {
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
