import { type ClientOptions, RateLimitError, ServiceError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, html, limited, networkError, ok, price, refusal, wait } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import type { Handler } from '../support/script.ts'
import { address, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

/** The waits between the attempts of one call, as its event tells and as the requests show. */
async function waitsOf(fail: Handler, luck: number, options: ClientOptions = {}, failures = 2): Promise<number[]> {
  const sentAt: number[] = []
  const made = setup(
    (exchange) => {
      sentAt.push(made.clock.now())
      return exchange.number <= failures ? fail(exchange) : ok(price(TOKEN), costs(50))
    },
    { deadlineMs: 1e9, ...options },
  )
  made.clock.luck = luck
  const outcome = watch(made.client.token.price({ address: TOKEN }))
  await made.clock.advance(5e8)
  expect(outcome.state).toBe('resolved')
  const waits = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
  const told = made.events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.waitMs] : []))
  expect(told.map(Math.round)).toEqual(waits.map(Math.round))
  return waits.map(Math.round)
}

describe('without a valid Retry-After: full jitter, base 500 ms, factor 2, ceiling 8 s', () => {
  const fail = () => networkError('ECONNRESET')
  const retry = { limit: 6 }

  test('the longest waits', async () => {
    expect(await waitsOf(fail, 1 - 1e-9, { retry }, 6)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000])
  })

  test('half of them', async () => {
    expect(await waitsOf(fail, 0.5, { retry }, 6)).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
  })

  test('full jitter begins at nothing', async () => expect(await waitsOf(fail, 0)).toEqual([0, 0]))

  test.each(['-1', '1.5', '1e3', '5s', 'soon', 'Mon, 30 Feb 2026 12:00:00 GMT'])(
    '%j is as if absent',
    async (value) => {
      expect(await waitsOf(() => refusal(500, 'x', wait(value)), 0.5)).toEqual([250, 500])
    },
  )

  test('as many retries as one likes overflow nothing', async () => {
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
  ])('%s: jitter only adds, up to a tenth of it', async (_, fail) => {
    expect(await waitsOf(fail, 0)).toEqual([5_000, 5_000])
    expect(await waitsOf(fail, 1 - 1e-9)).toEqual([5_500, 5_500])
  })

  test('jitter adds one second at most', async () => {
    expect(await waitsOf(() => refusal(500, 'x', wait(30)), 1 - 1e-9)).toEqual([31_000, 31_000])
  })

  test.each(['0', 'Sun, 06 Nov 1994 08:49:37 GMT'])('%j is the minimum backoff', async (value) => {
    for (const status of [500, 429]) {
      expect(await waitsOf(() => refusal(status, 'x', wait(value)), 0)).toEqual([500, 500])
      expect(await waitsOf(() => refusal(status, 'x', wait(value)), 1 - 1e-9)).toEqual([550, 550])
    }
  })

  test('a date counts from the Date of the answer, not from the local clock', async () => {
    const headers = { 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT', date: 'Tue, 01 Jan 2030 00:00:00 GMT' }
    expect(await waitsOf(() => refusal(500, 'x', headers), 0)).toEqual([7_000, 7_000])
  })

  test('the longest of several', async () => {
    expect(await waitsOf(() => refusal(500, 'x', { 'retry-after': ['3', 'soon', '9', '4'] }), 0)).toEqual([
      9_000, 9_000,
    ])
  })

  test('exactly maxRetryAfterMs is waited for, and jitter does not make it too long', async () => {
    expect(await waitsOf(() => refusal(500, 'x', wait(60)), 0.5)).toEqual([60_500, 60_500])
  })
})

describe('a wait that is too long is never shortened and never slept', () => {
  async function refusedAtOnce(fail: Handler, options: ClientOptions): Promise<unknown> {
    const { client, clock, script } = setup(fail, options)
    clock.luck = 0.9
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(0)
    expect(outcome.state).toBe('rejected')
    expect(script.requests).toHaveLength(1)
    expect(clock.pending).toBe(0)
    return outcome.error
  }

  test('longer than maxRetryAfterMs, 60 s by default', async () => {
    const error = await refusedAtOnce(() => refusal(500, 'x', wait(61)), { deadlineMs: 1e9 })
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ retryAfterMs: 61_000, status: 500, attempts: 1 })
  })

  test('longer than what is left of the deadline', async () => {
    const error = await refusedAtOnce(() => limited(wait(11)), { deadlineMs: 10_000 })
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ retryAfterMs: 11_000, status: 429 })
  })

  test('a wait of hundreds of digits', async () => {
    const error = await refusedAtOnce(() => refusal(500, 'x', wait('9'.repeat(400))), {})
    expect(error).toMatchObject({ retryAfterMs: Number.MAX_SAFE_INTEGER })
  })

  test('maxRetryAfterMs of one call, and 0 of a client', async () => {
    expect(await refusedAtOnce(() => refusal(500, 'x', wait(1)), { retry: { maxRetryAfterMs: 0 } })).toMatchObject({
      retryAfterMs: 1_000,
    })
    const { client, clock } = setup(() => refusal(500, 'x', wait(2)))
    const outcome = watch(client.etn.price({}, { retry: { maxRetryAfterMs: 1_999 } }))
    await clock.advance(0)
    expect(outcome.error).toMatchObject({ retryAfterMs: 2_000, attempts: 1 })
  })

  test('a backoff longer than what is left of the deadline is not begun either', async () => {
    const { client, clock } = setup(() => refusal(500, 'x'), { deadlineMs: 400 })
    clock.luck = 0.9
    const outcome = watch(client.etn.price())
    await clock.advance(0)
    expect(outcome.error).toMatchObject({ name: 'ServiceError', attempts: 1 })
  })
})

test('no wait is NaN, below 0 or beyond a timer, whatever the service says', async () => {
  const clock = createVirtualClock()
  for (const value of ['NaN', '-5', '1e999', '9'.repeat(30), 'Fri, 31 Dec 9999 23:59:59 GMT', '0']) {
    const { client } = setup(() => limited(wait(value)), {
      clock,
      retry: { maxRetryAfterMs: 2 ** 31 },
      deadlineMs: 2 ** 40,
    })
    const outcome = watch(client.etn.price())
    await clock.advance(10_000)
    expect(outcome.state).toBe('rejected')
  }
  expect(clock.waits.every((ms) => ms >= 0 && ms <= 2 ** 40)).toBe(true)
})
