import { createClient, type EtnMarketError } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { afterEach, describe, expect, test } from 'vitest'
import { retryAfterMs } from '../../src/transport/retry-after.ts'
import { copyData, limitDepth } from '../../src/utils/json-data.ts'

const json = (body: string, status: number, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('It should reject.'),
    (error: EtnMarketError) => error,
  )

test.each([
  ['with a key', { apiKey: 'esk_live_key' }],
  ['without a key', { baseUrl: 'https://proxy.example/api' }],
])('callers who share a failure may each change its body: %s', async (_, options) => {
  const client = createClient({
    ...options,
    retry: false,
    fetch: async () => json('{"error":{"code":"internal"},"more":[{"deep":1}]}', 500),
  })
  const [one, other] = await Promise.all([failureOf(client.etn.price()), failureOf(client.etn.price())])
  expect([one.shared, other.shared].filter(Boolean)).toHaveLength(1)
  expect(one.body).toEqual(other.body)
  const body = one.body as { more: { deep: number }[] }
  body.more[0] = { deep: 2 }
  expect(other.body).toMatchObject({ more: [{ deep: 1 }] })
  await client.close()
})

test('JSON.stringify of an error whose body is 40,000 levels deep', async () => {
  const depth = 40_000
  const body = `{"error":{"code":"internal","message":"no","deep":${'['.repeat(depth)}${']'.repeat(depth)}}}`
  const client = createClient({ apiKey: 'esk_live_key', retry: false, fetch: async () => json(body, 500) })
  const error = await failureOf(client.etn.price())
  expect(JSON.stringify(error).includes('levels deep')).toBe(true)
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'internal', status: 500 })
  await client.close()
})

describe('copies of data', () => {
  test('have everything, and change no prototype', () => {
    const data = JSON.parse('{"a":[1,{"b":null}],"__proto__":{"polluted":true}}')
    const copy = copyData(data)
    expect(copy).toEqual(data)
    expect(copy.a).not.toBe(data.a)
    expect((copy as { polluted?: boolean }).polluted).toBeUndefined()
    expect(Object.keys(copy)).toEqual(Object.keys(data))
  })

  test('of what contains itself end', () => {
    const data: unknown[] = []
    data.push(data)
    const copy = limitDepth(data) as unknown[]
    expect(copy[0]).toBe(copy)
  })
})

test.each([
  ['blanks', `${' '.repeat(15_000)}x${' '.repeat(15_000)}x`],
  ['tabs and commas', `1${'\t,'.repeat(10_000)}x`],
  ['a date that does not end', `Sun, 06 Nov 1994 ${'0'.repeat(15_000)} GMT`],
  ['words', `Sunday, 06-Nov-94 ${'a '.repeat(7_500)}`],
])('a Retry-After of 15 kB of %s is read within 50 ms', (_, value) => {
  const headers = new Headers()
  const get = (name: string) => (name === 'retry-after' || name === 'date' ? value : null)
  // Other programs may interrupt some of them.
  const times = Array.from({ length: 10 }, () => {
    const startedAt = performance.now()
    retryAfterMs({ get, [Symbol.iterator]: () => headers[Symbol.iterator]() }, 0)
    return performance.now() - startedAt
  })
  expect(Math.min(...times)).toBeLessThan(50)
})

test.each(['fetch', 'node:http'])(
  'with %s, a redirect to its own origin with a password is not followed',
  async (name) => {
    const { createServer } = await import('node:http')
    let requests = 0
    const server = createServer((request, response) => {
      requests++
      response.writeHead(302, { location: `http://user:pass@${request.headers.host}/other` }).end()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const transport = name === 'fetch' ? undefined : createNodeTransport()
    const client = createClient({ apiKey: 'esk_live_key', baseUrl: `http://127.0.0.1:${port}`, transport })
    const error = await failureOf(client.etn.price())
    await client.close()
    await transport?.close()
    server.close()
    expect(error).toMatchObject({ code: 'redirect_not_followed', charge: 'unknown', attempts: 1 })
    expect(error.message).not.toContain('pass')
    expect(requests).toBe(1)
  },
)

describe('a prototype of all objects that somebody has changed', () => {
  const polluted = Object.prototype as { signal?: unknown; budget?: unknown; unref?: unknown }
  afterEach(() => {
    delete polluted.signal
    delete polluted.budget
  })

  test.each(['signal', 'budget'] as const)('%s: calls work, or fail with an error of this library', async (name) => {
    const client = createClient({ apiKey: 'esk_live_key', fetch: async () => json('{"data":{"usd":"1"}}', 200) })
    polluted[name] = 'polluted'
    const result = await client.etn.price().catch((caught: unknown) => caught)
    delete polluted[name]
    const { name: errorName } = result as { name?: string }
    expect(errorName).not.toBe('TypeError')
    await client.close()
  })
})
