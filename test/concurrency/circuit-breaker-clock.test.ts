import { describe, expect, test } from 'vitest'
import { LightAbortController } from '../../src/concurrency/cancellation.ts'
import { createCircuitBreaker } from '../../src/concurrency/circuit-breaker.ts'
import { createVirtualClock, flush, START, type VirtualClock } from '../support/clock.ts'
import { watch } from '../support/setup.ts'

const HOUR = 3_600_000
const request = { signal: new LightAbortController(), arrival: 1, rejectWait: () => undefined }

/** A breaker that opens for ten seconds, with one request that waits. */
function openBreaker(hasMonotonic: boolean) {
  const clock = createVirtualClock(START, hasMonotonic)
  const breaker = createCircuitBreaker(clock)
  breaker.tryAcquire()?.refuse(10_000)
  return { clock, breaker, waiting: watch(breaker.acquire(request)) }
}

/** The wait that the breaker reports. */
function reportedWait(breaker: ReturnType<typeof createCircuitBreaker>): number {
  let reported = 0
  breaker.waitError({
    rejectWait(waitMs) {
      reported = waitMs
      return undefined
    },
  })
  return reported
}

describe.each([
  ['with a monotonic clock', true],
  ['without a monotonic clock', false],
])('the wall clock steps during a cool-down, %s', (_, hasMonotonic) => {
  test.each([
    ['back one hour', -HOUR],
    ['forward one hour', HOUR],
    ['forward ten years', 10 * 365 * 24 * HOUR],
    ['back one second', -1_000],
  ])('%s: a waiting request is permitted when the ten seconds are over, and not before', async (_, step) => {
    const { clock, waiting } = openBreaker(hasMonotonic)
    await clock.advance(4_000)
    clock.stepWallClock(step)
    await clock.advance(5_999)
    expect(waiting.state).toBe('pending')
    await clock.advance(1)
    expect(waiting.state).toBe('resolved')
  })

  test.each([
    ['back', -HOUR],
    ['forward', HOUR],
  ])('%s: the reported wait is never longer than the cool-down', async (_, step) => {
    const { clock, breaker } = openBreaker(hasMonotonic)
    await clock.advance(4_000)
    clock.stepWallClock(step)
    expect(reportedWait(breaker)).toBeGreaterThan(0)
    expect(reportedWait(breaker)).toBeLessThanOrEqual(hasMonotonic ? 6_000 : 10_000)
  })

  test.each([
    ['back', -HOUR],
    ['forward', HOUR],
  ])('%s: a request that arrives afterwards waits no longer than the cool-down', async (_, step) => {
    const clock = createVirtualClock(START, hasMonotonic)
    const breaker = createCircuitBreaker(clock)
    breaker.tryAcquire()?.refuse(10_000)
    await clock.advance(4_000)
    clock.stepWallClock(step)
    const later = watch(breaker.acquire(request))
    await clock.advance(10_000)
    expect(later.state).toBe('resolved')
  })

  test('back: refusals are forgotten after a minute', async () => {
    const { clock, breaker, waiting } = openBreaker(hasMonotonic)
    clock.stepWallClock(-HOUR)
    await clock.advance(10_000)
    waiting.value?.end('succeeded')
    await clock.advance(60_000)
    expect(breaker.isIdle).toBe(true)
  })
})

describe('a cool-down whose timer fires late', () => {
  const open = (clock: VirtualClock) => {
    const breaker = createCircuitBreaker(clock)
    breaker.tryAcquire()?.refuse(1_000)
    return breaker
  }

  test.each([true, false])('permits the first request before a later one (monotonic clock: %j)', async (has) => {
    const clock = createVirtualClock(START, has)
    const breaker = open(clock)
    const first = watch(breaker.acquire(request))
    await flush()
    clock.jump(1_000)
    const second = watch(breaker.acquire(request))
    await clock.advance(0)
    expect([first.state, second.state]).toEqual(['resolved', 'pending'])
  })

  test('permits a request at once with a monotonic clock, when the time is over and no request waits', () => {
    const clock = createVirtualClock(START, true)
    const breaker = open(clock)
    clock.jump(1_000)
    expect(breaker.tryAcquire()).toBeDefined()
  })
})
