import { createServer, Agent as HttpAgent, type Server } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { ConnectionError, createClient } from 'etn-market'
import { createNodeTransport, type NodeTransportOptions } from 'etn-market/node'
import { ProxyAgent } from 'proxy-agent'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fetchThrough } from '../support/fetch-through.ts'
import { forEachTest } from './own.ts'
import { message, PRICE, rawServer } from './raw-server.ts'
import { cert, key } from './self-signed.ts'

const own = forEachTest()
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const clean of cleanups.splice(0)) await clean()
})

function open(options: NodeTransportOptions) {
  const transport = createNodeTransport(options)
  cleanups.push(() => transport.close())
  return { transport, fetch: fetchThrough(transport) }
}

function agent<T extends { destroy(): void }>(made: T): T {
  cleanups.push(() => made.destroy())
  return made
}

/** A proxy for both protocols, which notes what it is asked for. `refusal`: the status with which it refuses a tunnel. */
async function startProxy(refusal?: number) {
  const asked: string[] = []
  const server: Server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { method, headers } = request
    const answer = await globalThis.fetch(request.url ?? '', {
      method: method ?? 'GET',
      headers: { authorization: headers.authorization ?? '' },
    })
    response.writeHead(answer.status, { 'x-credits-cost': '50' }).end(await answer.text())
  })
  server.on('connect', (request, socket) => {
    socket.on('error', () => {})
    asked.push(`CONNECT ${request.url}`)
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 5\r\n\r\nno go`)
    const [host, port] = (request.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close().closeAllConnections())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function startTls() {
  const server = createTls({ cert, key }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', () => socket.write(message()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => server.close())
  return (server.address() as AddressInfo).port
}

describe('an agent of the user', () => {
  test('sends the requests, and decides on its connections', async () => {
    const mine = agent(new HttpAgent({ keepAlive: true, maxSockets: 1 }))
    const create = vi.spyOn(mine as unknown as { createConnection(): unknown }, 'createConnection')
    own.server = await rawServer((socket) => socket.write(message()))
    const { fetch } = open({ agent: mine })
    const responses = await Promise.all([1, 2, 3].map(() => fetch(own.server.url)))
    expect(await Promise.all(responses.map((response) => response.text()))).toEqual([PRICE, PRICE, PRICE])
    expect([own.server.connections, create.mock.calls.length]).toEqual([1, 1])
  })

  test('is not destroyed by close, which ends the requests in flight', async () => {
    const mine = agent(new HttpAgent({ keepAlive: true }))
    own.server = await rawServer((socket, number) => number !== 2 && socket.write(message()))
    const destroy = vi.spyOn(mine, 'destroy')
    const first = open({ agent: mine })
    await (await first.fetch(own.server.url)).text()
    const waiting = first.fetch(own.server.url).catch((error) => error)
    await expect.poll(() => own.server.requests.length).toBe(2)
    await first.transport.close()
    expect((await waiting).cause.code).toBe('ECONNRESET')
    await expect(first.fetch(own.server.url)).rejects.toMatchObject({ cause: { code: 'ERR_NO_FETCH' } })
    expect(destroy).not.toHaveBeenCalled()
    const second = open({ agent: mine })
    expect(await (await second.fetch(own.server.url)).text()).toBe(PRICE)
    expect(await (await second.fetch(own.server.url)).text()).toBe(PRICE)
    expect(own.server.connections).toBe(2)
  })

  test('for one protocol leaves the other one to an agent of the transport', async () => {
    const port = await startTls()
    own.server = await rawServer((socket) => socket.write(message()))
    const https = agent(new HttpsAgent({ ca: cert }))
    const { fetch } = open({ agent: { https } })
    expect(await (await fetch(`https://127.0.0.1:${port}/`)).text()).toBe(PRICE)
    expect(await (await fetch(own.server.url)).text()).toBe(PRICE)
    const trusting = open({ agent: { http: agent(new HttpAgent()) } })
    const error = await trusting.fetch(`https://127.0.0.1:${port}/`).catch((caught) => caught)
    expect(error.cause.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  })

  test('for the wrong protocol: the request was never sent', async () => {
    const { transport } = open({ agent: agent(new HttpsAgent()) })
    own.server = await rawServer((socket) => socket.write(message()))
    const client = createClient({ transport, baseUrl: own.server.url, apiKey: 'esk_test_x', retry: false })
    await expect(client.etn.price()).rejects.toMatchObject({ code: 'connection_failed', charge: 'none' })
    expect(own.server.connections).toBe(0)
  })

  test.each([
    ['null', null],
    ['a text', 'http'],
    ['a number', 5],
    ['{ http: {} }', { http: {} }],
  ])('that is none is rejected: %s', (_, value) => {
    expect(() => createNodeTransport({ agent: value as unknown as HttpAgent })).toThrow(TypeError)
  })
})

describe('the agent of proxy-agent', () => {
  test('honours HTTP_PROXY and NO_PROXY, and the key goes to the service', async () => {
    own.server = await rawServer((socket) => socket.end(message()))
    const proxy = await startProxy()
    vi.stubEnv('HTTP_PROXY', proxy.url)
    const { transport } = open({ agent: agent(new ProxyAgent()) })
    const client = createClient({ transport, baseUrl: `${own.server.url}/v1`, apiKey: 'esk_test_x' })
    await client.token.price({ address: '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1' })
    expect(proxy.asked).toEqual([`GET ${own.server.url}/v1/prices/52014/0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1`])
    expect(own.server.requests[0]).toContain('authorization: Bearer esk_test_x')
    vi.stubEnv('NO_PROXY', '127.0.0.1')
    await client.token.price({ address: '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1' })
    expect([proxy.asked.length, own.server.requests.length]).toEqual([1, 2])
  })

  test('honours HTTPS_PROXY by a tunnel', async () => {
    const port = await startTls()
    const proxy = await startProxy()
    vi.stubEnv('HTTPS_PROXY', proxy.url)
    const { fetch } = open({ agent: agent(new ProxyAgent({ ca: cert } as object)) })
    expect(await (await fetch(`https://127.0.0.1:${port}/`)).text()).toBe(PRICE)
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${port}`])
  })

  test.each([
    [407, 1],
    [403, 1],
    [429, 3],
    [503, 3],
  ])(
    'whose proxy refuses the tunnel with %i: it is no answer of the service, and nothing was sent',
    async (status, attempts) => {
      const port = await startTls()
      const proxy = await startProxy(status)
      vi.stubEnv('HTTPS_PROXY', proxy.url)
      const { transport } = open({ agent: agent(new ProxyAgent({ ca: cert } as object)) })
      const events: string[] = []
      const client = createClient({
        transport,
        baseUrl: `https://127.0.0.1:${port}/v1`,
        apiKey: 'esk_test_x',
        budget: { credits: 1_000 },
        onEvent: ({ type }) => void events.push(type),
      })
      const error = await client.etn.price().catch((caught) => caught)
      expect(error).toBeInstanceOf(ConnectionError)
      const fields = { code: 'proxy_refused', status, attempts, charge: 'none', credits: 0, retryable: attempts > 1 }
      expect(error).toMatchObject(fields)
      expect(error.message).toContain(`The proxy answered ${status}`)
      expect(client.budget).toMatchObject({ available: 1_000, reserved: 0, uncertain: 0 })
      expect(proxy.asked).toEqual(Array.from({ length: attempts }, () => `CONNECT 127.0.0.1:${port}`))
      expect(events).not.toContain('cooldown.started')
    },
  )

  test('that cannot reach its proxy: the request was never sent', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
    const { transport } = open({ agent: agent(new ProxyAgent()) })
    const client = createClient({ transport, baseUrl: 'http://market.test/v1', apiKey: 'esk_test_x', retry: false })
    await expect(client.etn.price()).rejects.toMatchObject({ code: 'connection_failed', charge: 'none' })
  })
})
