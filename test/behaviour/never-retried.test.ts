import {
  ApiError,
  AuthenticationError,
  type EtnMarketError,
  InsufficientCreditsError,
  InvalidLimitError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  ResponseError,
} from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, raw, refusal } from '../support/answers.ts'
import { ask, CALL } from '../support/ask.ts'

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
    expect(error).toMatchObject({ name: 'NotFoundError', status: 404, code: 'http_404', body: '<h1>No</h1>' })
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

  test('a 404 after a retried 500 ends the call', async () => {
    const { error, script } = await ask(
      ({ number }) => (number === 1 ? refusal(500, 'x') : refusal(404, 'not_found')),
      99,
    )
    expect(error).toMatchObject({ name: 'NotFoundError', attempts: 2 })
    expect(script.requests).toHaveLength(2)
  })
})
