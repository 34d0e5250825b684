import { describe, expect, test } from 'vitest'
import type { TransportRequest, TransportResponse } from '../support/fetch-through.ts'
import { REQUEST_CONTEXT } from '../support/request-context.ts'
import { forEachTest } from './own.ts'
import { message, type Play, rawServer } from './raw-server.ts'

const own = forEachTest()

const answer: Play = (socket) => socket.write(message())
const ask = (url: string, request: TransportRequest = {}) => own.fetch(url, request)

describe('what is sent', () => {
  test('is one GET with the given headers and those that fetch adds', async () => {
    own.server = await rawServer(answer)
    await ask(`${own.server.url}/v1/x?a=1&b=%20`, {
      headers: { accept: 'application/json', 'X-Own': 'é' },
    })
    const [line, ...headers] = own.server.requests[0]?.split('\r\n') ?? []
    expect(line).toBe('GET /v1/x?a=1&b=%20 HTTP/1.1')
    expect(headers.map((header) => header.toLowerCase()).sort()).toEqual([
      'accept-encoding: gzip, deflate',
      'accept: application/json',
      'connection: keep-alive',
      `host: ${own.server.url.slice(7)}`,
      'user-agent: node',
      'x-own: é',
    ])
  })

  test('has given headers in place of its own', async () => {
    const headers = { 'x-own': '1', 'user-agent': 'mine', 'accept-encoding': 'identity' }
    own.server = await rawServer(answer)
    await ask(`${own.server.url}/`, { headers })
    const sent = own.server.requests[0]?.toLowerCase() ?? ''
    const found = [...sent.matchAll(/^(?:x-own|user-agent|accept-encoding): (.*)\r?$/gm)].map(([, value]) => value)
    expect(found.sort()).toEqual(['1', 'identity', 'mine'])
  })

  test.each([
    ['/v1/a', '/v1/a'],
    ['', '/'],
    ['?q=1', '/?q=1'],
    ['/a#part', '/a'],
    ['/a/../b/./c', '/b/c'],
    ['/a b', '/a%20b'],
    ['/é?é', '/%C3%A9?%C3%A9'],
    ['//other.test/x', '//other.test/x'],
    ['/%2e%2E/x', '/x'],
    ['/a/b%2ec', '/a/b%2ec'],
    ['/a\\b', '/a/b'],
    ['/a\r\nx-evil: 1', '/ax-evil:%201'],
    ['/.well', '/.well'],
  ])('of …%j is sent as %s, as with fetch', async (given, path) => {
    own.server = await rawServer(answer)
    await ask(`${own.server.url}${given}`)
    await globalThis.fetch(`${own.server.url}${given}`)
    const lines = own.server.requests.map((request) => request.split('\r\n')[0])
    expect(lines).toEqual(Array(2).fill(`GET ${path} HTTP/1.1`))
  })
})

describe('what is rejected before anything is sent', () => {
  test.each([
    ['a header with a line break', { x: 'a\r\nb: c' }],
    ['a header name with a space', { 'a b': 'c' }],
  ])('%s', async (_, headers) => {
    own.server = await rawServer(answer)
    const { signal } = new AbortController()
    const attempt = {
      url: `${own.server.url}/`,
      context: REQUEST_CONTEXT,
      signal,
      beforeSend: () => {},
      onHeaders: () => {},
    }
    const { failure } = await own.transport.send({ ...attempt, headers: headers as unknown as Record<string, string> })
    expect(failure).toMatchObject({ kind: 'network', mayHaveArrived: false })
    expect(failure?.cause).toBeInstanceOf(TypeError)
    expect(own.server.connections).toBe(0)
  })

  test.each([
    'nowhere',
    '/v1',
    'ftp://127.0.0.1/',
    'http://key@127.0.0.1/',
    'http://me:key@127.0.0.1/',
    'http://a:99999/',
  ])('the URL %s, without quoting it', async (url) => {
    const error = await ask(url).catch((caught) => caught)
    expect(error).toBeInstanceOf(TypeError)
    expect(`${error.message} ${error.cause.message}`).not.toContain('key')
    expect(error.cause.code).toBe('ERR_INVALID_URL')
  })
})

describe('what comes back', () => {
  const get = async (play: Play): Promise<TransportResponse> => {
    own.server = await rawServer(play)
    return ask(`${own.server.url}/`)
  }

  test('arrives before its body', async () => {
    const response = await get((socket) => socket.write(message().subarray(0, -5)))
    expect(response.status).toBe(200)
  })

  test('has headers by any case, joined where a name occurs twice', async () => {
    const headers =
      'Retry-After: 1\r\nretry-after: 2\r\nX-Empty:\r\ndate: a\r\ndate: b\r\nset-cookie: c\r\nset-cookie: d\r\n'
    const { headers: found } = await get((socket) => socket.write(message('', headers)))
    const names = ['retry-after', 'RETRY-AFTER', 'date', 'set-cookie', 'x-empty', 'x-none', 'retry']
    expect(names.map((name) => found.get(name))).toEqual(['1, 2', '1, 2', 'a, b', 'c, d', '', null, null])
  })

  test('has its whole body when it is read late', async () => {
    const long = 'x'.repeat(3_000_000)
    const response = await get((socket) => socket.write(message(long)))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await response.text()).toBe(long)
  })

  test('lists its headers as fetch does', async () => {
    const headers = 'Retry-After: 1\r\nretry-after: 2\r\nX-Empty:\r\nA: b\r\n'
    const response = await get((socket) => socket.write(message('', headers)))
    const expected = await (await globalThis.fetch(own.server.url)).headers
    expect([...response.headers]).toEqual([...expected])
  })

  test.each<[string, string | RegExp, Play]>([
    ['an end', 'ECONNRESET', (socket) => socket.end(message().subarray(0, -5))],
    ['an invalid chunk', /^HPE_/, (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz')],
    ['an invalid coding', 'Z_DATA_ERROR', (socket) => socket.write(message('no gzip', 'content-encoding: gzip\r\n'))],
  ])('has the reason when its body breaks: %s', async (_, code, play) => {
    const response = await get(play)
    const error = await response.text().catch((caught) => caught)
    expect(error).toMatchObject({ name: 'TypeError', message: 'terminated' })
    expect(error.cause.code).toMatch(code)
  })
})
