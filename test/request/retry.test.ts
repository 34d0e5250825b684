import { expect, test } from 'vitest'
import { ConnectionError, RateLimitError, ServerBusyError } from '../../src/errors/api.ts'
import { cooldownError, cooldownOf, retryDelay } from '../../src/request/retry.ts'

const MAX_MS = 60_000
const limited = (retryAfterMs?: number) => new RateLimitError('', { code: 'rate_limited', status: 429, retryAfterMs })
const busy = (retryAfterMs?: number) => new ServerBusyError('', { code: 'server_busy', status: 503, retryAfterMs })
const lost = new ConnectionError('', { code: 'connection_failed' })

test.each([
  // Without a wait of the service: full jitter below 500 ms, twice as long for each attempt, 8 s at most.
  [undefined, 1, 0, MAX_MS, 0],
  [undefined, 1, 0.5, MAX_MS, 250],
  [undefined, 2, 0.5, MAX_MS, 500],
  [undefined, 5, 0.5, MAX_MS, 4_000],
  [undefined, 9, 0.5, MAX_MS, 4_000],
  [undefined, 2, 0.5, 500, 500],
  [undefined, 2, 0.5, 499, undefined],
  // With one: never earlier, a little later if there is time, and not at all where it is longer than the call allows.
  [10_000, 1, 0, MAX_MS, 10_000],
  [0, 1, 0, MAX_MS, 500],
  [10_000, 1, 0, 10_000, 10_000],
  [10_000, 1, 1, 10_000, 10_000],
  [10_000, 1, 1, 10_500, 10_250],
  [10_000, 1, 1, 13_000, 11_000],
  [10_000, 1, 0, 9_999, undefined],
  [MAX_MS, 1, 0, 2 * MAX_MS, MAX_MS],
  [MAX_MS + 1, 1, 0, 2 * MAX_MS, undefined],
])('a wait of %s ms, attempt %i, random %d, with %i ms left: %s ms', (retryAfterMs, attempt, random, left, delayMs) => {
  const state = { attempt, random, remainingMs: left, maxRetryAfterMs: MAX_MS }
  expect(retryDelay(limited(retryAfterMs), state)).toBe(delayMs)
})

test.each([
  ['a 429', limited(10_000), { scope: 'key', waitMs: 10_000 }],
  ['a 429 without a wait', limited(), { scope: 'key', waitMs: 500 }],
  ['a 429 with a wait of 0', limited(0), { scope: 'key', waitMs: 500 }],
  ['a 429 with a wait that is too long', limited(2 * MAX_MS), { scope: 'key', waitMs: MAX_MS }],
  ['a 503 with a wait', busy(10_000), { scope: 'heavy', waitMs: 10_000 }],
  ['a 503 without a wait', busy(), undefined],
  ['a lost answer', lost, undefined],
  ['the 429 of a forward proxy', new ConnectionError('', { code: 'proxy_refused', status: 429 }), undefined],
  ['another error', new Error('status 429'), undefined],
])('%s holds back what it concerns', (_, error, cooldown) => {
  expect(cooldownOf(error, MAX_MS)).toEqual(cooldown)
})

test.each([
  [10_000, 20_000, undefined],
  [MAX_MS, 2 * MAX_MS, undefined],
  [MAX_MS + 1, 2 * MAX_MS, MAX_MS + 1],
  [10_000, 10_000, 10_000],
])('a call waits %i ms of a cool-down where it has %i ms, or says how long it is', (waitMs, remainingMs, told) => {
  for (const [scope, name] of [
    ['key', 'RateLimitError'],
    ['heavy', 'ServerBusyError'],
  ] as const) {
    const error = cooldownError(scope, waitMs, { remainingMs, maxRetryAfterMs: MAX_MS }, 'token.price')
    expect(error && [error.name, error.retryAfterMs, error.operation]).toEqual(told && [name, told, 'token.price'])
  }
})
