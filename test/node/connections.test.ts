import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { createNodeFetch } from 'etn-market/node'
import { describe, expect, test } from 'vitest'
import { idleMs } from '../../src/node/agents.ts'
import { forEachTest } from './own.ts'
import { message, type Play, PRICE, pause, rawServer } from './raw-server.ts'

const own = forEachTest()

const ask = (path = '/') => own.fetch(own.server.url + path, { redirect: 'manual' })
const read = async (path?: string) => (await ask(path)).text()
const answer = (headers = '') => message(PRICE, headers)

describe('a connection', () => {
  test('is used again, and as many are opened as there are requests at once', async () => {
    own.server = await rawServer((socket) => socket.write(answer()))
    for (let call = 0; call < 5; call++) await read()
    expect(own.server.connections).toBe(1)
    await Promise.all(Array.from({ length: 20 }, () => read()))
    expect(own.server.connections).toBe(20)
    await Promise.all(Array.from({ length: 20 }, () => read()))
    expect(own.server.connections).toBe(20)
  })

  test.each(['connection: close\r\n', 'keep-alive: timeout=2\r\n', 'keep-alive: timeout=0\r\n'])(
    'that the server is about to close is not used again: %j',
    async (headers) => {
      own.server = await rawServer((socket) => socket.write(answer(headers)))
      await read()
      await read()
      expect(own.server.connections).toBe(2)
      await expect.poll(() => own.server.open).toBe(0)
    },
  )

  test('that lies idle is given up before the server does so', async () => {
    own.server = await rawServer((socket) => socket.write(answer('keep-alive: timeout=3, max=100\r\n')))
    await read()
    await pause(700)
    expect(own.server.open).toBe(1)
    await expect.poll(() => own.server.open, { timeout: 2_000 }).toBe(0)
    expect(await read()).toBe(PRICE)
  })

  test('of a server that says nothing of it lies idle for 4 seconds, as with Node', async () => {
    own.server = await rawServer((socket) => socket.write(answer()))
    const theirs = await rawServer((socket) => socket.write(answer()))
    await read()
    await (await globalThis.fetch(theirs.url)).text()
    await pause(3_300)
    expect([own.server.open, theirs.open]).toEqual([1, 1])
    await expect.poll(() => [own.server.open, theirs.open], { timeout: 3_000 }).toEqual([0, 0])
    theirs.close()
  })

  test('that a slow answer comes by is not idle', async () => {
    own.server = await rawServer(async (socket, number) => {
      await pause(number === 1 ? 0 : 1_300)
      socket.write(answer('keep-alive: timeout=3\r\n'))
    })
    await read()
    expect(await read()).toBe(PRICE)
    expect(own.server.connections).toBe(1)
  })

  test('that the server has closed is not used again', async () => {
    own.server = await rawServer((socket) => socket.end(answer()))
    for (let call = 0; call < 3; call++) {
      expect(await read()).toBe(PRICE)
      await pause(20)
    }
    expect(own.server.requests).toHaveLength(3)
  })

  test('over which more comes than was asked for brings nobody a wrong answer', async () => {
    own.server = await rawServer((socket, number) => {
      socket.write(message(`${number}`))
      setTimeout(() => socket.write(message('stray')), 10)
    })
    expect(await read()).toBe('1')
    await pause(40)
    expect(await read()).toBe('2')
  })

  test.each([
    ['0', 4_000],
    ['timeout=5', 3_000],
    ['max=5, timeout=10', 8_000],
    ['timeout=1', 0],
    ['timeout=99999999', 600_000],
    ['timeout=x', 4_000],
    [null, 4_000],
  ] as const)('after Keep-Alive: %s may lie idle for %i ms', (header, ms) => {
    expect(idleMs(header)).toBe(ms)
  })
})

describe('a request whose kept-alive connection breaks is not sent again, neither by Node nor by us', () => {
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

describe('close', () => {
  test('ends what is idle and what is in use, and resolves when it is gone', async () => {
    own.server = await rawServer((socket, number) => number === 1 && socket.write(answer()))
    await read()
    const waiting = ask().catch((error) => error)
    await expect.poll(() => own.server.requests.length).toBe(2)
    await own.fetch.close()
    expect((await waiting).cause.code).toBe('ECONNRESET')
    await expect.poll(() => own.server.open).toBe(0)
    await expect(ask()).rejects.toMatchObject({ cause: { code: 'ERR_NO_FETCH' } })
    await own.fetch.close()
  })

  test('happens by itself at the end of `await using`', async () => {
    own.server = await rawServer((socket) => socket.write(answer()))
    {
      await using mine = createNodeFetch()
      await (await mine(own.server.url, { redirect: 'manual' })).text()
      expect(own.server.open).toBe(1)
    }
    await expect.poll(() => own.server.open).toBe(0)
  })
})

describe('a process of its own', () => {
  const [file] = buildSync({
    stdin: {
      contents: `
        import { createNodeFetch } from './src/node/index.ts'
        const loaded = () => process.moduleLoadList.filter((name) => /NativeModule (https|http|tls|zlib|internal.deps.undici.undici)$/.test(name)).map((name) => name.slice(13))
        const fetch = createNodeFetch()
        const before = loaded()
        const response = await fetch(process.argv[1], { redirect: 'manual' })
        const text = await response.text()
        process.on('exit', () => console.log(JSON.stringify({ before, after: loaded(), text })))`,
      resolveDir: new URL('../../', import.meta.url).pathname,
    },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  }).outputFiles

  test('ends by itself while a connection lies idle, and has loaded no more than it needs', async () => {
    own.server = await rawServer((socket) => socket.write(answer()))
    const started = Date.now()
    const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', file?.text ?? '', own.server.url])
    const { stdout } = await child
    expect(JSON.parse(stdout)).toEqual({ before: [], after: ['http'], text: PRICE })
    expect(Date.now() - started).toBeLessThan(3_000)
  })
})
