import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { createClient } from 'etn-market'
import { createNodeFetch, type NodeFetch } from 'etn-market/node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { outcomeOf } from './outcome.ts'
import { message } from './raw-server.ts'
import { cert, key } from './self-signed.ts'

let fetch: NodeFetch
const servers = new Set<Server>()
const sockets = new Set<Socket>()
beforeEach(() => {
  fetch = createNodeFetch()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  await fetch.close()
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
  sockets.clear()
  servers.clear()
})

async function listen(server: Server): Promise<number> {
  servers.add(server)
  server.on('connection', (socket: Socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

const requests: string[] = []
const secure = (options: object = {}) =>
  listen(
    createTls({ cert, key, ...options }, (socket) => {
      socket.on('error', () => {})
      socket.on('data', (head) => {
        requests.push(head.toString())
        socket.write(message())
      })
    }).on('tlsClientError', () => {}),
  )
const plain = (play: (socket: Socket) => void) =>
  listen(
    createServer((socket) => {
      socket.on('error', () => {})
      play(socket)
    }),
  )

/** A port on which nobody listens any more. */
async function nobody(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('a connection that does not come about cannot have been charged, with Node as with us', () => {
  test.each<[string, () => Promise<string>, string | RegExp]>([
    ['nobody listens', async () => `http://127.0.0.1:${await nobody()}`, 'ECONNREFUSED'],
    ['nobody listens, on any address of a name', async () => `http://localhost:${await nobody()}`, 'ECONNREFUSED'],
    ['no such name', async () => 'http://nowhere.invalid', /^(ENOTFOUND|EAI_AGAIN)$/],
    [
      'a certificate that nobody vouches for',
      async () => `https://127.0.0.1:${await secure()}`,
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ],
    [
      'no TLS',
      async () =>
        `https://127.0.0.1:${await plain((socket) => socket.on('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')))}`,
      /^ERR_SSL_/,
    ],
    [
      'only TLS that is too old',
      async () =>
        `https://127.0.0.1:${await secure({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' })}`,
      /^ERR_SSL_/,
    ],
  ])('%s', async (_, makeUrl, code) => {
    const url = await makeUrl()
    const error = await fetch(`${url}/`, { redirect: 'manual' }).catch((caught) => caught)
    expect(error.cause.code).toMatch(code)
    const [expected, outcome] = [await outcomeOf(globalThis.fetch, url), await outcomeOf(fetch, url)]
    expect(outcome.end).toBe('ConnectionError connection_failed none')
    expect(outcome.budget).toMatchObject({ spent: 0, uncertain: 0 })
    expect(outcome).toEqual(expected)
  })
})

test('a handshake that is broken off ends as with Node', async () => {
  const url = `https://127.0.0.1:${await plain((socket) => socket.on('data', () => socket.resetAndDestroy()))}`
  expect(await outcomeOf(fetch, url)).toEqual(await outcomeOf(globalThis.fetch, url))
})

test('a handshake that comes to nothing is given up after 10 seconds, and was not charged', async () => {
  const port = await plain((socket) => socket.resume())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const client = createClient({ baseUrl: `https://127.0.0.1:${port}`, apiKey: 'esk_test_x', fetch, retry: false })
  const error = client.etn.price().catch((caught) => caught)
  await expect.poll(() => sockets.size).toBe(1)
  await vi.advanceTimersByTimeAsync(9_000)
  expect([...sockets].some(({ destroyed }) => destroyed)).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)
  vi.useRealTimers()
  expect(await error).toMatchObject({ code: 'connection_failed', charge: 'none' })
})

test('a handshake that is aborted leaves nothing behind once the fetch is closed', async () => {
  const port = await plain((socket) => socket.resume())
  const caller = new AbortController()
  const response = fetch(`https://127.0.0.1:${port}/`, { redirect: 'manual', signal: caller.signal })
  await expect.poll(() => sockets.size).toBe(1)
  caller.abort('enough')
  await expect(response).rejects.toBe('enough')
  const closing = Date.now()
  await fetch.close()
  expect(Date.now() - closing).toBeLessThan(1_000)
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true)
})

test('over TLS brotli is asked for too, and connections are kept', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const port = await secure()
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  for (const host of ['127.0.0.1', '127.0.0.1', 'localhost', 'localhost']) {
    const response = await fetch(`https://${host}:${port}/`, { redirect: 'manual' })
    expect(JSON.parse(await response.text())).toHaveProperty('data')
  }
  warned.mockRestore()
  expect(requests.at(-1)).toContain('accept-encoding: br, gzip, deflate')
  expect(sockets.size).toBe(2)
})
