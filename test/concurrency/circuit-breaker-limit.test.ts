import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LightAbortController } from '../../src/concurrency/cancellation.ts'
import { createCircuitBreaker } from '../../src/concurrency/circuit-breaker.ts'
import type { Permit, PermitResult } from '../../src/concurrency/permit.ts'
import { createVirtualClock, flush, START } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'

const MAX_REFUSALS = 15
const WINDOW_MS = 60_000

type Step =
  | { do: 'arrive'; count: number; comesBack: boolean }
  | { do: 'end'; which: number; result: PermitResult }
  | { do: 'refuse'; which: number; count: number; waitMs: number }
  | { do: 'abort'; which: number }
  | { do: 'wait'; ms: number }
  | { do: 'step wall clock'; ms: number }

const which = fc.nat({ max: 40 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('arrive'),
      count: fc.integer({ min: 1, max: 30 }),
      comesBack: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('end'),
      which,
      result: fc.constantFrom<PermitResult>('succeeded', 'failed', 'lost', 'unused'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('refuse'),
      which,
      count: fc.integer({ min: 1, max: 8 }),
      waitMs: fc.constantFrom(1, 500, 5_000, 60_000, 90_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort'), which }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(1, 499, 500, 2_000, 8_000, 30_000, 59_999) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('step wall clock'), ms: fc.constantFrom(-3_600_000, -1_000, 1e9) }),
  },
)

/** A breaker, and a count of its own of the requests in flight and of the refusals of the last minute. */
function createCountedBreaker() {
  const clock = createVirtualClock(START, true)
  const breaker = createCircuitBreaker(clock, MAX_REFUSALS)
  const waiting = new Set<LightAbortController>()
  const inFlight: Permit[] = []
  const refusedAt: number[] = []
  const time = () => clock.monotonic?.() ?? 0
  const recentRefusals = () => refusedAt.filter((at) => time() - at < WINDOW_MS).length
  let arrivals = 0
  let maxDuringRefusals = 0

  return {
    clock,
    waiting,
    inFlight,
    get maxDuringRefusals() {
      return maxDuringRefusals
    },
    arrive(comesBack: boolean) {
      const signal = new LightAbortController()
      waiting.add(signal)
      breaker.acquire({ signal, arrival: comesBack ? 0 : ++arrivals, rejectWait: () => undefined }).then(
        (permit) => {
          waiting.delete(signal)
          inFlight.push(permit)
          if (recentRefusals() > 0) maxDuringRefusals = Math.max(maxDuringRefusals, recentRefusals() + inFlight.length)
        },
        () => waiting.delete(signal),
      )
    },
    refuse(permit: Permit, waitMs: number) {
      refusedAt.push(time())
      permit.refuse(waitMs)
    },
  }
}

/** Removes one of a list, if there is any. */
const take = <T>(list: T[], index: number) => list.splice(index % Math.max(1, list.length), 1)[0]

testProperty(
  'refusals of the last minute and requests in flight together never exceed 15 after a refusal',
  fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
    const counted = createCountedBreaker()
    const { clock, waiting, inFlight } = counted
    for (const next of steps) {
      if (next.do === 'arrive') for (let i = 0; i < next.count; i++) counted.arrive(next.comesBack)
      else if (next.do === 'end') take(inFlight, next.which)?.end(next.result)
      else if (next.do === 'abort') [...waiting][next.which]?.abort('enough')
      else if (next.do === 'wait') await clock.advance(next.ms)
      else if (next.do === 'step wall clock') clock.stepWallClock(next.ms)
      else {
        for (const permit of inFlight.splice(next.which % Math.max(1, inFlight.length), next.count))
          counted.refuse(permit, next.waitMs)
      }
      await flush()
      expect(counted.maxDuringRefusals).toBeLessThanOrEqual(MAX_REFUSALS)
    }
    // The service recovers: every request is permitted, still below the limit.
    for (let round = 0; round < 200 && waiting.size + inFlight.length > 0; round++) {
      for (const permit of inFlight.splice(0)) permit.end('succeeded')
      await clock.advance(1_000)
    }
    expect(counted.maxDuringRefusals).toBeLessThanOrEqual(MAX_REFUSALS)
    expect(waiting.size + inFlight.length).toBe(0)
    expect(clock.pending).toBe(0)
  }),
  { cases: 150 },
)

test('a service that refuses every request sees at most 15 requests in any minute', async () => {
  const counted = createCountedBreaker()
  const { clock, inFlight } = counted
  const sentAt: number[] = []
  counted.arrive(false)
  await flush()
  for (let call = 0; call < 500; call++) {
    for (const permit of inFlight.splice(0)) {
      sentAt.push(clock.now())
      counted.refuse(permit, 1)
    }
    counted.arrive(call % 2 === 0)
    await clock.advance(500)
  }
  const perMinute = sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + WINDOW_MS).length)
  expect(Math.max(...perMinute)).toBeLessThanOrEqual(MAX_REFUSALS)
  expect(sentAt.length).toBeGreaterThan(20)
})
