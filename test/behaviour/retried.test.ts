import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  type EtnMarketError,
  InsufficientCreditsError,
  InvalidLimitError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResponseError,
  ServerBusyError,
  ServiceError,
  TimeoutError,
} from 'etn-market'
import { describe, expect, test } from 'vitest'
import {
  busy,
  costs,
  cutOff,
  html,
  limited,
  networkError,
  ok,
  price,
  raw,
  refusal,
  stalled,
} from '../support/answers.ts'
import type { Handler } from '../support/script.ts'
import { address, rejection, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
/** What every error says of the call that `ask` makes. */
const CALL = { operation: 'token.price', params: { address: TOKEN }, requestIds: ['1.1'] }
const good = () => ok(price(TOKEN), costs(50))

/** Makes one call to a service whose first `failures` attempts fail, and waits until it has ended. */
async function ask(fail: Handler, failures: number, options: Parameters<typeof setup>[1] = {}) {
  const made = setup((exchange) => (exchange.number <= failures ? fail(exchange) : good()), {
    timeoutMs: 1_000,
    ...options,
  })
  const outcome = watch(made.client.token.price({ address: TOKEN }).withMeta())
  await made.clock.advance(59_000)
  expect(made.clock.pending).toBe(0)
  return { ...made, outcome, error: outcome.error as EtnMarketError }
}

const RETRIED: [string, Handler, typeof EtnMarketError, number | undefined][] = [
  ['no connection', () => networkError('ECONNREFUSED'), ConnectionError, undefined],
  ['a DNS failure', () => networkError('ENOTFOUND'), ConnectionError, undefined],
  ['a reset', () => networkError('ECONNRESET'), ConnectionError, undefined],
  ['a body cut off', () => cutOff(), ConnectionError, 200],
  ['no answer', () => undefined, TimeoutError, undefined],
  ['a body that stalls', () => stalled(), TimeoutError, 200],
  ['408', () => refusal(408, 'timeout'), ServiceError, 408],
  ['429', () => limited(), RateLimitError, 429],
  ['500', () => refusal(500, 'internal'), ServiceError, 500],
  ['501', () => refusal(501, 'not_implemented'), ServiceError, 501],
  ['502', () => html(502), ServiceError, 502],
  ['503 server_busy', () => busy(), ServerBusyError, 503],
  ['503 SERVER_BUSY', () => refusal(503, 'SERVER_BUSY'), ServerBusyError, 503],
  ['another 503', () => refusal(503, 'maintenance'), ServiceError, 503],
  ['504', () => html(504), ServiceError, 504],
  ['599', () => refusal(599, 'odd'), ServiceError, 599],
]

describe('an outcome that is retried, twice by default', () => {
  test.each(RETRIED)('%s: resolves when the third attempt succeeds', async (_, fail) => {
    const { outcome, script } = await ask(fail, 2)
    expect(outcome).toMatchObject({
      state: 'resolved',
      value: { data: price(TOKEN), meta: { attempts: 3, requests: 1 } },
    })
    expect(script.requests).toHaveLength(3)
  })

  test.each(RETRIED)('%s: rejects with its typed error after three attempts', async (_, fail, Expected, status) => {
    const { error, script } = await ask(fail, 99)
    expect(error).toBeInstanceOf(Expected)
    expect(error).toMatchObject({ name: Expected.name, attempts: 3, retryable: true, ...CALL })
    expect(error.toJSON()).toMatchObject({ retryable: true })
    expect(error.status).toBe(status)
    expect(error.message).toContain('token.price')
    expect(script.requests).toHaveLength(3)
  })

  test.each([
    [{ limit: 4 }, 5],
    [{ limit: 1 }, 2],
    [{ limit: 0 }, 1],
    [false, 1],
  ] as const)('with retry %j is attempted %i times', async (retry, attempts) => {
    const { error, script } = await ask(() => refusal(500, 'internal'), 99, { retry })
    expect([error.attempts, script.requests.length]).toEqual([attempts, attempts])
  })

  test('follows the retry option of the call, which overrides that of the client', async () => {
    const made = setup(() => networkError('ECONNREFUSED'), { retry: false })
    const more = watch(made.client.etn.price({}, { retry: { limit: 1 } }))
    await made.clock.advance(10_000)
    expect(more.error).toMatchObject({ attempts: 2 })
    const other = setup(() => networkError('ECONNREFUSED'))
    expect(await rejection(other.client.etn.price({}, { retry: false }), ConnectionError)).toMatchObject({
      attempts: 1,
    })
  })
})

describe('an outcome that is never retried', () => {
  test.each<[number, string, typeof EtnMarketError]>([
    [400, 'invalid_request', InvalidRequestError],
    [400, 'invalid_limit', InvalidLimitError],
    [400, 'INVALID_LIMIT', InvalidLimitError],
    [400, 'something_new', InvalidRequestError],
    [401, 'unauthorized', AuthenticationError],
    [402, 'insufficient_credits', InsufficientCreditsError],
    [403, 'insufficient_credits', InsufficientCreditsError],
    [400, 'Insufficient_Credits', InsufficientCreditsError],
    [403, 'forbidden', PermissionError],
    [404, 'not_found', NotFoundError],
    [409, 'conflict', ApiError],
    [418, 'teapot', ApiError],
    [499, 'gone', ApiError],
  ])('%i %s rejects after one attempt', async (status, code, Expected) => {
    const { error, script } = await ask(() => refusal(status, code, {}, 'The reason why'), 99)
    expect(error).toMatchObject({
      name: Expected.name,
      status,
      code: code.toLowerCase(),
      charge: 'none',
      credits: 0,
      attempts: 1,
      retryable: false,
      ...CALL,
    })
    expect(error.constructor).toBe(Expected)
    expect(error.message).toContain('The reason why')
    expect(error.body).toEqual({ error: { code, message: 'The reason why' } })
    expect(script.requests).toHaveLength(1)
  })

  test('an error without an envelope rejects with the class of its status and its body', async () => {
    const { error } = await ask(() => raw('<h1>No</h1>', {}, 404), 99)
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, code: 'front_error', body: '<h1>No</h1>' })
  })

  test.each([
    ['not JSON', () => raw('<html>', costs(50)), '<html>'],
    ['empty', () => raw('', costs(50)), ''],
    ['204', () => raw(null, costs(50), 204), ''],
    ['without data', () => raw('{"cursor":null}', costs(50)), { cursor: null }],
    ['JSON that is not an object', () => raw('[1]', costs(50)), [1]],
  ])('a success that is %s rejects with the charged credits', async (_, fail, body) => {
    const { error, script } = await ask(fail, 99)
    expect(error).toBeInstanceOf(ResponseError)
    expect(error).toMatchObject({ credits: 50, charge: 'charged', attempts: 1, retryable: false, body, ...CALL })
    expect(script.requests).toHaveLength(1)
  })
})
