import { createClient } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BASE, creditsFor } from '../../src/credits/batch-cost.ts'
import { testProperty } from '../support/property.ts'
import { omitStacks } from '../support/short-stacks.ts'
import { MINUTE, SECOND, setupFeed } from './setup.ts'
import { fault, type Plan, permanentPlans, simulate, toPlan, transientPlans } from './simulate.ts'

omitStacks()

const HOUR = 60 * MINUTE

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** The cost of one call per watcher, in the cheapest requests. */
const oneCallEach = (run: readonly Plan[]) => sum(run.map(({ addresses }) => creditsFor(addresses.length)))

/** The cost of separate batches by a time: each watcher makes a call when it starts, and then once per interval. */
function separateBatches(run: readonly Plan[], by: number): number {
  return sum(
    run.map(({ addresses, everyMs, from, to }) => {
      const lasted = Math.min(to, by + 1) - from
      return lasted > 0 ? creditsFor(addresses.length) * Math.ceil(lasted / everyMs) : 0
    }),
  )
}

/** The greatest difference between the feed and separate batches at any time, by the ledger of the service. */
async function greatestExcess(run: readonly Plan[], latencyMs = 0): Promise<number> {
  const { charges } = await simulate(run, { latencies: [latencyMs] })
  // Separate batches have to be sent earlier by the latency too, with the same margin.
  const polls = run.map((one) => ({ ...one, everyMs: one.everyMs - Math.ceil(1.25 * latencyMs) }))
  let spent = 0
  const excess = charges.map(({ at, credits }) => {
    spent += credits
    return spent - separateBatches(polls, at)
  })
  return Math.max(0, ...excess)
}

/*
 * A feed that never costs a credit more than separate batches cannot merge two watches, because merging buys one of them early,
 * before it is known whether both stay. Two watches of 3 tokens every 10 minutes that start 5 minutes apart cost 130 and 130
 * separately. The feed buys the first three again with the second watch, for 160, and has spent 30 more. If both stay, it saves
 * 100 every 10 minutes from then on.
 *
 * The bound: feed(T) <= separate(T) + two calls per watcher, at every T. The token bucket fills as fast as separate batches
 * spend, plus one call per watcher. A batch that it covers never overdraws it. Without cover, a watch with a due address buys all of its
 * addresses, none of which is due again before its interval is over, so each watch overdraws the bucket by one call at most.
 */
testProperty(
  'the feed never costs more than separate batches plus two calls per watcher, at any time, while watchers come and go',
  () => {
    const latencyMs = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_500 }))
    return fc.asyncProperty(transientPlans, latencyMs, async (run, latencyMs) => {
      expect(await greatestExcess(run, latencyMs)).toBeLessThanOrEqual(2 * oneCallEach(run))
    })
  },
  { cases: 12 },
)

testProperty(
  'between any two times the feed costs at most three calls per watcher more than separate batches',
  () =>
    fc.asyncProperty(permanentPlans, async (run) => {
      const { charges } = await simulate(run)
      expect(charges.length).toBeGreaterThan(0)
      let spent = 0
      let least = 0
      for (const { at, credits } of charges) {
        least = Math.min(least, spent - separateBatches(run, at - 1))
        spent += credits
        expect(spent - separateBatches(run, at) - least).toBeLessThanOrEqual(3 * oneCallEach(run))
      }
    }),
  { cases: 12 },
)

test.each<[string, Plan[]]>([
  [
    'a watcher leaves that bought a part of another watch at a different time',
    [
      toPlan({ first: 0, count: 24, everyMs: MINUTE, from: 0, lasts: 5 * MINUTE }),
      toPlan({ first: 9, count: 48, everyMs: MINUTE, from: 20 * SECOND }),
    ],
  ],
  [
    'intervals never coincide, so that buying early saves nothing',
    [
      toPlan({ first: 0, count: 14, everyMs: 47_788, from: 0 }),
      toPlan({ first: 20, count: 1, everyMs: 30_000, from: 35_000 }),
      toPlan({ first: 21, count: 1, everyMs: 54_028, from: 47_000 }),
      toPlan({ first: 22, count: 1, everyMs: 6_020, from: 0 }),
    ],
  ],
])('the cost bound holds when %s', async (_, run) => {
  expect(await greatestExcess(run)).toBeLessThanOrEqual(2 * oneCallEach(run))
})

const sharing = fc
  .record({
    everyMs: fc.integer({ min: 20 * SECOND, max: 2 * MINUTE }),
    longer: fc.double({ min: 1, max: 2, noNaN: true }),
    counts: fc.tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 2, max: 20 })),
    from: fc.integer({ min: 0, max: 20 * SECOND }),
  })
  .map(({ everyMs, longer, counts: [count, other], from }) => [
    toPlan({ first: 0, count, everyMs, from: 0 }),
    toPlan({ first: count - 2, count: other, everyMs: Math.round(everyMs * longer), from }),
  ])

/*
 * A separate batch that is never late has to be sent earlier, too: a comparison with one that waits for its whole interval, and is late by
 * each latency, shows a growing difference of up to everyMs / (everyMs - lead) where watches cannot be merged.
 */
testProperty(
  'the cost bound holds for two watches that share two tokens, while answers take 3 seconds',
  () =>
    fc.asyncProperty(sharing, async (run) => {
      expect(await greatestExcess(run, 3 * SECOND)).toBeLessThanOrEqual(2 * oneCallEach(run))
    }),
  { cases: 12 },
)

test('the cost bound holds for twelve hours of watches that share tokens, while answers take 3 seconds', async () => {
  const { fake, clock } = setupFeed()
  const slowFetch: typeof fetch = async (...request) => {
    await clock.sleep(3 * SECOND)
    return fake.fetch(...request)
  }
  const client = createClient({ apiKey: fake.key, fetch: slowFetch, clock })
  const feed = createPriceFeed(client, { clock })
  const start = clock.now()
  // With a margin of a quarter of the latency, requests go out 3,750 ms early.
  const plans = [0, 4, 8, 2, 6].map((first, index) => ({
    ...toPlan({ first, count: 8, everyMs: MINUTE + 7 * SECOND * (index % 2), from: 0 }),
    everyMs: MINUTE + 7 * SECOND * (index % 2) - 3_750,
    from: index * 11 * SECOND,
    to: 12 * HOUR,
  }))
  for (const { addresses, everyMs } of plans) {
    feed.watch(addresses, { everyMs: everyMs + 3_750, onPrice: () => {} })
    await clock.advance(11 * SECOND)
  }
  for (const hours of [1, 6, 12]) {
    await clock.advance(start + hours * HOUR - 1 - clock.now())
    const most = separateBatches(plans, hours * HOUR - 1) + 2 * oneCallEach(plans)
    expect(fake.charged()).toBeLessThanOrEqual(most)
    // Merged, they cost about half of separate batches.
    expect(fake.charged()).toBeLessThan(0.6 * most)
  }
  await feed.close()
  await client.close()
})

/*
 * With faults, the delivered prices are compared: separate batches count as if each succeeded at once. A request that fails while
 * another succeeds moves the parts of a watch apart. The first part that is due takes the others along, so each failure costs one base
 * fee at most. With many failures that allows much, so the second bound limits the fees together.
 *
 * An answer that may have been charged is retried twice and then waits for its interval, as the client would retry separate batches,
 * so either pays at most three times for what it needs once.
 */
testProperty(
  'under random faults, delivered prices cost the bound and a base fee for each failed request at most, and never a quarter more than the bound; every charge together at most three times that',
  () => {
    const faults = fc.array(fault, { minLength: 1, maxLength: 3 })
    const chance = fc.double({ min: 0.05, max: 1, noNaN: true })
    return fc.asyncProperty(transientPlans, faults, chance, fc.nat(1_000), async (run, faults, chance, seed) => {
      const { charged, useful, failed } = await simulate(run, { faults, chance, seed })
      const separate = separateBatches(run, Number.POSITIVE_INFINITY)
      const twoCalls = 2 * oneCallEach(run)
      expect(useful).toBeLessThanOrEqual(separate + twoCalls + BASE * failed)
      const most = 1.25 * separate + twoCalls
      expect(useful).toBeLessThanOrEqual(most)
      expect(charged).toBeLessThanOrEqual(3 * most)
    })
  },
  {
    cases: 12,
    // Regressions: a part that is lost, a part that is refused, a backoff counted as latency, and a batch split again and again
    // each caused a second purchase; each part of a batch was charged while the service charged for nothing.
    examples: [
      [
        [
          toPlan({ first: 19, count: 40, everyMs: 575_014, from: 578_333 }),
          toPlan({ first: 20, count: 46, everyMs: MINUTE, from: 259_540 }),
          toPlan({ first: 15, count: 2, everyMs: 995_982, from: 746_193 }),
          toPlan({ first: 10, count: 2, everyMs: 5 * MINUTE, from: 392_523, lasts: 143_249 }),
        ],
        [{ malformed: true }, { html: 502, charge: true }, { malformed: true }],
        0.42808410012287806,
        340,
      ],
      [
        [
          toPlan({ first: 0, count: 1, everyMs: 30 * SECOND, from: 0, lasts: 5 }),
          toPlan({ first: 5, count: 52, everyMs: MINUTE, from: 0 }),
          toPlan({ first: 0, count: 1, everyMs: 30 * SECOND, from: 0, lasts: 1 }),
        ],
        [{ reset: 'after' }, { never: true }, { creditHeaders: 'missing' }],
        0.05,
        0,
      ],
      [
        [
          toPlan({ first: 0, count: 1, everyMs: 30 * SECOND, from: 0, lasts: 192_505 }),
          toPlan({ first: 0, count: 2, everyMs: 30 * SECOND, from: 194_601, lasts: 230_004 }),
        ],
        [{ status: 429, retryAfter: '2' }, { status: 500 }],
        0.28361403336748486,
        466,
      ],
      [
        [toPlan({ first: 0, count: 4, everyMs: MINUTE, from: 0, lasts: 489_255 })],
        [{ status: 500 }],
        0.2852960552554578,
        2,
      ],
      [
        [toPlan({ first: 0, count: 1, everyMs: MINUTE, from: 0 })],
        [{ status: 429, retryAfter: '2' }, { creditHeaders: 'missing' }],
        0.3487719674594701,
        0,
      ],
      [
        [toPlan({ first: 0, count: 51, everyMs: 30 * SECOND, from: 0, lasts: 66_505 })],
        [{ status: 500 }],
        0.5496773840859533,
        122,
      ],
    ],
  },
)
