import { createClient } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { describe, expect, test } from 'vitest'
import { idleTimeoutMs } from '../../src/node/agent-pool.ts'
import { fetchThrough } from '../support/fetch-through.ts'
import { forEachTest } from './own.ts'
import { COST, message, type Play, PRICE, pause, rawServer } from './raw-server.ts'
import { runBundled } from './run-bundled.ts'

const own = forEachTest()

const ask = (path = '/') => own.fetch(own.server.url + path)
const read = async (path?: string) => (await ask(path)).text()
const answer = (headers = '') => message(PRICE, headers)

describe('a connection', () => {
  test('is reused, and as many are opened as requests are in flight', async () => {
    own.server = await rawServer((socket) => socket.write(answer()))
    for (let call = 0; call < 5; call++) await read()
    expect(own.server.connections).toBe(1)
    await Promise.all(Array.from({ length: 20 }, () => read()))
    expect(own.server.connections).toBe(20)
    await Promise.all(Array.from({ length: 20 }, () => read()))
    expect(own.server.connections).toBe(20)
  })

  test.each(['connection: close\r\n', 'keep-alive: timeout=2\r\n', 'keep-alive: timeout=0\r\n'])(
    'is not reused when the server is about to close it: %j',
    async (headers) => {
      own.server = await rawServer((socket) => socket.write(answer(headers)))
      await read()
      await read()
      expect(own.server.connections).toBe(2)
      await expect.poll(() => own.server.open).toBe(0)
    },
  )

  test('is not reused after the server has closed it', async () => {
    own.server = await rawServer((socket) => socket.end(answer()))
    for (let call = 0; call < 3; call++) {
      expect(await read()).toBe(PRICE)
      await expect.poll(() => own.server.open).toBe(0)
    }
    expect(own.server.requests).toHaveLength(3)
  })

  test('is not reused when it receives bytes that were not requested', async () => {
    own.server = await rawServer((socket, number) => {
      socket.write(message(`${number}`))
      setTimeout(() => socket.write(message('stray')), 10)
    })
    expect(await read()).toBe('1')
    await expect.poll(() => own.server.open).toBe(0)
    expect(await read()).toBe('2')
  })

  test.each([
    ['0', 1_000],
    ['max=5, timeout=10', 1_000],
    ['timeout=3', 1_000],
    ['timeout=2', 0],
    ['timeout=x', 1_000],
    [null, 1_000],
  ] as const)('may be idle after Keep-Alive: %s for %i ms', (header, ms) => {
    expect(idleTimeoutMs(header)).toBe(ms)
  })
})

/** A connection of its own, so that tests that wait for seconds wait side by side. */
async function connectTo(onTestFinished: (close: () => Promise<void>) => void, play: Play) {
  const server = await rawServer(play)
  const transport = createNodeTransport()
  const fetch = fetchThrough(transport)
  onTestFinished(async () => {
    await transport.close()
    server.close()
  })
  return { server, read: async () => (await fetch(server.url)).text() }
}

describe.concurrent('an idle connection', () => {
  test.for(['', 'keep-alive: timeout=60\r\n'])(
    'is closed after a second, with %j',
    async (header, { expect, onTestFinished }) => {
      const { server, read } = await connectTo(onTestFinished, (socket) => socket.write(answer(header)))
      await read()
      await pause(700)
      expect(server.open).toBe(1)
      await expect.poll(() => server.open).toBe(0)
      expect(await read()).toBe(PRICE)
    },
  )

  test('is none while a slow response arrives', async ({ expect, onTestFinished }) => {
    const { server, read } = await connectTo(onTestFinished, async (socket, number) => {
      await pause(number === 1 ? 0 : 1_300)
      socket.write(answer('keep-alive: timeout=3\r\n'))
    })
    await read()
    expect(await read()).toBe(PRICE)
    expect(server.connections).toBe(1)
  })
})

describe('a request whose kept-alive connection breaks is not sent again, as with fetch', () => {
  const plays: Record<string, Play> = {
    'by a reset': (socket, number) => (number === 2 ? socket.resetAndDestroy() : socket.write(answer())),
    'by an end': (socket, number) => (number === 2 ? socket.end() : socket.write(answer())),
  }
  test.each(Object.entries(plays))('%s', async (_, play) => {
    own.server = await rawServer(play)
    const theirs = await rawServer(play)
    const there = async () => (await globalThis.fetch(theirs.url)).text()
    for (const [call, { requests }] of [[read, own.server] as const, [there, theirs] as const]) {
      expect(await call()).toBe(PRICE)
      const error = await call().catch((caught) => caught)
      expect([error.message, typeof error.cause.code]).toEqual(['fetch failed', 'string'])
      await pause(30)
      expect(requests).toHaveLength(2)
      expect(await call()).toBe(PRICE)
    }
    theirs.close()
  })
})

test('after a kept connection broke, the next attempt gets a new one: dead connections use up no retries', async () => {
  own.server = await rawServer((socket, number) => {
    // Those of the first five requests are kept, and break when they are used again.
    if (kept.has(socket)) return void socket.resetAndDestroy()
    if (number <= 5) kept.add(socket)
    socket.write(message(PRICE, `${COST}keep-alive: timeout=60\r\n`))
  })
  const kept = new Set<unknown>()
  const client = createClient({ transport: own.transport, baseUrl: own.server.url, apiKey: 'esk_test_x' })
  await Promise.all(
    [1, 2, 3, 4, 5].map((limit) => client.request('/pools/52014', { query: { limit }, maxCredits: 50 })),
  )
  expect(own.server.connections).toBe(5)
  const { meta } = await client.request('/pools/52014', { query: { limit: 6 }, maxCredits: 50 }).withMeta()
  expect(meta).toMatchObject({ attempts: 2, credits: { charged: 50 } })
  // What was sent on the connection that broke may have been charged.
  expect(client.budget).toMatchObject({ spent: 300, uncertain: 50 })
  expect([own.server.requests.length, own.server.connections]).toEqual([7, 6])
  await expect.poll(() => own.server.open).toBe(1)
  await client.close()
})

describe('close', () => {
  test('ends idle connections and those in use, and resolves when they are closed', async () => {
    own.server = await rawServer((socket, number) => number === 1 && socket.write(answer()))
    await read()
    const waiting = ask().catch((error) => error)
    await expect.poll(() => own.server.requests.length).toBe(2)
    await own.transport.close()
    expect((await waiting).cause.code).toBe('ECONNRESET')
    await expect.poll(() => own.server.open).toBe(0)
    await expect(ask()).rejects.toMatchObject({ cause: { code: 'ERR_NO_FETCH' } })
    await own.transport.close()
  })

  test('runs at the end of `await using`', async () => {
    own.server = await rawServer((socket) => socket.write(answer()))
    {
      await using transport = createNodeTransport()
      await (await fetchThrough(transport)(own.server.url)).text()
      expect(own.server.open).toBe(1)
    }
    await expect.poll(() => own.server.open).toBe(0)
  })
})

describe('a process of its own', () => {
  const SCRIPT = `
    import { createNodeTransport } from './src/node/index.ts'
    const loaded = () => process.moduleLoadList.filter((name) => /NativeModule (https|http|tls|zlib|internal.deps.undici.undici)$/.test(name)).map((name) => name.slice(13))
    const transport = createNodeTransport()
    const before = loaded()
    const { signal } = new AbortController()
    const attempt = { url: process.argv.at(-1), headers: {}, signal, beforeSend() {}, onHeaders() {} }
    const { text } = (await transport.send(attempt)).response
    process.on('exit', () => console.log(JSON.stringify({ before, after: loaded(), text })))`

  test('ends by itself while a connection is idle, and loads no more than it needs', async () => {
    // Idle for ten minutes, if it had to wait for that.
    own.server = await rawServer((socket) => socket.write(answer('keep-alive: timeout=601\r\n')))
    const stdout = await runBundled(SCRIPT, [own.server.url])
    expect(JSON.parse(stdout)).toEqual({ before: [], after: ['http'], text: PRICE })
  })
})
