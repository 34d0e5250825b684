import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { createClient } from 'etn-market'
import { createNodeTransport, type NodeTransport } from 'etn-market/node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { fetchThrough } from '../support/fetch-through.ts'
import { within } from '../support/wait.ts'
import { outcomeOf } from './outcome.ts'
import { message } from './raw-server.ts'
import { cert, key } from './self-signed.ts'

let transport: NodeTransport
const servers = new Set<Server>()
const sockets = new Set<Socket>()
beforeEach(() => {
  transport = createNodeTransport()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  await transport.close()
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

/** A port on which no server listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('a connection that fails is not charged, as with fetch', () => {
  test.each<[string, () => Promise<string>, string | RegExp]>([
    ['no server listens', async () => `http://127.0.0.1:${await closedPort()}`, 'ECONNREFUSED'],
    [
      'no server listens on any address of a name',
      async () => `http://localhost:${await closedPort()}`,
      'ECONNREFUSED',
    ],
    ['no such name', async () => 'http://nowhere.invalid', /^(ENOTFOUND|EAI_AGAIN)$/],
    ['a self-signed certificate', async () => `https://127.0.0.1:${await secure()}`, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
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
    const error = await fetchThrough(transport)(`${url}/`).catch((caught) => caught)
    expect(error.cause.code).toMatch(code)
    const [expected, outcome] = [await outcomeOf(url), await outcomeOf(url, { transport })]
    expect(outcome.end).toBe('ConnectionError connection_failed none')
    expect(outcome.budget).toMatchObject({ spent: 0, uncertain: 0 })
    expect(outcome).toEqual(expected)
  })
})

test('a handshake that is cut off has sent nothing, which fetch cannot tell', async () => {
  const url = `https://127.0.0.1:${await plain((socket) => socket.on('data', () => socket.resetAndDestroy()))}`
  expect(await outcomeOf(url, { transport })).toMatchObject({ end: 'ConnectionError connection_failed none' })
  expect(await outcomeOf(url)).toMatchObject({ end: 'ConnectionError connection_lost unknown' })
})

test('a handshake that hangs ends after 10 seconds, and is not charged', async () => {
  const port = await plain((socket) => socket.resume())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const client = createClient({ baseUrl: `https://127.0.0.1:${port}`, apiKey: 'esk_test_x', transport, retry: false })
  const error = client.etn.price().catch((caught) => caught)
  await expect.poll(() => sockets.size).toBe(1)
  await vi.advanceTimersByTimeAsync(9_000)
  expect([...sockets].some(({ destroyed }) => destroyed)).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)
  vi.useRealTimers()
  expect(await error).toMatchObject({ code: 'connection_failed', charge: 'none' })
})

test('an attempt that ends before its handshake is complete has sent nothing', async () => {
  const port = await plain((socket) => socket.resume())
  const clock = createVirtualClock()
  const options = {
    apiKey: 'esk_test_x',
    transport,
    clock,
    timeoutMs: 60,
    retry: false,
    budget: { credits: 1_000 },
  } as const
  const client = createClient({ ...options, baseUrl: `https://127.0.0.1:${port}` })
  const error = client.etn.price().catch((caught) => caught)
  await expect.poll(() => sockets.size).toBe(1)
  await clock.advance(60)
  expect(await error).toMatchObject({ code: 'attempt_timeout', charge: 'none' })
  expect(client.budget).toMatchObject({ uncertain: 0, reserved: 0 })
})

test('a handshake that is aborted leaves no connection once the transport is closed', async () => {
  const port = await plain((socket) => socket.resume())
  const caller = new AbortController()
  const response = fetchThrough(transport)(`https://127.0.0.1:${port}/`, { signal: caller.signal })
  await expect.poll(() => sockets.size).toBe(1)
  caller.abort('enough')
  await expect(response).rejects.toBe('enough')
  // A handshake may take 10 s.
  await within('the end of the transport', transport.close(), { limitMs: 5_000 })
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true)
})

test('accepts brotli over TLS, and keeps connections', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const port = await secure()
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  for (const host of ['127.0.0.1', '127.0.0.1', 'localhost', 'localhost']) {
    const response = await fetchThrough(transport)(`https://${host}:${port}/`)
    expect(JSON.parse(await response.text())).toHaveProperty('data')
  }
  warned.mockRestore()
  expect(requests.at(-1)).toContain('accept-encoding: br, gzip, deflate')
  expect(sockets.size).toBe(2)
})
