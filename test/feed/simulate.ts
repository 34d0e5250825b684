import { createClient } from 'etn-market'
import { createFakeService, type FaultEffects } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import fc from 'fast-check'
import { createRunningClock, createVirtualClock } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
import { createRandom } from '../support/random.ts'
import '../../src/generated/answer-schemas.ts'
import { MINUTE, SECOND } from './setup.ts'

/** A watch of some of eighty addresses, for some time. */
export interface Plan {
  addresses: readonly string[]
  everyMs: number
  from: number
  to: number
}

export interface Delivery {
  plan: Plan
  address: string
  at: number
  deliveredAt: number
  stale: boolean
}

export interface Sent {
  at: number
  tookMs: number
}

/** How much time is simulated: more than a round of the longest interval, six of five minutes, sixty of the shortest. */
export const SPAN = 30 * MINUTE

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
export const toPlan = ({
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
export const transientPlans = plansOf(
  fc.record({ ...watcher, lasts: fc.oneof(fc.constant(SPAN), fc.integer({ min: 1, max: SPAN })) }).map(toPlan),
)

export const fault: fc.Arbitrary<FaultEffects> = fc.constantFrom<FaultEffects>(
  { reset: 'after' },
  { reset: 'before' },
  { never: true },
  { malformed: true },
  { truncate: 0.5 },
  { status: 500 },
  { status: 503, retryAfter: '3' },
  { status: 429, retryAfter: '2' },
  { html: 502, charge: true },
  { creditHeaders: 'missing' },
)

export interface Circumstances {
  /** Latencies of the answers in turn, repeated. */
  latencies?: readonly number[]
  faults?: readonly FaultEffects[]
  chance?: number
  /** When the faults end, in milliseconds since the start. */
  until?: number
  /** Selects the requests with faults. */
  seed?: number
}

/** Simulates `SPAN`. Returns every request and delivery. Times are in milliseconds since the start. */
export async function simulate(run: readonly Plan[], circumstances: Circumstances = {}) {
  const { latencies = [0], faults = [], chance = 0, until = SPAN, seed = 1 } = circumstances
  const clock = createVirtualClock()
  clock.randomValue = 0.5
  const start = clock.now()
  const fake = createFakeService({ clock })
  const sent: Sent[] = []
  const transport = createDirectTransport(async (url, init) => {
    const tookMs = latencies[sent.length % latencies.length] ?? 0
    sent.push({ at: clock.now() - start, tookMs })
    if (tookMs > 0) await clock.sleep(tookMs, init.signal ?? undefined)
    return fake.fetch(url, init)
  })
  const client = createClient({ apiKey: fake.key, transport, clock, timeoutMs: 5 * SECOND })
  const feed = createPriceFeed(client, { clock })
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
  const left = clock.pending
  await client.close()
  await fake.close()
  return { deliveries, sent, left }
}
