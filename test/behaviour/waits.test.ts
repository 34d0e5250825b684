import type { CallOptions, ClientOptions } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, html, limited, networkError, ok, price, refusal, wait } from '../support/answers.ts'
import type { Handler } from '../support/script.ts'
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

/** The waits between the attempts of one call, as measured and as its events report them. */
async function waitsOf(
  fail: Handler,
  randomValue: number,
  options: ClientOptions = {},
  failures = 2,
): Promise<number[]> {
  const sentAt: number[] = []
  const made = setup(
    (exchange) => {
      sentAt.push(made.clock.now())
      return exchange.number <= failures ? fail(exchange) : ok(price(TOKEN), costs(50))
    },
    { deadlineMs: 1e9, ...options },
  )
  made.clock.randomValue = randomValue
  const outcome = watch(made.client.token.price({ address: TOKEN }))
  await made.clock.advance(5e8)
  expect(outcome.state).toBe('resolved')
  const waits = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
  const reported = made.events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.waitMs] : []))
  expect(reported.map(Math.round)).toEqual(waits.map(Math.round))
  return waits.map(Math.round)
}

// Which values are valid: `test/transport/retry-after.test.ts`. The virtual clock refuses a wait that is negative or NaN.
describe('without a valid Retry-After: full jitter, base 500 ms, factor 2, ceiling 8 s', () => {
  const fail = () => networkError('ECONNRESET')

  test.each([
    [1 - 1e-9, [500, 1_000, 2_000, 4_000, 8_000, 8_000]],
    [0.5, [250, 500, 1_000, 2_000, 4_000, 4_000]],
    [0, Array(6).fill(0)],
  ])('with the random value %d', async (randomValue, waits) => {
    expect(await waitsOf(fail, randomValue, { retry: { limit: 6 } }, 6)).toEqual(waits)
  })

  test('a value that is none is as absent', async () => {
    expect(await waitsOf(() => refusal(500, 'x', wait('soon')), 0.5)).toEqual([250, 500])
  })

  // How often it is tried has nothing to do with the connection.
  test.skipIf(process.env.ETN_MARKET_TEST_REAL_CONNECTION)('does not overflow after 1,100 retries', async () => {
    const waits = await waitsOf(fail, 0.5, { retry: { limit: 1_100 } }, 1_100)
    expect(waits).toHaveLength(1_100)
    expect(Math.max(...waits)).toBe(4_000)
  })
})

describe('a valid Retry-After is a floor', () => {
  test.each<[string, Handler]>([
    ['429', () => limited(wait(5))],
    ['500', () => refusal(500, 'x', wait(5))],
    ['502', () => html(502, wait(5))],
    ['503', () => refusal(503, 'maintenance', wait(5))],
    ['503 server_busy', () => busy(wait(5))],
    ['408', () => refusal(408, 'timeout', wait(5))],
  ])('%s: jitter adds up to a tenth of the wait', async (_, fail) => {
    expect(await waitsOf(fail, 0)).toEqual([5_000, 5_000])
    expect(await waitsOf(fail, 1 - 1e-9)).toEqual([5_500, 5_500])
  })

  test('jitter adds one second at most', async () => {
    expect(await waitsOf(() => refusal(500, 'x', wait(30)), 1 - 1e-9)).toEqual([31_000, 31_000])
  })

  test.each(['0', 'Sun, 06 Nov 1994 08:49:37 GMT'])('%j waits the minimum backoff', async (value) => {
    for (const status of [500, 429]) {
      expect(await waitsOf(() => refusal(status, 'x', wait(value)), 0)).toEqual([500, 500])
      expect(await waitsOf(() => refusal(status, 'x', wait(value)), 1 - 1e-9)).toEqual([550, 550])
    }
  })

  test('a date counts from the Date header of the answer, not from the local clock', async () => {
    const headers = { 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT', date: 'Tue, 01 Jan 2030 00:00:00 GMT' }
    expect(await waitsOf(() => refusal(500, 'x', headers), 0)).toEqual([7_000, 7_000])
  })

  test('a wait of exactly maxRetryAfterMs is slept, also when jitter adds to it', async () => {
    expect(await waitsOf(() => refusal(500, 'x', wait(60)), 0.5)).toEqual([60_500, 60_500])
  })
})

const after = (seconds: number) => () => refusal(500, 'x', wait(seconds))

test.each<[string, Handler, ClientOptions, CallOptions, object]>([
  ['maxRetryAfterMs, 60 s by default', after(61), { deadlineMs: 1e9 }, {}, { retryAfterMs: 61_000 }],
  ['maxRetryAfterMs of the call', after(2), {}, { retry: { maxRetryAfterMs: 1_999 } }, { retryAfterMs: 2_000 }],
  ['0 of the client', after(1), { retry: { maxRetryAfterMs: 0 } }, {}, { retryAfterMs: 1_000 }],
  [
    'what is left of the deadline',
    () => limited(wait(11)),
    { deadlineMs: 10_000 },
    {},
    { name: 'RateLimitError', retryAfterMs: 11_000, status: 429 },
  ],
  [
    'what is left, where it is the backoff',
    () => refusal(500, 'x'),
    { deadlineMs: 400 },
    {},
    { retryAfterMs: undefined },
  ],
])('a wait that is longer than %s rejects the call at once', async (_, fail, options, callOptions, expected) => {
  const { client, clock, script } = setup(fail, options)
  clock.randomValue = 0.9
  const outcome = watch(client.token.price({ address: TOKEN }, callOptions))
  await clock.advance(0)
  expect(outcome.error).toMatchObject({ name: 'ServiceError', attempts: 1, ...expected })
  expect(script.requests).toHaveLength(1)
  expect(clock.pending).toBe(0)
})
