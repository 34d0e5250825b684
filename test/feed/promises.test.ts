import { createClient } from 'etn-market'
import { createFakeService, type FaultEffects } from 'etn-market/fake'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createRunningClock } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
import { testProperty } from '../support/property.ts'
import { createRandom } from '../support/random.ts'
import { type FeedSetup, MINUTE, SECOND, setupFeed } from './setup.ts'

/** A watch of some of eighty addresses, for some time. */
interface Plan {
  addresses: readonly string[]
  everyMs: number
  from: number
  to: number
}

interface Delivery {
  plan: Plan
  address: string
  at: number
  deliveredAt: number
  stale: boolean
}

interface Sent {
  at: number
  tookMs: number
}

/** How much time is simulated: more than a round of the longest interval, six of five minutes, sixty of the shortest. */
const SPAN = 30 * MINUTE

/** Listed tokens with a price, because the others are free. */
const tokens = await listTokens()

async function listTokens(): Promise<string[]> {
  const fake = createFakeService({ clock: createRunningClock() })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const listed = await client.token.list({ limit: 100 })
  const prices = await client.prices.batch({ addresses: listed.map(({ address }) => address) })
  await client.close()
  await fake.close()
  // The order of the list depends on the time.
  return listed
    .map(({ address }) => address)
    .filter((address) => prices[address] !== null)
    .sort()
}

const watcher = {
  first: fc.nat(20),
  // Mostly small, because each address takes time, and around the 50 that one request holds.
  count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 40, max: 60 })),
  everyMs: fc.oneof(
    fc.constantFrom(MINUTE, 5 * MINUTE, 10 * MINUTE),
    fc.integer({ min: 30 * SECOND, max: 20 * MINUTE }),
  ),
  from: fc.integer({ min: 0, max: SPAN / 2 }),
}
/** A watch of `count` tokens, from number `first`. */
const toPlan = ({
  first,
  count,
  everyMs,
  from,
  lasts = SPAN,
}: Record<'first' | 'count' | 'everyMs' | 'from', number> & { lasts?: number }): Plan => ({
  addresses: tokens.slice(first, first + count),
  everyMs,
  from,
  to: Math.min(SPAN, from + lasts),
})
const plansOf = (one: fc.Arbitrary<Plan>) => fc.array(one, { minLength: 1, maxLength: 6 })

/** Watches that last to the end, and watches of any length. */
const transientPlans = plansOf(
  fc.record({ ...watcher, lasts: fc.oneof(fc.constant(SPAN), fc.integer({ min: 1, max: SPAN })) }).map(toPlan),
)

const fault: fc.Arbitrary<FaultEffects> = fc.constantFrom<FaultEffects>(
  { reset: 'after' },
  { reset: 'before' },
  { never: true },
  { malformed: true },
  { truncate: 0.5 },
  { status: 500 },
  { status: 503, retryAfter: '3' },
  { status: 429, retryAfter: '2' },
  { front: 'nginx' },
  { creditHeaders: 'missing' },
)

interface Circumstances {
  /** Latencies of the answers in turn, repeated. */
  latencies?: readonly number[]
  faults?: readonly FaultEffects[]
  chance?: number
  /** When the faults end, in milliseconds since the start. */
  until?: number
  /** Selects the requests with faults. */
  seed?: number
}

/** Plays the watches for `SPAN`. Returns every request and delivery. Times are in milliseconds since the start. */
async function play(run: readonly Plan[], circumstances: Circumstances = {}) {
  const { latencies = [0], faults = [], chance = 0, until = SPAN, seed = 1 } = circumstances
  const sent: Sent[] = []
  const transport = createDirectTransport(async (url, init) => {
    const tookMs = latencies[sent.length % latencies.length] ?? 0
    sent.push({ at: clock.now() - start, tookMs })
    if (tookMs > 0) await clock.sleep(tookMs, init.signal ?? undefined)
    return fake.fetch(url, init)
  })
  const made: FeedSetup = setupFeed({}, {}, { transport, timeoutMs: 5 * SECOND })
  const { clock, fake, feed } = made
  clock.randomValue = 0.5
  const start = clock.now()
  const random = createRandom(seed)
  const handles = faults.map((effect) =>
    fake.fault({ ...effect, when: () => random() < chance, times: Number.POSITIVE_INFINITY }),
  )
  const deliveries: Delivery[] = []
  const moments = run.flatMap((one) => {
    const ending = new AbortController()
    const begin = () =>
      feed.watch(one.addresses, {
        everyMs: one.everyMs,
        signal: ending.signal,
        onPrice: ({ address, at, stale }) =>
          void deliveries.push({ plan: one, address, at: at - start, deliveredAt: clock.now() - start, stale }),
      })
    return [
      { at: one.from, act: begin },
      { at: one.to, act: () => ending.abort() },
    ]
  })
  moments.push({
    at: until,
    act() {
      for (const handle of handles) handle.remove()
    },
  })
  for (const { at, act } of moments.sort((a, b) => a.at - b.at)) {
    await clock.advance(start + at - clock.now())
    act()
  }
  await clock.advance(start + SPAN - clock.now())
  await feed.close()
  return { deliveries, sent, left: clock.pending }
}

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
      const { deliveries, sent, left } = await play(run, { latencies })
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
  { cases: 5 },
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
        const { deliveries, left } = await play(run, { faults, chance, until, seed })
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
    cases: 5,
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
