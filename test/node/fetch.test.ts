import { createClient, type FetchResponse } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { forEachTest } from './own.ts'
import { message, type Play, PRICE, rawServer } from './raw-server.ts'

const own = forEachTest()

const answer: Play = (socket) => socket.write(message())
const ask = (url: string, init: RequestInit = {}) => own.fetch(url, { redirect: 'manual', ...init })

describe('what is sent', () => {
  test('one GET with the headers as they stand, and what Node sends by itself', async () => {
    own.server = await rawServer(answer)
    await ask(`${own.server.url}/v1/x?a=1&b=%20`, {
      method: 'GET',
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

  test.each([
    ['Headers', new Headers({ 'x-own': '1', 'User-Agent': 'mine', 'accept-encoding': 'identity' })],
    [
      'pairs',
      [
        ['x-own', '1'],
        ['USER-AGENT', 'mine'],
        ['Accept-Encoding', 'identity'],
      ] as [string, string][],
    ],
    ['an object', { 'x-own': '1', 'user-agent': 'mine', 'Accept-Encoding': 'identity' }],
  ])('headers given as %s, instead of its own', async (_, headers) => {
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
  ])('the path of …%j is %s, as fetch has it', async (given, path) => {
    own.server = await rawServer(answer)
    // The second time the origin is known.
    for (const again of [1, 2]) {
      await ask(`${own.server.url}${given}`)
      expect(own.server.requests.at(-1)?.split('\r\n')[0], `time ${again}`).toBe(`GET ${path} HTTP/1.1`)
    }
    await globalThis.fetch(`${own.server.url}${given}`)
    expect(own.server.requests.at(-1)?.split('\r\n')[0]).toBe(`GET ${path} HTTP/1.1`)
  })

  test('another host that begins like the one before is another host', async () => {
    own.server = await rawServer(answer)
    await ask(`${own.server.url}/`)
    const { port } = new URL(own.server.url)
    await expect(ask(`http://127.0.0.1:${port}1/`)).rejects.toThrow('fetch failed')
    await ask(`http://localhost:${port}/there`)
    expect(own.server.requests[1]).toContain(`host: localhost:${port}`)
  })
})

describe('what is refused before anything is sent', () => {
  test.each<[string, RequestInit]>([
    ['another method', { method: 'POST' }],
    ['a body', { body: 'x' }],
    ['following redirects', { redirect: 'follow' }],
    ['a header with a line break', { headers: { x: 'a\r\nb: c' } }],
    ['a header name that is none', { headers: { 'a b': 'c' } }],
  ])('%s', async (_, init) => {
    own.server = await rawServer(answer)
    await expect(ask(`${own.server.url}/`, init)).rejects.toBeInstanceOf(TypeError)
    expect(own.server.connections).toBe(0)
  })

  test.each([
    'nowhere',
    '/v1',
    'ftp://127.0.0.1/',
    'http://key@127.0.0.1/',
    'http://me:key@127.0.0.1/',
    'http://a:99999/',
  ])('the URL %s, which is not quoted', async (url) => {
    const error = await ask(url).catch((caught) => caught)
    expect(error).toBeInstanceOf(TypeError)
    expect(`${error.message} ${error.cause.message}`).not.toContain('key')
    expect(error.cause.code).toBe('ERR_INVALID_URL')
  })

  test('anything, once it is closed: a client knows that it cannot have been charged', async () => {
    own.server = await rawServer(answer)
    await own.fetch.close()
    const client = createClient({ baseUrl: own.server.url, fetch: own.fetch, retry: false, budget: { credits: 25 } })
    await expect(client.etn.price()).rejects.toMatchObject({ name: 'ConnectionError', charge: 'none' })
    expect(client.budget.available).toBe(25)
    expect(own.server.connections).toBe(0)
  })
})

describe('what comes back', () => {
  const get = async (play: Play): Promise<FetchResponse> => {
    own.server = await rawServer(play)
    return ask(`${own.server.url}/`)
  }

  test('is there before its body is', async () => {
    const response = await get((socket) => socket.write(message().subarray(0, -5)))
    expect(response.status).toBe(200)
  })

  test('has headers by any spelling, joined where they stand twice', async () => {
    const headers =
      'Retry-After: 1\r\nretry-after: 2\r\nX-Empty:\r\ndate: a\r\ndate: b\r\nset-cookie: c\r\nset-cookie: d\r\n'
    const { headers: found } = await get((socket) => socket.write(message('', headers)))
    const names = ['retry-after', 'RETRY-AFTER', 'date', 'set-cookie', 'x-empty', 'x-none', 'retry']
    expect(names.map((name) => found.get(name))).toEqual(['1, 2', '1, 2', 'a, b', 'c, d', '', null, null])
  })

  test('has its body once', async () => {
    const response = await get(answer)
    expect(await response.text()).toBe(PRICE)
    await expect(response.text()).rejects.toBeInstanceOf(TypeError)
  })

  test('has its body whenever it is asked for, also when it is longer than what is read ahead', async () => {
    const long = 'x'.repeat(3_000_000)
    const response = await get((socket) => socket.write(message(long)))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await response.text()).toBe(long)
  })

  test('waits on the other side while nobody asks for its body', async () => {
    const huge = Buffer.alloc(50_000_000, 'x')
    let left = () => 0
    const response = await get((socket) => {
      left = () => socket.writableLength
      socket.write(message(huge))
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(left()).toBeGreaterThan(1_000_000)
    expect((await response.text()).length).toBe(huge.length)
  })

  test.each<[string, string | RegExp, Play]>([
    ['an end', 'ECONNRESET', (socket) => socket.end(message().subarray(0, -5))],
    [
      'a chunk that is none',
      /^HPE_/,
      (socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz'),
    ],
    [
      'what cannot be decoded',
      'Z_DATA_ERROR',
      (socket) => socket.write(message('no gzip', 'content-encoding: gzip\r\n')),
    ],
  ])('says what broke its body: %s', async (_, code, play) => {
    const response = await get(play)
    const error = await response.text().catch((caught) => caught)
    expect(error).toMatchObject({ name: 'TypeError', message: 'terminated' })
    expect(error.cause.code).toMatch(code)
  })

  test('is a redirect where there is one', async () => {
    const response = await get((socket) => socket.write(message('gone', 'location: /there\r\n', '301 Moved')))
    expect([response.status, response.headers.get('location'), own.server.requests.length]).toEqual([301, '/there', 1])
  })

  test('large and compressed', async () => {
    const { gzipSync } = await import('node:zlib')
    const { randomBytes } = await import('node:crypto')
    const text = randomBytes(200_000).toString('hex')
    const response = await get((socket) => socket.write(message(gzipSync(text), 'content-encoding: gzip\r\n')))
    expect(await response.text()).toBe(text)
  })
})
