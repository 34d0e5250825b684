import { type ClientOptions, RateLimitError, ServiceError } from 'etn-market'
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
  const retry = { limit: 6 }

  test('waits up to the ceiling with the largest random value', async () => {
    expect(await waitsOf(fail, 1 - 1e-9, { retry }, 6)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000])
  })

  test('waits half as long with a random value of 0.5', async () => {
    expect(await waitsOf(fail, 0.5, { retry }, 6)).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
  })

  test('waits 0 ms with a random value of 0', async () => expect(await waitsOf(fail, 0)).toEqual([0, 0]))

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

describe('a wait that is too long rejects the call at once', () => {
  async function rejectedAtOnce(fail: Handler, options: ClientOptions): Promise<unknown> {
    const { client, clock, script } = setup(fail, options)
    clock.randomValue = 0.9
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(0)
    expect(outcome.state).toBe('rejected')
    expect(script.requests).toHaveLength(1)
    expect(clock.pending).toBe(0)
    return outcome.error
  }

  test('longer than maxRetryAfterMs, 60 s by default', async () => {
    const error = await rejectedAtOnce(() => refusal(500, 'x', wait(61)), { deadlineMs: 1e9 })
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ retryAfterMs: 61_000, status: 500, attempts: 1 })
  })

  test('longer than what is left of the deadline', async () => {
    const error = await rejectedAtOnce(() => limited(wait(11)), { deadlineMs: 10_000 })
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ retryAfterMs: 11_000, status: 429 })
  })

  test('longer than maxRetryAfterMs of the call, and than 0 of the client', async () => {
    expect(await rejectedAtOnce(() => refusal(500, 'x', wait(1)), { retry: { maxRetryAfterMs: 0 } })).toMatchObject({
      retryAfterMs: 1_000,
    })
    const { client, clock } = setup(() => refusal(500, 'x', wait(2)))
    const outcome = watch(client.etn.price({}, { retry: { maxRetryAfterMs: 1_999 } }))
    await clock.advance(0)
    expect(outcome.error).toMatchObject({ retryAfterMs: 2_000, attempts: 1 })
  })

  test('when the backoff is longer than what is left of the deadline', async () => {
    const { client, clock } = setup(() => refusal(500, 'x'), { deadlineMs: 400 })
    clock.randomValue = 0.9
    const outcome = watch(client.etn.price())
    await clock.advance(0)
    expect(outcome.error).toMatchObject({ name: 'ServiceError', attempts: 1 })
  })
})
