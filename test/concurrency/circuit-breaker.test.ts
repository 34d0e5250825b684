import { expect, test } from 'vitest'
import { CircuitBreaker } from '../../src/concurrency/circuit-breaker.ts'
import { RefusalWindow } from '../../src/transport/refusal-window.ts'
import { createVirtualClock } from '../support/clock.ts'

// What calls and answers show of it is in test/behaviour/cooldown.test.ts.

test('a circuit breaker is idle only while no request is in flight and no refusal is recent', async () => {
  const clock = createVirtualClock()
  const breaker = new CircuitBreaker(clock, 'key', new RefusalWindow(clock))
  expect(breaker.isIdle).toBe(true)
  const permit = breaker.grant()
  expect(breaker.isIdle).toBe(false)
  permit.end('succeeded')
  expect(breaker.isIdle).toBe(true)
  breaker.grant().refuse(1_000)
  expect(breaker.isIdle).toBe(false)
  await clock.advance(1_000)
  breaker.grant().end('succeeded')
  expect(breaker.isIdle).toBe(false)
  await clock.advance(60_000)
  expect(breaker.isIdle).toBe(true)
})

test('a permit that ends twice counts once', async () => {
  const clock = createVirtualClock()
  const breaker = new CircuitBreaker(clock, 'key', new RefusalWindow(clock))
  breaker.grant().refuse(1_000)
  await clock.advance(1_000)
  const probe = breaker.grant()
  expect(breaker.isAvailable).toBe(false)
  probe.end('failed')
  probe.end('failed')
  expect(probe.refuse(5_000)).toBe(0)
  breaker.grant()
  expect(breaker.isAvailable).toBe(false)
})
