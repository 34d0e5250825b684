import fc from 'fast-check'
import { expect } from 'vitest'
import { testProperty } from '../support/property.ts'
import { MINUTE, SECOND } from './setup.ts'
import { type Delivery, fault, type Plan, type Sent, simulate, toPlan, transientPlans } from './simulate.ts'

/** The attempt timeout and the longest backoff. */
const MAX_DELAY_MS = 15 * SECOND
/** The longest wait of an address that fails while others succeed: `MAX_RETRY_MS` of `src/feed/prices/price-buyer.ts`. */
const MAX_ISOLATION_MS = MINUTE

/** Each delivery to a watch, with the one before it for the same address. */
function* deliveriesOf(run: readonly Plan[], deliveries: readonly Delivery[]) {
  const byPlan = new Map(run.map((plan) => [plan, new Map<string, Delivery[]>()]))
  for (const delivery of deliveries) {
    const byAddress = byPlan.get(delivery.plan)
    const ofAddress = byAddress?.get(delivery.address)
    if (ofAddress) ofAddress.push(delivery)
    else byAddress?.set(delivery.address, [delivery])
  }
  for (const [plan, byAddress] of byPlan) {
    for (const address of plan.addresses) {
      let before: Delivery | undefined
      for (const delivery of byAddress.get(address) ?? []) {
        yield { plan, before, delivery }
        before = delivery
      }
      yield { plan, before, delivery: undefined }
    }
  }
}

/** Whether an answer between two times was slower than every answer before. */
function hadSlowAnswer(sent: readonly Sent[], since: number, until: number): boolean {
  const before = sent.filter(({ at, tookMs }) => at + tookMs < since)
  const slowest = Math.max(0, ...before.map(({ tookMs }) => tookMs))
  return sent.some(({ at, tookMs }) => at + tookMs >= since && at <= until && tookMs > slowest)
}

testProperty(
  'no price is older than its watch allows while no answer is slower than every answer before',
  () => {
    const latencies = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_500 })), {
      minLength: 1,
      maxLength: 40,
    })
    return fc.asyncProperty(transientPlans, latencies, async (run, latencies) => {
      const { deliveries, sent, left } = await simulate(run, { latencies })
      expect(left).toBe(0)
      const slowest = Math.max(...latencies)
      for (const { plan, before, delivery } of deliveriesOf(run, deliveries)) {
        // The window and the first answer.
        const first = plan.from + 5 + slowest
        const until = delivery?.deliveredAt ?? plan.to
        if (until <= first) continue
        if (before === undefined) throw new Error(`no price of ${plan.addresses[0]} and those beside it by ${until}`)
        const ageMs = until - before.at
        if (ageMs <= plan.everyMs) continue
        // A price is late by at most the latency of the slow answer.
        expect(hadSlowAnswer(sent, before.at, until)).toBe(true)
        expect(ageMs).toBeLessThanOrEqual(plan.everyMs + slowest)
      }
    })
  },
  { cases: 8 },
)

testProperty(
  'prices that are too old because the service fails are marked stale, and new ones arrive at most an interval or a minute after it recovers',
  () => {
    const faults = fc.array(fault, { minLength: 1, maxLength: 3 })
    const until = fc.integer({ min: 0, max: 15 * MINUTE })
    return fc.asyncProperty(
      transientPlans,
      faults,
      fc.double({ min: 0.05, max: 1, noNaN: true }),
      until,
      fc.nat(1_000),
      async (run, faults, chance, until, seed) => {
        const { deliveries, left } = await simulate(run, { faults, chance, until, seed })
        expect(left).toBe(0)
        for (const { plan, before, delivery } of deliveriesOf(run, deliveries)) {
          const next = delivery?.deliveredAt ?? plan.to
          const isLate = next > (before?.at ?? plan.from) + plan.everyMs + MAX_DELAY_MS
          if (before && isLate) expect(before.stale).toBe(true)
          // A request that may have been wasted is repeated after its interval, or when another request succeeds.
          // An address that failed alone waits for its interval or for a minute, whichever is longer.
          const again = Math.max(plan.from, until) + Math.max(plan.everyMs, MAX_ISOLATION_MS) + MAX_DELAY_MS
          if (isLate) expect(next).toBeLessThanOrEqual(again)
        }
      },
    )
  },
  {
    cases: 8,
    examples: [
      // An address failed alone again and again, until it waited for a minute, which is longer than its interval.
      [
        [
          toPlan({ first: 0, count: 1, everyMs: 30 * SECOND, from: 0 }),
          toPlan({ first: 1, count: 1, everyMs: 37 * SECOND, from: 5 * SECOND }),
        ],
        [{ status: 500 }],
        0.8,
        12 * MINUTE,
        17,
      ],
      // Two addresses failed alone and waited for the interval of the first watch, though a watch with a shorter one joined.
      [
        [
          toPlan({ first: 5, count: 5, everyMs: 5 * MINUTE, from: 328_355, lasts: 114_267 }),
          toPlan({ first: 3, count: 2, everyMs: 5 * MINUTE, from: 318_602 }),
          toPlan({ first: 2, count: 2, everyMs: 1_064_413, from: 31_215 }),
          toPlan({ first: 0, count: 3, everyMs: 72_585, from: 716_762 }),
          toPlan({ first: 8, count: 2, everyMs: 555_433, from: 763_108 }),
        ],
        [{ reset: 'after' }, { malformed: true }, { reset: 'after' }],
        0.15684139311523015,
        597_108,
        698,
      ],
    ],
  },
)
