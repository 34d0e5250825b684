import { createClient, EtnMarketError, type FetchLike, InvalidRequestError, ResponseError } from 'etn-market'
import { afterEach, describe, expect, test } from 'vitest'
import { costs, ok, price, raw } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, BASE_URL, KEY, rejection, setup } from '../support/setup.ts'
import { collectUnhandled } from '../support/unhandled.ts'

const TOKEN = address(1)
const unhandled = collectUnhandled()

afterEach(async () => {
  await flush()
  expect(unhandled).toEqual([])
})

/** A client on a `fetch` of the user's own. */
function onFetch(fetch: unknown) {
  const types: string[] = []
  const client = createClient({
    apiKey: KEY,
    baseUrl: BASE_URL,
    fetch: fetch as FetchLike,
    budget: { credits: 1_000 },
    onEvent: ({ type }) => void types.push(type),
  })
  return { client, types }
}

describe('a custom fetch that resolves to something else than a Response', () => {
  const body = JSON.stringify({ data: price(TOKEN) })
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', body],
    ['an object without headers', { status: 200, text: async () => body }],
    ['headers without get', { status: 200, text: async () => body, headers: { 'x-credits-cost': '50' } }],
    ['no text()', { status: 200, headers: new Headers() }],
    [
      'a Response that was read',
      (() => {
        const response = new Response(body)
        void response.text()
        return response
      })(),
    ],
  ])('%s: a ResponseError, and what was reserved stays uncertain', async (_, value) => {
    const { client, types } = onFetch(async () => value)
    const error = await rejection(client.token.price({ address: TOKEN }), ResponseError)
    expect(error).toMatchObject({ code: 'invalid_fetch', charge: 'unknown', attempts: 1, credits: 0 })
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 50, spent: 0 })
    const ofRequest = types.filter((type) => type.startsWith('request.'))
    expect(ofRequest).toEqual(['request.sent', 'request.failed'])
  })

  test('one that throws at once is a connection that failed', async () => {
    const { client } = onFetch(() => {
      throw new Error('no network here')
    })
    const error = await rejection(client.token.price({ address: TOKEN }, { retry: false }), EtnMarketError)
    expect(error).toMatchObject({ attempts: 1 })
    expect(client.budget.reserved).toBe(0)
  })

  test.each([undefined, null, 'text', 7])('one that throws %j', async (thrown) => {
    const { client } = onFetch(() => Promise.reject(thrown))
    await rejection(client.token.price({ address: TOKEN }, { retry: false }), EtnMarketError)
    expect(client.budget.reserved).toBe(0)
  })
})

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe.each([
  [4_000, 'too_deep'],
  [100_000, 'response_too_large'],
])('a body nested %i deep', (depth, code) => {
  const modes = ['warn', 'strict', 'off'] as const

  test.each(modes)('as data, with validate %j, ends in a typed error, and is charged', async (validate) => {
    for (const deep of [nested(depth), nestedObjects(depth)]) {
      const { client } = setup(() => raw(`{"data":${deep}}`, costs(50)), { validate, budget: { credits: 1_000 } })
      const error = await rejection(client.token.price({ address: TOKEN }), ResponseError)
      expect(error).toMatchObject({ code, attempts: 1, credits: 50 })
      expect(client.budget).toMatchObject({ spent: 50, reserved: 0, uncertain: 0 })
    }
  })

  test.each([400, 503])('in an error body with status %i ends in a typed error', async (status) => {
    for (const deep of [nested(depth), nestedObjects(depth)]) {
      const { client } = setup(() => raw(`{"error":{"code":"x","message":"y","details":${deep}}}`, {}, status), {
        retry: false,
      })
      const error = await rejection(client.token.price({ address: TOKEN }), EtnMarketError)
      expect(error).toMatchObject({ status, attempts: 1 })
      expect(() => String(error.stack)).not.toThrow()
    }
  })

  test('in a batch, a list and a request of your own', async () => {
    const { client } = setup(() => raw(`{"data":${nestedObjects(depth)}}`, costs(50)), {
      cache: { ttlMs: { 'token.list': 1_000 } },
    })
    const ended = await Promise.allSettled([
      client.prices.batch({ addresses: [TOKEN] }),
      client.token.list(),
      client.request('/new', { maxCredits: 50 }),
    ])
    for (const end of ended) expect(end).toMatchObject({ status: 'rejected', reason: { code } })
  })
})

test('a body with as many levels as JSON.stringify can take is data, whatever its texts hold', async () => {
  const deep = `${'{"a":['.repeat(499)}"${'[{\\"'.repeat(600)}"${']}'.repeat(499)}`
  const { client } = setup(() => raw(`{"data":${deep}}`, costs(50)), { validate: 'off' })
  const data = await client.token.price({ address: TOKEN })
  expect(JSON.parse(JSON.stringify(data))).toEqual(JSON.parse(deep))
})

describe('__proto__ in a body', () => {
  const hostile = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'

  test('of an error changes no prototype', async () => {
    const { client } = setup(() =>
      raw(`{"error":{"code":"x","message":"y","__proto__":{"polluted":true}},"__proto__":{"polluted":true}}`, {}, 400),
    )
    const error = await rejection(client.token.price({ address: TOKEN }), InvalidRequestError)
    expect(Object.getPrototypeOf(error)).toBe(InvalidRequestError.prototype)
    expect(Object.getPrototypeOf(error.body)).toBe(Object.prototype)
    expect((error.body as Record<string, unknown>).polluted).toBeUndefined()
    expect((error as unknown as Record<string, unknown>).polluted).toBeUndefined()
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('of a success changes no prototype', async () => {
    const { client } = setup(() => raw(`{"data":${hostile},"__proto__":{"polluted":true}}`, costs(50)))
    for (const data of [await client.token.price({ address: TOKEN }), await client.request('/x', { maxCredits: 50 })]) {
      expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
      expect((data as Record<string, unknown>).polluted).toBeUndefined()
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test('of a mismatch in strict mode changes no prototype', async () => {
    const { client } = setup(() => raw(`{"data":${hostile}}`, costs(50)), { validate: 'strict' })
    const error = await rejection(
      client.token.get({ address: TOKEN }).then(() => undefined),
      ResponseError,
    )
    const { data } = error.body as { data: object }
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
  })

  test('as an address of a batch is no price', async () => {
    const { client } = setup(() => raw('{"data":{"__proto__":{"usd":"1"}}}', costs(110)))
    const prices = await client.prices.batch({ addresses: [TOKEN] })
    expect(prices).toEqual({ [TOKEN]: null })
    expect(Object.getPrototypeOf(prices)).toBe(Object.prototype)
  })
})

test('a signal of another realm is accepted', async () => {
  const { client } = setup(() => ok(price(TOKEN), costs(50)))
  const { aborted, reason } = new AbortController().signal
  const signal = { aborted, reason, addEventListener() {}, removeEventListener() {}, throwIfAborted() {} }
  expect(await client.token.price({ address: TOKEN }, { signal: signal as unknown as AbortSignal })).toEqual(
    price(TOKEN),
  )
})

/** Milliseconds that this process has computed for: what others do on the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

// What is made of a text does not depend on how it came; `large-answers.test.ts` has the connections.
describe.skipIf(process.env.ETN_MARKET_TEST_REAL_CONNECTION)('an answer that would take long to read', () => {
  const MB = 1_000_000
  const fill = (start: string, part: string, end: string, length = 4 * MB) =>
    `${start}${part.repeat(Math.floor((length - start.length) / part.length))}${end}`
  const bodies = {
    'objects in a list': fill('{"data":[', '{},', '0]}', 16 * MB),
    'lists in a list': fill('{"data":[', '[],', '0]}'),
    'one in the other': fill('{"data":', '[', ''),
    fields: fill('{"data":{', '"a":1,', '"a":1}}'),
    numbers: fill('{"data":[', '0,', '0]}'),
  }

  test.each(Object.entries(bodies))(
    'megabytes of %s are refused before they are parsed, and charged by their header',
    async (_, body) => {
      for (const status of body === bodies.fields ? [200, 400] : [200]) {
        const { client } = setup(() => raw(body, status === 200 ? costs(50) : {}, status), { validate: 'strict' })
        const before = cpuMs()
        const error = await rejection(client.token.price({ address: TOKEN }), ResponseError)
        // It took seconds, or all memory.
        expect(cpuMs() - before).toBeLessThan(2_000)
        expect(error).toMatchObject({
          code: 'response_too_large',
          status,
          attempts: 1,
          credits: status === 200 ? 50 : 0,
        })
      }
    },
  )

  test('16 MB that are one text are read', async () => {
    const body = fill(`{"data":{"address":"${TOKEN}","usd":"1","etn":"1","note":"`, 'a', '"}}', 16 * MB)
    const { client } = setup(() => raw(body, costs(50)))
    expect(await client.token.price({ address: TOKEN })).toMatchObject({ usd: '1' })
  })

  test('of many wrong items the first ones are explained', async () => {
    const body = `{"data":[${'{},'.repeat(20_000)}{}],"cursor":null}`
    const { client, events } = setup(() => raw(body, costs(200)))
    await client.token.list()
    const issues = events.flatMap((event) => (event.type === 'response.mismatch' ? event.issues : []))
    expect(issues).toHaveLength(20)
    expect(issues[0]).toMatchObject({ path: expect.stringMatching(/^data\.0\./) })
  })

  test('a long error is kept as text', async () => {
    const body = JSON.stringify({ error: { code: 'invalid_request', message: 'no' }, more: 'a'.repeat(200_000) })
    const { client } = setup(() => raw(body, {}, 400))
    const error = await rejection(client.token.price({ address: TOKEN }), InvalidRequestError)
    expect(error).toMatchObject({ code: 'invalid_request', body })
  })

  test('a code or a message of megabytes is in the body alone', async () => {
    const long = 'a'.repeat(2_000_000)
    const body = JSON.stringify({ error: { code: long, message: long } })
    const { client } = setup(() => raw(body, {}, 400))
    const error = await rejection(client.token.price({ address: TOKEN }), InvalidRequestError)
    expect(error).toMatchObject({ code: 'http_400', charge: 'none', body })
    expect(error.message.length).toBeLessThan(1_000)
  })

  const headers = ['retry-after', 'date', 'content-type', 'x-credits-cost', 'x-credits-remaining']
  test.each([' ', '\t', ',', '0', 'a', '/', '.', '-', '"', '\\', '{'])(
    '250 kB of %j in any header and in the body',
    async (part) => {
      const long = `x${part.repeat(MB / 4)}x`
      const before = cpuMs()
      for (const name of [...headers, 'body']) {
        for (const status of [200, 429]) {
          const { client } = setup(
            () => raw(name === 'body' ? long : '{"data":null}', name === 'body' ? {} : { [name]: long }, status),
            { retry: false },
          )
          await client.token.price({ address: TOKEN }).catch((error) => expect(error).toBeInstanceOf(EtnMarketError))
        }
      }
      // Twelve answers; what grows with the square of the length takes many seconds for each.
      expect(cpuMs() - before).toBeLessThan(10_000)
    },
  )
})
