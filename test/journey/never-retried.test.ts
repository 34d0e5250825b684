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
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
const good = () => ok(price(TOKEN), costs(50))

/** Calls with a service that fails as told, for as many attempts as told, and lets all the time pass that it takes. */
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

const _RETRIED: [string, Handler, typeof EtnMarketError, number | undefined][] = [
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

describe('never retried', () => {
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
  ])('%i %s', async (status, code, Expected) => {
    const { error, script } = await ask(() => refusal(status, code, {}, 'The reason why'), 99)
    expect(error).toMatchObject({
      name: Expected.name,
      status,
      code: code.toLowerCase(),
      charge: 'none',
      credits: 0,
      attempts: 1,
    })
    expect(error.constructor).toBe(Expected)
    expect(error.message).toContain('The reason why')
    expect(error.body).toEqual({ error: { code, message: 'The reason why' } })
    expect(script.requests).toHaveLength(1)
  })

  test('an error whose body is not the envelope still has its class, its status and its body', async () => {
    const { error } = await ask(() => raw('<h1>No</h1>', {}, 404), 99)
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, code: 'http_404', body: '<h1>No</h1>' })
  })

  test.each([
    ['not JSON', () => raw('<html>', costs(50)), '<html>'],
    ['empty', () => raw('', costs(50)), ''],
    ['204', () => raw(null, costs(50), 204), ''],
    ['without data', () => raw('{"cursor":null}', costs(50)), { cursor: null }],
    ['JSON that is no object', () => raw('[1]', costs(50)), [1]],
  ])('a success that is %s: it was paid for', async (_, fail, body) => {
    const { error, script } = await ask(fail, 99)
    expect(error).toBeInstanceOf(ResponseError)
    expect(error).toMatchObject({ credits: 50, charge: 'charged', attempts: 1, body })
    expect(script.requests).toHaveLength(1)
  })

  test('a success of another shape, with validate strict: it carries the body and what was charged', async () => {
    const { error, script } = await ask(() => ok({ usd: 5 }, costs(50)), 99, { validate: 'strict' })
    expect(error).toBeInstanceOf(ResponseError)
    expect(error).toMatchObject({ credits: 50, charge: 'charged', body: { data: { usd: 5 }, cursor: null } })
    expect(error.issues?.map(({ path }) => path)).toEqual(expect.arrayContaining(['data.usd', 'data.address']))
    expect(script.requests).toHaveLength(1)
  })

  test('a non-retried error after a retried one ends the call', async () => {
    const { error, script } = await ask(
      ({ number }) => (number === 1 ? refusal(500, 'x') : refusal(404, 'not_found')),
      99,
    )
    expect(error).toMatchObject({ name: 'NotFoundError', attempts: 2 })
    expect(script.requests).toHaveLength(2)
  })
})
