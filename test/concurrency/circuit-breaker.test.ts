import { describe, expect, test, vi } from 'vitest'
import { LightAbortController } from '../../src/concurrency/cancellation.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../src/concurrency/circuit-breaker.ts'
import type { Permit } from '../../src/concurrency/permit.ts'
import { createVirtualClock, flush } from '../support/clock.ts'
import { type Outcome, watch } from '../support/setup.ts'

const never = new LightAbortController()
const anyWait = { signal: never, arrival: 1, rejectWait: () => undefined }

function acquire(breaker: CircuitBreaker): Outcome<Permit> {
  return watch(breaker.acquire(anyWait))
}

/** Opens the breaker: the service refuses a request. */
function open(breaker: CircuitBreaker, forMs: number): number | undefined {
  return breaker.tryAcquire()?.refuse(forMs)
}

const states = (outcomes: readonly Outcome<Permit>[]) => outcomes.map(({ state }) => state)
const permitted = (outcomes: readonly Outcome<Permit>[]) => outcomes.filter(({ state }) => state === 'resolved').length

function openBreaker(forMs: number) {
  const clock = createVirtualClock()
  const breaker = createCircuitBreaker(clock)
  expect(open(breaker, forMs)).toBe(forMs)
  return { clock, breaker }
}

describe('a closed circuit breaker', () => {
  test('permits every request', async () => {
    const breaker = createCircuitBreaker(createVirtualClock())
    const outcomes = [acquire(breaker), acquire(breaker), acquire(breaker)]
    await flush()
    expect(permitted(outcomes)).toBe(3)
    expect(breaker.tryAcquire()).toBeDefined()
    expect(breaker.waitError({ rejectWait: () => new Error('too long') })).toBeUndefined()
  })

  test('is idle only while no request is in flight and no refusal is recent', async () => {
    const clock = createVirtualClock()
    const breaker = createCircuitBreaker(clock)
    expect(breaker.isIdle).toBe(true)
    const permit = breaker.tryAcquire()
    expect(breaker.isIdle).toBe(false)
    permit?.end('succeeded')
    expect(breaker.isIdle).toBe(true)
    open(breaker, 1_000)
    expect(breaker.isIdle).toBe(false)
    await clock.advance(1_000)
    breaker.tryAcquire()?.end('succeeded')
    expect(breaker.isIdle).toBe(false)
    await clock.advance(60_000)
    expect(breaker.isIdle).toBe(true)
  })
})

describe('an open circuit breaker', () => {
  test('permits no request before its time is over', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const outcome = acquire(breaker)
    await clock.advance(999)
    expect(outcome.state).toBe('pending')
    expect(breaker.tryAcquire()).toBeUndefined()
    await clock.advance(1)
    expect(outcome.state).toBe('resolved')
  })

  test('stays open for the longer of two refusals', async () => {
    const clock = createVirtualClock()
    const breaker = createCircuitBreaker(clock)
    const [first, second] = [breaker.tryAcquire(), breaker.tryAcquire()]
    first?.refuse(5_000)
    expect(second?.refuse(1_000)).toBe(5_000)
    const outcome = acquire(breaker)
    await clock.advance(4_999)
    expect(outcome.state).toBe('pending')
    await clock.advance(1)
    expect(outcome.state).toBe('resolved')
  })

  test('waits longer than asked after more than three refusals in a minute', async () => {
    const { clock, breaker } = openBreaker(500)
    const waits: (number | undefined)[] = []
    for (let refusal = 0; refusal < 6; refusal++) {
      await clock.advance(waits.at(-1) ?? 500)
      waits.push(open(breaker, 500))
    }
    expect(waits).toEqual([500, 500, 2_000, 4_000, 8_000, 8_000])
  })

  test('rejects with the reason of the signal and leaves no timer when the waiting request is aborted', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const caller = new AbortController()
    const outcome = watch(breaker.acquire({ ...anyWait, signal: caller.signal }))
    await flush()
    expect(clock.pending).toBe(1)
    caller.abort('enough')
    await flush()
    expect(outcome).toMatchObject({ state: 'rejected', error: 'enough' })
    expect(clock.pending).toBe(0)
  })

  test('rejects a request whose signal has already aborted', async () => {
    const { breaker } = openBreaker(1_000)
    await expect(breaker.acquire({ ...anyWait, signal: AbortSignal.abort('before') })).rejects.toBe('before')
  })

  test('permits the next request when the first in the queue is aborted', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const caller = new AbortController()
    watch(breaker.acquire({ ...anyWait, signal: caller.signal }))
    const next = acquire(breaker)
    caller.abort()
    await clock.advance(1_000)
    expect(next.state).toBe('resolved')
  })

  test('rejects a request that may not wait as long, on arrival and when the wait is extended', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const tooLong = new Error('too long')
    const impatient = { signal: never, arrival: 1, rejectWait: (ms: number) => (ms > 2_000 ? tooLong : undefined) }
    const waiting = watch(breaker.acquire(impatient))
    await clock.advance(1_000)
    const later = watch(breaker.acquire(impatient))
    await flush()
    expect([waiting.state, later.state]).toEqual(['resolved', 'pending'])
    waiting.value?.refuse(3_000)
    await flush()
    expect(later.error).toBe(tooLong)
    await expect(breaker.acquire(impatient)).rejects.toBe(tooLong)
    expect(breaker.waitError(impatient)).toBe(tooLong)
    expect(clock.pending).toBe(0)
  })

  test('calls its listeners each time it opens, until they stop listening', () => {
    const breaker = createCircuitBreaker(createVirtualClock())
    const permits = Array.from({ length: 3 }, () => breaker.tryAcquire())
    const listener = vi.fn()
    const stop = breaker.onOpen(listener)
    permits[0]?.refuse(1_000)
    permits[1]?.refuse(1_000)
    stop()
    permits[2]?.refuse(1_000)
    expect(listener).toHaveBeenCalledTimes(2)
  })

  test('permits the request that arrived first, also when it comes back later', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const first = acquire(breaker)
    const returning = watch(breaker.acquire({ ...anyWait, arrival: 0 }))
    await clock.advance(1_000)
    expect(states([first, returning])).toEqual(['pending', 'resolved'])
  })
})

describe('a half-open circuit breaker', () => {
  test('permits one probe first, and the other requests when the probe succeeds', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const outcomes = [acquire(breaker), acquire(breaker), acquire(breaker)]
    await clock.advance(5_000)
    expect(states(outcomes)).toEqual(['resolved', 'pending', 'pending'])
    outcomes[0]?.value?.end('succeeded')
    await flush()
    expect(permitted(outcomes)).toBe(3)
  })

  test('permits one more request at a time with each success', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const outcomes = Array.from({ length: 20 }, () => acquire(breaker))
    await clock.advance(1_000)
    const counts: number[] = []
    for (let step = 0; step < 4; step++) {
      counts.push(permitted(outcomes))
      outcomes[step]?.value?.end('succeeded')
      await flush()
    }
    expect(counts).toEqual([1, 3, 5, 7])
  })

  test('permits one request at a time while the probes fail', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const outcomes = [acquire(breaker), acquire(breaker), acquire(breaker)]
    await clock.advance(1_000)
    outcomes[0]?.value?.end('failed')
    await flush()
    expect(states(outcomes)).toEqual(['resolved', 'resolved', 'pending'])
  })

  test('permits the next request when the probe was never sent', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const outcomes = [acquire(breaker), acquire(breaker), acquire(breaker)]
    await clock.advance(1_000)
    outcomes[0]?.value?.end('unused')
    await flush()
    expect(states(outcomes)).toEqual(['resolved', 'resolved', 'pending'])
  })

  test('counts a permit that ends twice once', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const outcomes = Array.from({ length: 4 }, () => acquire(breaker))
    await clock.advance(1_000)
    const [probe] = outcomes
    probe?.value?.end('failed')
    probe?.value?.end('failed')
    expect(probe?.value?.refuse(5_000)).toBe(0)
    await flush()
    expect(permitted(outcomes)).toBe(2)
  })

  test('opens again when the probe is refused', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const outcomes = [acquire(breaker), acquire(breaker)]
    await clock.advance(1_000)
    outcomes[0]?.value?.refuse(3_000)
    await clock.advance(2_999)
    expect(states(outcomes)).toEqual(['resolved', 'pending'])
    await clock.advance(1)
    expect(permitted(outcomes)).toBe(2)
  })

  test('closes when a probe has succeeded and no request waits', async () => {
    const { clock, breaker } = openBreaker(1_000)
    const probe = acquire(breaker)
    await clock.advance(1_000)
    probe.value?.end('succeeded')
    const outcomes = Array.from({ length: 5 }, () => acquire(breaker))
    await flush()
    expect(permitted(outcomes)).toBe(5)
  })
})
