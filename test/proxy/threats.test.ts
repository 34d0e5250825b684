import { describe, expect, test } from 'vitest'
import { settle } from '../support/settle.ts'
import { batchPath, errorOf, KEY, pricePath, setupProxy, TOKENS } from './setup.ts'

const [TOKEN = ''] = TOKENS

describe('a path that leads elsewhere, or to what is not allowed,', () => {
  test.each([
    ['/tokens/52014/..%2fme', '404 not_found'],
    ['/tokens/52014/..%2f..%2fme', '404 not_found'],
    ['/tokens/52014/%2e%2e/me', '404 not_found'],
    ['/tokens/52014/%2e%2e/%2e%2e/me', '403 not_allowed'],
    ['/tokens/52014/../../me', '403 not_allowed'],
    ['/tokens/..%5c..%5cme', '404 not_found'],
    ['/tokens/52014/%252e%252e/me', '404 not_found'],
    ['//tokens/52014', '404 not_found'],
    ['/tokens//52014', '404 not_found'],
    ['/tokens/52014/', '404 not_found'],
    ['/tokens/me', '404 not_found'],
    ['/me', '403 not_allowed'],
    ['/farms/52014', '403 not_allowed'],
    [`/balances/52014/${TOKEN}`, '403 not_allowed'],
    ['/tokens/52014%00', '404 not_found'],
    ['/../../me', '404 not_found'],
    ['/../marketplace/me', '404 not_found'],
    ['/constructor', '404 not_found'],
    ['/tokens/1', '400 invalid_request'],
    ['/tokens/052014', '400 invalid_request'],
    ['/tokens/0052014', '400 invalid_request'],
    [`/prices/52014/${TOKEN.slice(0, -1)}`, '400 invalid_request'],
  ])('%s is refused', async (path, expected) => {
    const { ask, fake } = setupProxy({ allow: ['token.list', 'token.get', 'token.price'] })
    expect(await errorOf(ask(path))).toBe(expected)
    await settle()
    fake.expectRequests(0)
  })
})

describe('a query', () => {
  test.each([
    ['with a doubled parameter', '/tokens/52014?limit=5&limit=100', 'invalid_request'],
    ['with the same parameter twice', '/tokens/52014?limit=5&limit=5', 'invalid_request'],
    ['with an unknown parameter', '/tokens/52014?cursor=5', 'invalid_request'],
    ['with a parameter of the path', '/tokens/52014?chainId=1', 'invalid_request'],
    ['with the name of a prototype', '/tokens/52014?__proto__=5', 'invalid_request'],
    ['with a limit above the maximum', '/tokens/52014?limit=101', 'invalid_limit'],
    ['with a limit above that of the rule', '/pools/52014?limit=6', 'invalid_limit'],
    ['with a limit of 0', '/tokens/52014?limit=0', 'invalid_limit'],
    ['with a limit in another notation', '/tokens/52014?limit=1e1', 'invalid_limit'],
    ['with an empty limit', '/tokens/52014?limit=', 'invalid_limit'],
    ['with a value that the rule leaves out', `/tokens/52014/${TOKEN}/candles?bucket=1m`, 'invalid_request'],
    ['with a value that nobody knows', `/tokens/52014/${TOKEN}/candles?currency=EUR`, 'invalid_request'],
    ['with no addresses', '/prices/52014', 'invalid_request'],
    ['with an empty list of addresses', '/prices/52014?addresses=', 'invalid_request'],
    ['with more addresses than the rule allows', batchPath(4), 'invalid_request'],
    ['with an invalid address', `/prices/52014?addresses=${TOKEN},`, 'invalid_request'],
    ['of 100,000 characters', `/prices/52014?addresses=${'0x'.repeat(50_000)}`, 'invalid_request'],
  ])('%s costs nothing', async (_, path, code) => {
    const { ask, fake } = setupProxy({
      allow: [
        'token.list',
        { operation: 'pool.list', limit: 5 },
        { operation: 'token.candles', values: { bucket: ['1h', '1d'] } },
        { operation: 'prices.batch', addresses: 3 },
      ],
    })
    expect(await errorOf(ask(path))).toBe(`400 ${code}`)
    await settle()
    fake.expectRequests(0)
  })

  test('without a limit is sent with the limit of the rule', async () => {
    const { ask, fake } = setupProxy({ allow: [{ operation: 'pool.list', limit: 5 }] })
    expect((await ask('/pools/52014')).headers.get('x-credits-cost')).toBe('225')
    expect(fake.journal()[0]?.query).toEqual({ limit: '5' })
  })

  test('without a value is refused where the default of the service is not accepted', async () => {
    const allow = [{ operation: 'token.candles', values: { bucket: ['4h'] } }] as const
    const { ask } = setupProxy({ allow })
    expect(await errorOf(ask(`/tokens/52014/${TOKEN}/candles`))).toBe('400 invalid_request')
    expect((await ask(`/tokens/52014/${TOKEN}/candles?bucket=4h`)).status).toBe(200)
  })

  test('takes every value where the rule gives undefined, as each option that is undefined is left out', async () => {
    const left = undefined
    const allow = [
      { operation: 'token.candles', values: { bucket: left }, limit: left, tokens: left, cacheMs: left },
    ] as const
    const { ask } = setupProxy({ allow, visitorCookie: left, perVisitor: left, cors: left, cdn: left, operator: left })
    expect((await ask(`/tokens/52014/${TOKEN}/candles?bucket=4h`)).status).toBe(200)
  })
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused with the methods that are allowed', async (method) => {
  const { ask, fake } = setupProxy()
  const response = await ask(pricePath(), { method })
  expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  expect(await errorOf(response)).toBe('405 method_not_allowed')
  fake.expectRequests(0)
})

test('nothing that a visitor sends reaches the service', async () => {
  const { ask, fake } = setupProxy({}, { journal: { headers: true } })
  const headers = {
    authorization: 'Bearer esk_of_a_visitor',
    cookie: 'a=b',
    'x-forwarded-for': '1.1.1.1',
    accept: 'x/y',
  }
  expect((await ask(pricePath(), { headers })).status).toBe(200)
  const [entry] = fake.journal()
  expect(entry?.key).toBe(KEY)
  const agent = expect.stringMatching(/^etn-market\//)
  expect(entry?.headers).toEqual({ accept: 'application/json', authorization: expect.any(String), 'user-agent': agent })
})

test('one visitor cannot poison the answers of others', async () => {
  const { ask, fake } = setupProxy({ allow: ['token.candles'] })
  const path = `/tokens/52014/${TOKEN}/candles?limit=3`
  await ask(`${path}&bucket=1d`, { headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' } })
  const other = await ask(path)
  expect(fake.journal()).toHaveLength(2)
  const same = await ask(`/tokens/52014/${TOKEN.toLowerCase()}/candles?limit=3`, { visitor: 'other' })
  expect(await same.text()).toBe(await other.text())
  expect(fake.journal()).toHaveLength(2)
})

describe('the key', () => {
  const echoed = (body: unknown) => {
    const forms = { text: KEY, [KEY]: [KEY, { [`a${KEY}`]: encodeURIComponent(KEY) }] }
    return { ...(body as object), data: { ...(body as { data: object }).data, usd: KEY, forms } }
  }

  test('is in no answer of a service that echoes it', async () => {
    const { ask, fake } = setupProxy()
    fake.fault({ transform: echoed, times: 1 })
    expectNoKey(await (await ask(pricePath())).text())
  })

  test.each([400, 401, 402, 403, 404, 409, 429, 500, 503])('is in no error %i that echoes it', async (status) => {
    const { ask, fake } = setupProxy({}, {}, { retry: false })
    fake.fault({ status, code: KEY, message: `bad ${KEY}`, headers: { 'x-echo': KEY } })
    const response = await ask(pricePath())
    expect(response.ok).toBe(false)
    expectNoKey(await response.text())
    expectNoKey(JSON.stringify([...response.headers]))
  })

  test('is in no answer where a function rotates it', async () => {
    let count = 0
    const keys: string[] = []
    const apiKey = () => {
      const key = `esk_rotated_${count++}`
      keys.push(key)
      return key
    }
    const { ask, fake } = setupProxy({}, { keys: { esk_rotated_0: 1e6, esk_rotated_1: 1e6 } }, { apiKey })
    fake.fault({
      transform: (body) => ({ ...(body as object), keys: 'x', data: { usd: 'esk_rotated_0 esk_rotated_1' } }),
      nth: 2,
    })
    await ask(pricePath(0))
    const text = await (await ask(pricePath(1))).text()
    expect(keys).toHaveLength(2)
    expect(text).not.toContain('esk_rotated')
  })

  test('is in no answer to a visitor who guesses at it', async () => {
    const { ask } = setupProxy({ allow: ['token.candles'] })
    const guess = encodeURIComponent(KEY)
    for (const query of [`?bucket=${guess}`, `?${guess}=1`, `?limit=${guess}`])
      expectNoKey(await (await ask(`/tokens/52014/${TOKEN}/candles${query}`)).text())
  })

  function expectNoKey(text: string) {
    const variants = [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY)]
    for (const variant of variants) expect(text.toLowerCase()).not.toContain(variant.toLowerCase())
  }
})
