import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { AuthenticationError, type ClientOptions, createClient, type Logger } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { costs, ok, price, raw, refusal } from '../support/answers.ts'
import { address, KEY, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)
const answer = () => ok(price(TOKEN), costs(50))

afterEach(() => {
  vi.unstubAllEnvs()
})

function lines() {
  const printed: string[] = []
  const printer = (level: string) => (line: string) => printed.push(`${level} ${line}`)
  const logger: Logger = { debug: printer('debug'), info: printer('info'), warn: printer('warn') }
  return { printed, logger }
}

describe('a log', () => {
  test('is off by default, whatever logger there is', async () => {
    const { printed, logger } = lines()
    const { client } = setup(answer, { logger })
    await client.token.price({ address: TOKEN })
    expect(printed).toEqual([])
  })

  test.each<[string, ClientOptions, string]>([
    ['the option', { logLevel: 'info' }, ''],
    ['the environment', {}, 'info'],
  ])('asked for by %s has one line for each request, which is there when the call ends', async (_, options, level) => {
    vi.stubEnv('ETN_MARKET_LOG', level)
    const { printed, logger } = lines()
    const { client } = setup(answer, { ...options, logger })
    await client.token.price({ address: TOKEN })
    expect(printed).toEqual(['info etn-market token.price 200, 0 ms, 50 credits, request 1.1, attempt 1'])
    await client.token.price({ address: TOKEN })
    expect(printed).toHaveLength(2)
  })

  test('warns of what went wrong, and the option comes before the environment', async () => {
    vi.stubEnv('ETN_MARKET_LOG', 'debug')
    const { printed, logger } = lines()
    const answers = [refusal(503, 'unavailable'), raw('{"data"', {}, 200), answer()]
    const { client, clock } = setup(() => answers.shift(), { logger, logLevel: 'warn' })
    const call = client.token.price({ address: TOKEN }).catch((error: Error) => error.name)
    await clock.advance(60_000)
    expect(await call).toBe('ResponseError')
    expect(printed[0]).toBe('warn etn-market token.price 503 unavailable, 0 ms, 0 credits, request 1.1, attempt 1')
    expect(printed[1]).toMatch(/^warn etn-market token\.price retry\.scheduled code=unavailable waitMs=\d+/)
    expect(printed.some((line) => line.includes('50 credits, request 1.1, attempt 2'))).toBe(true)
    expect(printed.filter((line) => !line.startsWith('warn '))).toEqual([])
  })

  test('says of a lost answer what it may have cost, shows no key, and prints every event if asked to', async () => {
    const { printed, logger } = lines()
    const events: string[] = []
    const { client } = setup(() => new Error(`no answer for ${KEY}`), {
      logger,
      logLevel: 'debug',
      retry: false,
      onEvent: ({ type }) => events.push(type),
    })
    await client.token.price({ address: TOKEN }).catch(() => {})
    expect(printed.join('\n')).toContain('up to 50 credits may be charged')
    expect(printed.join('\n')).toContain('debug etn-market token.price request.sent')
    expect(printed.join('\n')).not.toContain(KEY)
    expect(events).toContain('request.failed')
  })

  test('breaks nothing with a logger that throws', async () => {
    const broken = () => {
      throw new Error('disk full')
    }
    const { client } = setup(answer, { logger: { debug: broken, info: broken, warn: broken }, logLevel: 'debug' })
    expect((await client.token.price({ address: TOKEN })).usd).toBeDefined()
  })

  test.each([
    [{ logLevel: 'verbose' }, 'Invalid logLevel: verbose. It must be off, warn, info, debug.'],
    [{ logger: {} }, 'Invalid logger'],
  ])('%j is not accepted', (options, message) => {
    expect(() => createClient(options as ClientOptions)).toThrow(message)
  })
})

describe('headers of a call', () => {
  test('are sent beside those of the client and the key, in that call only', async () => {
    const { client, script } = setup(answer, { headers: { 'x-app': '1', 'x-own': 'client' } })
    await client.token.price({ address: TOKEN }, { headers: { 'X-Own': 'call' } })
    await client.token.price({ address: TOKEN })
    const sent = script.requests.map(({ headers }) =>
      ['x-app', 'x-own', 'authorization'].map((name) => headers.get(name)),
    )
    expect(sent).toEqual([
      ['1', 'call', `Bearer ${KEY}`],
      ['1', 'client', `Bearer ${KEY}`],
    ])
  })

  test('only calls with equal headers share a request', async () => {
    const { client, script } = setup(answer)
    const ask = (headers?: Record<string, string>) =>
      client.token.price({ address: TOKEN }, headers && { headers }).withMeta()
    const calls = [ask(), ask({ a: '1' }), ask({ a: '2' }), ask({ A: '1' }), ask({ a: '1', b: '' }), ask({})]
    const metas = (await Promise.all(calls)).map(({ meta }) => meta.shared)
    expect(metas).toEqual([false, false, false, true, false, true])
    expect(script.requests).toHaveLength(4)
  })

  test('cannot be forged from those of another call', async () => {
    const { client, script } = setup(answer)
    const ask = (headers: Record<string, string>) => client.token.price({ address: TOKEN }, { headers })
    await Promise.all([ask({ a: '1,b,2' }), ask({ a: '1', b: '2' }), ask({ 'a,1': 'b' }).catch(() => {})])
    expect(script.requests).toHaveLength(2)
  })

  test('reach each call of a list', async () => {
    const { client, script } = setup(answer)
    for await (const { error } of client.token.price.many([{ address: TOKEN }], { headers: { 'x-own': '1' } }))
      expect(error).toBeUndefined()
    expect(script.requests[0]?.headers.get('x-own')).toBe('1')
  })
})

describe("cache: 'reload'", () => {
  test('asks the service although an answer is fresh, and keeps the new answer', async () => {
    let usd = 0
    const { client, script } = setup(() => ok({ ...price(TOKEN), usd: String(++usd) }, costs(50)), {
      cache: { ttlMs: { 'token.price': 60_000 } },
    })
    const ask = async (cache?: 'default' | 'reload') => (await client.token.price({ address: TOKEN }, { cache })).usd
    expect([await ask(), await ask('default'), await ask('reload'), await ask()]).toEqual(['1', '1', '2', '2'])
    expect(script.requests).toHaveLength(2)
  })

  test('another word is not accepted', async () => {
    const { client } = setup(answer)
    const options = { cache: 'no-store' as 'reload' }
    await expect(client.token.price({ address: TOKEN }, options)).rejects.toThrow("'default' or 'reload'")
  })
})

describe('without a key', () => {
  const publicService = (options: ClientOptions = {}) => {
    vi.stubEnv('ETN_MARKET_API_KEY', '')
    vi.stubEnv('ETN_MARKET_BASE_URL', '')
    return setup(answer, { apiKey: undefined, baseUrl: undefined, ...options })
  }

  test('a call to the public service fails before it is sent, and says where to put the key', async () => {
    const { client, script } = publicService({ budget: { credits: 100 } })
    const error = await rejection(client.token.price({ address: TOKEN }), AuthenticationError)
    expect(error).toMatchObject({ code: 'api_key_missing', attempts: 0, charge: 'none', credits: 0, retryable: false })
    expect(error.message).toContain('ETN_MARKET_API_KEY')
    expect(error.message).toContain('GUIDE.md#get-a-key')
    expect(script.requests).toHaveLength(0)
    expect(client.budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 0 })
  })

  test('a list of calls ends with the first', async () => {
    const { client } = publicService()
    const sweep = client.token.price.many([1, 2, 3, 4, 5, 6, 7, 8].map((number) => ({ address: address(number) })))
    for await (const { error } of sweep) expect(error?.code).toBe('api_key_missing')
    expect(sweep.remaining.length).toBeGreaterThan(0)
  })

  test('what needs no key is sent', async () => {
    const { client, script } = publicService()
    await client.meta.openapi().catch(() => {})
    expect(script.requests).toHaveLength(1)
  })

  test('a proxy is asked', async () => {
    const { client, script } = publicService({ baseUrl: 'https://my.test/api/market' })
    await client.token.price({ address: TOKEN })
    expect(script.requests).toHaveLength(1)
  })

  test('the fake is asked, and refuses', async () => {
    vi.stubEnv('ETN_MARKET_API_KEY', '')
    const fake = createFakeService()
    const client = createClient({ fetch: fake.fetch })
    const error = await rejection(client.etn.price(), AuthenticationError)
    expect(error).toMatchObject({ status: 401, attempts: 1 })
    await fake.close()
  })
})

describe('an unknown option', () => {
  test.each([
    ['timeout', 'timeoutMs'],
    ['timeoutMS', 'timeoutMs'],
    ['timeuotMs', 'timeoutMs'],
    ['retries', 'retry'],
    ['baseURL', 'baseUrl'],
    ['apikey', 'apiKey'],
  ])('%s is asked about before the list', (name, meant) => {
    const create = () => createClient({ [name]: 1 } as ClientOptions)
    expect(create).toThrow(`Unknown option "${name}". Did you mean ${meant}? Known: `)
  })

  test('that is like none is not', () => {
    expect(() => createClient({ agent: 1 } as ClientOptions)).toThrow('Unknown option "agent". Known: ')
  })
})

test('a client is printed in ten lines at most, without its key', async () => {
  const { client } = setup(answer, { budget: { credits: 500, windowMs: 1_000 } })
  await client.token.price({ address: TOKEN })
  const printed = inspect(client)
  expect(printed.split('\n').length).toBeLessThanOrEqual(10)
  expect(printed).toContain('https://market.test/v1/')
  expect(printed).toContain('limit: 500, spent: 50')
  expect(printed).toContain('charged: 50')
  expect(printed).not.toContain(KEY)
  expect(inspect({ client })).toContain('limit: 500')
  expect(printed).not.toContain('=>')
})

test('requests name the package and the runtime, unless they have a User-Agent of their own', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const { client, script } = setup(answer)
  await client.token.price({ address: TOKEN })
  const [major] = process.versions.node.split('.')
  expect(script.requests[0]?.headers.get('user-agent')).toBe(`etn-market/${version} node/${major}`)
})

test('in a page the browser names itself', async () => {
  vi.stubGlobal('document', {})
  const { client, script } = setup(answer, { onEvent: () => {} })
  await client.token.price({ address: TOKEN })
  vi.unstubAllGlobals()
  expect(script.requests[0]?.headers.get('user-agent')).toBeNull()
})
