import {
  type Client,
  checksumAddress,
  createClient,
  estimateCost,
  InvalidLimitError,
  InvalidRequestError,
} from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, ok } from '../support/answers.ts'
import { address, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)
const WRONG = `0xA${TOKEN.slice(3).toLowerCase()}`

/** A call as untyped JavaScript can make it. */
type Loose = Record<
  string,
  Record<string, ((params?: unknown, options?: unknown) => Promise<unknown>) & { estimate(params?: unknown): unknown }>
>
const loose = (client: Client) => client as unknown as Loose

const MISTAKES: [string, string, unknown, string, string][] = [
  ['token', 'price', { address: WRONG }, 'address', WRONG],
  ['token', 'price', { address: TOKEN.slice(2) }, 'address', TOKEN.slice(2)],
  ['token', 'price', {}, 'address', 'missing'],
  ['token', 'price', undefined, 'address', 'missing'],
  ['token', 'price', { address: WRONG }, 'EIP-55', checksumAddress(WRONG.toLowerCase())],
  ['token', 'price', { address: TOKEN, chainId: 1 }, 'chainId', '1'],
  ['token', 'price', [TOKEN], 'parameters', 'object'],
  ['token', 'list', 'text', 'parameters', 'object'],
  ['token', 'list', { constructor: 1 }, 'constructor', 'limit'],
  ['token', 'list', { limit: 101 }, 'limit', '101'],
  ['token', 'list', { limit: 0 }, 'limit', '0'],
  ['token', 'list', { limit: 2.5 }, 'limit', '2.5'],
  ['token', 'list', { cursor: 'next' }, 'cursor', 'cursor'],
  ['trade', 'list', { limit: 26 }, 'limit', '26'],
  ['trade', 'list', { token: 'BOLT' }, 'token', 'BOLT'],
  ['token', 'candles', { address: TOKEN, bucket: '5m' }, 'bucket', '5m'],
  ['token', 'history', { address: TOKEN, duration: 'EON' }, 'duration', 'EON'],
  ['pool', 'list', { version: 1 }, 'version', '1'],
  ['prices', 'batch', { addresses: 'all' }, 'addresses', 'all'],
  ['prices', 'batch', {}, 'addresses', 'missing'],
  ['prices', 'batch', { addresses: [TOKEN, '0x1'] }, 'addresses[1]', '0x1'],
  ['prices', 'batch', { addresses: { 0: TOKEN, length: 1 } }, 'addresses', 'list'],
  ['prices', 'batch', { addresses: [TOKEN, null] }, 'addresses[1]', 'null'],
  ['prices', 'batch', { addresses: Object.assign(Array(2), { 0: TOKEN }) }, 'addresses[1]', 'hex'],
  ['presale', 'get', { pool: '../me' }, 'pool', '../me'],
  ['farm', 'list', { farmer: TOKEN }, 'farmer', 'farmer'],
  ['account', 'me', { id: 5 }, 'id', 'id'],
]

describe('invalid parameters', () => {
  test.each(MISTAKES)(
    '%s.%s %j: rejects with the names of parameter and value, and sends and reserves nothing',
    async (group, action, params, name, value) => {
      const { client, clock, script, events } = setup(undefined, { budget: { credits: 1_000 } })
      const method = loose(client)[group]![action]!
      const error = await rejection(method(params), InvalidRequestError)
      for (const part of [`${group}.${action}`, name, value]) expect(error.message).toContain(part)
      expect(error).toMatchObject({ operation: `${group}.${action}`, attempts: 0, charge: 'none', credits: 0 })
      if (name === 'limit') expect(error).toBeInstanceOf(InvalidLimitError)
      expect(script.requests).toHaveLength(0)
      expect(events).toEqual([])
      expect(client.budget).toMatchObject({ reserved: 0, available: 1_000 })
      expect(clock.pending).toBe(0)
      // The estimate throws what the call rejects with.
      expect(() => method.estimate(params)).toThrow(error.message)
      expect(() => estimateCost(`${group}.${action}` as 'etn.price', params as never)).toThrow(error.message)
    },
  )
})

test.each([
  { timeoutMs: 0 },
  { timeoutMs: -1 },
  { timeoutMs: Number.NaN },
  { timeoutMs: '5000' },
  { deadlineMs: 0 },
  { retry: { limit: -1 } },
  { retry: { limit: 1.5 } },
  { retry: { limit: Number.NaN } },
  { retry: { maxRetryAfterMs: -1 } },
  { retry: { maxRetryAfterMs: Number.NaN } },
  { retry: { tries: 3 } },
  { retry: true },
  { retry: 3 },
  { retry: null },
  { deadlineMs: null },
  { validate: 'always' },
  { whenAborted: 'wait' },
  { timeout: 5 },
])('rejects the invalid options %j, as options of a call and of a client', async (options) => {
  const { client, script } = setup(() => ok({ usd: '1' }, costs(25)))
  const error = await rejection(loose(client).etn!.price!({}, options), InvalidRequestError)
  expect(error).toMatchObject({ code: 'invalid_option', attempts: 0, charge: 'none' })
  expect(error.message).toContain(Object.keys(options)[0])
  expect(() => setup(undefined, options as object)).toThrow(InvalidRequestError)
  expect(script.requests).toHaveLength(0)
})

test.each([{}, null, { aborted: false }])('rejects the signal %j of a call', async (signal) => {
  const { client, script } = setup()
  const error = await rejection(loose(client).etn!.price!({}, { signal }), InvalidRequestError)
  expect(error).toMatchObject({ code: 'invalid_option', attempts: 0, charge: 'none' })
  expect(error.message).toContain('signal')
  expect(script.requests).toHaveLength(0)
})

test('throws for client options that are no object', () => {
  expect(() => createClient(null as never)).toThrow(InvalidRequestError)
})

test.each([
  { budget: null },
  { budget: '5000' },
  { cache: null },
  { cache: {} },
  { cache: 60_000 },
  { cache: { ttlMs: 60_000 } },
  { cache: { ttlMs: [60_000] } },
  { cache: { ttlMs: {}, store: {} } },
  { cache: { ttlMs: {}, stoer: new Map() } },
  { cache: { ttl: { 'token.price': 60_000 } } },
  { cache: { ttlMs: { 'token.prise': 60_000 } } },
  { cache: { ttlMs: { 'account.me': 60_000 } } },
  { cache: { ttlMs: { request: 60_000 } } },
  ...[Number.POSITIVE_INFINITY, Number.NaN, -1, '60000', null, true].map((ms) => ({
    cache: { ttlMs: { 'token.price': ms } },
  })),
  { hooks: null },
  { clock: {} },
  { onEvent: 'log' },
  { heavyConcurrency: 0 },
  { heavyConcurrency: 1.5 },
  { batchConcurrency: 0 },
  { budget: { credits: -1 } },
  { budget: { credits: 1.5 } },
  { budget: { credits: Number.NaN } },
  { budget: { credits: 5, windowMs: 0 } },
  { budget: { credits: 5, windowMs: Number.NaN } },
  { baseUrl: 'market.test/v1' },
  { baseUrl: 'ftp://market.test/v1' },
  { baseUrl: '' },
  { baseUrl: 'market' },
  { baseUrl: '//other.test/x' },
  { baseUrl: 'https://u:p@x.test' },
  { baseUrl: null as never },
  { baseUrl: 'https://market.test/v1?x=1' },
  { apiKey: '' },
  { apiKey: 'with space' },
  { apiKey: 'line\nbreak' },
  { apiKei: 'x' },
])('throws for the invalid client options %j', (options) => {
  expect(() => setup(undefined, options as object)).toThrow(InvalidRequestError)
})

test('fills in the chain, sends addresses in EIP-55 form in paths and in lower case in lists, and adds nothing', async () => {
  const { client, script } = setup(() => ok([], costs(100)), { validate: 'off' })
  await client.token.history({ address: TOKEN.toLowerCase(), duration: 'week' as 'WEEK', currency: 'ETN' })
  await client.token.candles({ address: TOKEN, limit: 5, bucket: '4h', chainId: 52014 })
  await client.pool.list()
  await client.trade.list({ token: `0x${TOKEN.slice(2).toUpperCase()}` })
  await client.presale.get({ pool: TOKEN.toLowerCase() })
  // Frozen, because the parameters of the caller are not changed.
  await client.prices
    .batch(Object.freeze({ addresses: Object.freeze([TOKEN.toLowerCase(), address(2)]) }))
    .catch(() => {})
  expect(script.requests.map(({ url }) => url.pathname + url.search)).toEqual([
    `/v1/tokens/52014/${TOKEN}/history?duration=WEEK&currency=ETN`,
    `/v1/tokens/52014/${TOKEN}/candles?limit=5&bucket=4h`,
    '/v1/pools/52014',
    `/v1/trades/52014?token=${TOKEN}`,
    `/v1/presales/52014/${TOKEN}`,
    `/v1/prices/52014?addresses=${[TOKEN, address(2)].map((token) => token.toLowerCase()).sort()}`,
  ])
  for (const { method } of script.requests) expect(method).toBe('GET')
})
