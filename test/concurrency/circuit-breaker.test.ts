import { expect, test } from 'vitest'
import { LightAbortController } from '../../src/concurrency/cancellation.ts'
import { CircuitBreaker } from '../../src/concurrency/circuit-breaker.ts'
import { createVirtualClock } from '../support/clock.ts'
import { watch } from '../support/setup.ts'

// What calls and answers show of it is in test/behaviour/cooldown.test.ts.

test('a circuit breaker is idle only while no request is in flight and no refusal is recent', async () => {
  const clock = createVirtualClock()
  const breaker = new CircuitBreaker(clock, 'key')
  expect(breaker.isIdle).toBe(true)
  const permit = breaker.tryAcquire()
  expect(breaker.isIdle).toBe(false)
  permit?.end('succeeded')
  expect(breaker.isIdle).toBe(true)
  breaker.tryAcquire()?.refuse(1_000)
  expect(breaker.isIdle).toBe(false)
  await clock.advance(1_000)
  breaker.tryAcquire()?.end('succeeded')
  expect(breaker.isIdle).toBe(false)
  await clock.advance(60_000)
  expect(breaker.isIdle).toBe(true)
})

test('a permit that ends twice counts once', async () => {
  const clock = createVirtualClock()
  const breaker = new CircuitBreaker(clock, 'key')
  breaker.tryAcquire()?.refuse(1_000)
  const request = { signal: new LightAbortController(), arrival: 1, rejectWait: () => undefined }
  const outcomes = Array.from({ length: 4 }, () => watch(breaker.acquire(request)))
  await clock.advance(1_000)
  const probe = outcomes[0]?.value
  probe?.end('failed')
  probe?.end('failed')
  expect(probe?.refuse(5_000)).toBe(0)
  await clock.advance(0)
  expect(outcomes.filter(({ state }) => state === 'resolved')).toHaveLength(2)
})
