import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createClient } from 'etn-market'
import { createPriceFeed, type FeedPrice } from 'etn-market/feed'
import { toNodeHandler } from 'etn-market/proxy'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen, serve } from './listen.ts'
import { openRunningProxy, TOKENS } from './setup.ts'

const PATH = '/api/market/nft/stats'

const openProxy = () => openRunningProxy().proxy

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return socket
}

/** Sends bytes as they are, and reads until the server closes the connection. */
async function send(port: number, raw: string): Promise<string> {
  const socket = open(port)
  socket.setEncoding('latin1')
  let answer = ''
  socket.on('data', (data: string) => {
    answer += data
  })
  socket.write(raw, 'latin1')
  await once(socket, 'close')
  return answer
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
const close = 'Connection: close'
/** A request of the proxy that is well formed. */
const USUAL = `GET ${PATH} HTTP/1.1\r\nHost: dapp.example\r\n${close}\r\n\r\n`

describe('every request is answered with a status, and ends nothing', () => {
  const host = 'Host: dapp.example'
  test.each([
    ['a usual one', USUAL, 200],
    ['TRACE', `TRACE / HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, 405],
    ['TRACE in lower case, which is no method of Node', `trace / HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, 400],
    ['POST with a body', `POST ${PATH} HTTP/1.1\r\n${host}\r\n${close}\r\nContent-Length: 2\r\n\r\n{}`, 405],
    ['PROPFIND', `PROPFIND ${PATH} HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, 405],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, 400],
    ['an absolute target', `GET http://other.example${PATH} HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, 200],
    ['an absolute target that is none', `GET http://[ HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, 400],
    ['a target of another scheme', `GET file:///etc/passwd HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, 400],
    ['two slashes', `GET //evil.example${PATH} HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`, 404],
    ['a host that is a bracket', `GET ${PATH} HTTP/1.1\r\nHost: [\r\n${close}\r\n\r\n`, 400],
    ['a host with a space', `GET ${PATH} HTTP/1.1\r\nHost: a b\r\n${close}\r\n\r\n`, 400],
    ['a host with a port of 99999', `GET ${PATH} HTTP/1.1\r\nHost: x:99999\r\n${close}\r\n\r\n`, 400],
    ['a host with a path', `GET ${PATH} HTTP/1.1\r\nHost: x/y\r\n${close}\r\n\r\n`, 400],
    ['a host with a name and a password', `GET ${PATH} HTTP/1.1\r\nHost: a:b@x\r\n${close}\r\n\r\n`, 400],
    ['an empty host', `GET ${PATH} HTTP/1.1\r\nHost:\r\n${close}\r\n\r\n`, 400],
    ['bytes above ASCII', `GET ${PATH}?x=\xff HTTP/1.1\r\n${host}\r\nCookie: \xff\xfe\r\n${close}\r\n\r\n`, 400],
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['HTTP/1.0 without a host', `GET ${PATH} HTTP/1.0\r\n\r\n`, 200],
    ['an upgrade', `GET ${PATH} HTTP/1.1\r\n${host}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`, 200],
  ])('%s', async (_, raw, status) => {
    const port = await serve(toNodeHandler(openProxy()))
    const answer = await send(port, raw)
    expect(statusOf(answer), answer).toBe(status)
    expect(statusOf(await send(port, USUAL))).toBe(200)
  })

  test('with the usual body', async () => {
    const port = await serve(toNodeHandler(openProxy()))
    const wrong = await send(port, `GET ${PATH} HTTP/1.1\r\nHost: [\r\n${close}\r\n\r\n`)
    expect(wrong).toContain('{"error":{"code":"invalid_request","message":')
    const trace = await send(port, `TRACE / HTTP/1.1\r\nHost: x\r\n${close}\r\n\r\n`)
    expect(trace).toContain('{"error":{"code":"method_not_allowed","message":')
    expect(trace.toLowerCase()).toContain('allow: get, head, options')
  })

  test('also where a proxy of somebody else fails', async () => {
    const failing = Object.assign(() => Promise.reject(new Error('broken')), openProxy())
    const port = await serve(toNodeHandler(failing))
    expect(await send(port, USUAL)).toBe('')
  })
})

test('the path before the one at which Express mounts a handler counts', async () => {
  const handler = toNodeHandler(openProxy())
  const port = await serve((request, response) => {
    const mounted = Object.assign(request, { originalUrl: request.url, url: request.url?.slice('/api/market'.length) })
    handler(mounted, response)
  })
  expect(statusOf(await send(port, USUAL))).toBe(200)
})

test('each cookie has a line of its own', async () => {
  const proxy = openProxy()
  const withCookies = Object.assign(async (request: Request) => {
    const { status, body, headers } = await proxy(request)
    const response = new Response(body, { status, headers })
    for (const cookie of ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
      response.headers.append('set-cookie', cookie)
    return response
  }, proxy)
  const answer = await send(await serve(toNodeHandler(withCookies)), USUAL)
  expect(answer.match(/^set-cookie: .*$/gim)).toEqual([
    'set-cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
    'set-cookie: b=2',
  ])
})

const STREAM = `GET /api/market/stream?addresses=${TOKENS[0]} HTTP`

test('a stream arrives event by event, to a client of HTTP/1.0 too, and ends when the visitor leaves', async () => {
  const { proxy } = openRunningProxy({ stream: { addresses: 'any' } })
  const port = await serve(toNodeHandler(proxy))
  for (const version of ['1.0', '1.1']) {
    const socket = open(port)
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    socket.write(`${STREAM}/${version}\r\nHost: dapp.example\r\n\r\n`)
    await expect.poll(() => text, { interval: 5 }).toContain('event: price')
    expect(proxy.status().streams).toBe(1)
    socket.destroy()
    await expect.poll(() => proxy.status().streams, { interval: 5 }).toBe(0)
  }
})

/** Serves a proxy whose answer is a body of the test. */
const serveBody = (source: UnderlyingDefaultSource<Uint8Array>) =>
  serve(toNodeHandler(Object.assign(async () => new Response(new ReadableStream(source)), openProxy())))

test('a slow reader is written to as fast as it reads', async () => {
  const chunk = new Uint8Array(100_000)
  const CHUNKS = 300
  let pulled = 0
  const port = await serveBody({
    pull(controller) {
      pulled++
      if (pulled > CHUNKS) controller.close()
      else controller.enqueue(chunk)
    },
  })
  const socket = open(port)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  socket.pause()
  let before = -1
  await expect
    .poll(
      () => {
        const isSteady = pulled === before && pulled > 0
        before = pulled
        return isSteady
      },
      { interval: 50 },
    )
    .toBe(true)
  // What the two ends of a connection hold.
  expect(pulled).toBeLessThan(CHUNKS / 2)
  let read = 0
  socket.on('data', (data) => {
    read += data.length
  })
  socket.resume()
  await once(socket, 'close')
  expect(read).toBeGreaterThanOrEqual(CHUNKS * chunk.length)
})

test('a body is cancelled when the visitor leaves in the middle of it', async () => {
  let isCancelled = false
  const port = await serveBody({
    start: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel() {
      isCancelled = true
    },
  })
  const socket = open(port)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'data')
  socket.destroy()
  await expect.poll(() => isCancelled, { interval: 5 }).toBe(true)
})

/** A page that watches some tokens until it has the price of each. */
async function visit(baseUrl: string, count: number) {
  const client = createClient({ baseUrl })
  const feed = createPriceFeed(client, { stream: true })
  const prices: FeedPrice[] = []
  feed.watch(TOKENS.slice(0, count), { everyMs: 60_000, onPrice: (price) => void prices.push(price) })
  await expect.poll(() => prices, { interval: 5 }).toHaveLength(count)
  return { client, feed, leave: () => Promise.all([feed.close(), client.close()]) }
}

test('over connections, pages buy and stream, and a page that goes leaves nothing behind', async () => {
  const { fake, feed, proxy } = openRunningProxy()
  const baseUrl = `${await listen(proxy)}/api/market`
  const one = await visit(baseUrl, 3)
  const other = await visit(baseUrl, 3)
  expect([one.client.credits.charged, other.client.credits.charged]).toEqual([0, 0])
  fake.expectCredits({ 'token.list': 600, 'prices.batch': 130 })
  const bought = await one.client.prices.batch({ addresses: TOKENS.slice(0, 5) }).withMeta()
  expect(bought.meta.credits.charged).toBe(150)
  expect(feed.status().watches).toBe(1)
  await Promise.all([one.leave(), other.leave()])
  await expect.poll(() => feed.status().watches, { interval: 5 }).toBe(0)
})

test('behind msw, a page needs no server', async () => {
  const { proxy, fake } = openRunningProxy()
  const server = setupServer(http.all('https://dapp.example/api/market/*', ({ request }) => proxy(request)))
  server.listen({ onUnhandledRequest: () => HttpResponse.error() })
  onTestFinished(() => server.close())
  const { client, leave } = await visit('https://dapp.example/api/market', 3)
  await client.prices.batch({ addresses: TOKENS.slice(0, 2) })
  expect(client.credits.charged).toBe(120)
  fake.expectCredits(600 + 250)
  await leave()
})
