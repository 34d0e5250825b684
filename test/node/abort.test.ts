import { createClient, type HttpAttempt } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { forEachTest } from './own.ts'
import { COST, message, type Play, pause, rawServer } from './raw-server.ts'

const own = forEachTest()

const REASONS: [string, unknown][] = [
  ['an Error', new Error('mine')],
  ['a text', 'enough'],
  ['null', null],
  ['nothing', undefined],
]
const ask = (signal: AbortSignal, path = '/') => own.fetch(own.server.url + path, { signal })

/** What a promise rejects with, if it does so before the next turn of the event loop. */
async function atOnce(promise: Promise<unknown>): Promise<unknown> {
  const late = new Promise((resolve) => setImmediate(() => resolve('late')))
  return Promise.race([
    promise.then(
      () => 'no rejection',
      (reason) => ({ reason }),
    ),
    late,
  ])
}

describe.each(REASONS)('aborted with %s: rejects with this reason at once', (_, given) => {
  const reasonOf = ({ signal }: AbortController) => signal.reason

  test('before', async () => {
    own.server = await rawServer(() => {})
    const caller = new AbortController()
    caller.abort(given)
    expect(await atOnce(ask(caller.signal))).toEqual({ reason: reasonOf(caller) })
    expect(own.server.connections).toBe(0)
  })

  test('in the same tick: nothing arrives', async () => {
    own.server = await rawServer(() => {})
    const caller = new AbortController()
    const response = ask(caller.signal)
    caller.abort(given)
    expect(await atOnce(response)).toEqual({ reason: reasonOf(caller) })
    await pause(50)
    expect(own.server.requests).toHaveLength(0)
  })

  test.each<[string, Play]>([
    ['before the headers', () => {}],
    ['among the headers', (socket) => socket.write(`HTTP/1.1 200 OK\r\n${COST}`)],
  ])('%s', async (_, play) => {
    own.server = await rawServer(play)
    const caller = new AbortController()
    const response = ask(caller.signal)
    await expect.poll(() => own.server.requests.length).toBe(1)
    caller.abort(given)
    expect(await atOnce(response)).toEqual({ reason: reasonOf(caller) })
    await expect.poll(() => own.server.open).toBe(0)
  })

  test.each([true, false])('in the body, which is read before: %s', async (before) => {
    own.server = await rawServer((socket) => socket.write(message().subarray(0, -5)))
    const caller = new AbortController()
    const response = await ask(caller.signal)
    const early = before ? response.text() : undefined
    caller.abort(given)
    expect(await atOnce(early ?? response.text())).toEqual({ reason: reasonOf(caller) })
    await expect.poll(() => own.server.open).toBe(0)
  })
})

test('the body of a redirect that never ends is given up, and its connection closed', async () => {
  own.server = await rawServer((socket, number) =>
    socket.write(number === 1 ? 'HTTP/1.1 307 No\r\ncontent-length: 9\r\nlocation: /x\r\n\r\n' : message()),
  )
  await (await own.fetch(own.server.url)).text()
  await expect.poll(() => own.server.open).toBe(1)
})

test('keeps the connection open for other requests when aborted after the response', async () => {
  own.server = await rawServer((socket) => socket.write(message()))
  const caller = new AbortController()
  await (await ask(caller.signal)).text()
  const next = ask(new AbortController().signal)
  caller.abort()
  await (await next).text()
  expect(own.server.connections).toBe(1)
})

test('a transport around the one of Node gets a real AbortSignal', async () => {
  await using fake = createFakeService()
  const { url } = await fake.listen()
  const signals: AbortSignal[] = []
  const transport = {
    send(attempt: HttpAttempt) {
      signals.push(attempt.signal)
      return own.transport.send(attempt)
    },
  }
  await using client = createClient({ apiKey: fake.key, baseUrl: url, transport })
  await client.etn.price()
  expect(signals).toEqual([expect.any(AbortSignal)])
})
