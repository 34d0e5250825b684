import { createClient } from 'etn-market'
import type { FaultEffects } from 'etn-market/fake'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed, type FeedOptions, type PriceFeed } from 'etn-market/feed'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import '../../src/generated/schemas.ts'
import { MINUTE, SECOND, some } from './setup.ts'

/** Somebody who watches some of thirty addresses for a while. */
interface Plan {
  addresses: readonly string[]
  everyMs: number
  from: number
  to: number
}

const HOUR = 60 * MINUTE
/** A machine that does other things as well. */
const PATIENCE = 60_000
const plan: fc.Arbitrary<Plan> = fc
  .record({
    first: fc.nat(20),
    count: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 60 })),
    everyMs: fc.oneof(
      fc.constantFrom(MINUTE, 5 * MINUTE, 10 * MINUTE),
      fc.integer({ min: 30 * SECOND, max: 20 * MINUTE }),
    ),
    from: fc.integer({ min: 0, max: HOUR / 2 }),
    lasts: fc.oneof(fc.constant(HOUR), fc.integer({ min: 1, max: HOUR })),
  })
  .map(({ first, count, everyMs, from, lasts }) => ({
    addresses: some(count, first),
    everyMs,
    from,
    to: Math.min(HOUR, from + lasts),
  }))
const plans = fc.array(plan, { minLength: 1, maxLength: 6 })

interface Told {
  plan: Plan
  address: string
  at: number
  toldAt: number
}

interface Bought {
  at: number
  addresses: readonly string[]
  credits: number
}

/** Plays an hour; returns what was charged, and all that the watchers were told. */
async function play(
  run: readonly Plan[],
  { latencyMs = 0, faults = [] as FaultEffects[], chance = 0, seed = 1, more = async (_: PriceFeed) => {} } = {},
  options: FeedOptions = {},
) {
  const clock = createVirtualClock()
  clock.luck = 0.5
  const fake = createFakeService({ clock, latencyMs, seed })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock, timeoutMs: 5 * SECOND })
  const feed = createPriceFeed(client, { clock, ...options })
  for (const effect of faults) fake.fault({ ...effect, probability: chance })
  const told: Told[] = []
  const start = clock.now()
  const moments = run.flatMap((one) => {
    const ending = new AbortController()
    const begin = () =>
      feed.watch(one.addresses, {
        everyMs: one.everyMs,
        signal: ending.signal,
        onPrice: ({ address, at }) =>
          void told.push({ plan: one, address, at: at - start, toldAt: clock.now() - start }),
      })
    return [
      { at: one.from, act: begin },
      { at: one.to, act: () => ending.abort() },
    ]
  })
  for (const { at, act } of moments.sort((a, b) => a.at - b.at)) {
    await clock.advance(start + at - clock.now())
    act()
    await more(feed)
  }
  await clock.advance(start + HOUR - clock.now())
  const charged = fake.charged()
  const bought = fake.journal().map(({ at, query, credits, path }) => ({
    at: at - start,
    addresses: query.addresses?.split(',') ?? path.split('/').slice(-1),
    credits,
  }))
  await feed.close()
  const left = clock.pending
  await client.close()
  await fake.close()
  return { charged, bought, told, left }
}

/** The share of a price that nobody is left to use, of one bought at `at` that lasts `everyMs`, for a watch until `to`. */
const unusedShare = (at: number, everyMs: number, to: number) => Math.max(0, (at + everyMs - to) / everyMs)

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** One batch for each watcher, each time that its interval is over; what its end leaves unused is not counted. */
function secondStrategy(run: readonly Plan[]): number {
  return sum(
    run.flatMap(({ addresses, everyMs, from, to }) => {
      const credits = 100 * Math.ceil(addresses.length / 50) + 10 * addresses.length
      const polls = Array.from({ length: Math.ceil((to - from) / everyMs) }, (_, round) => from + round * everyMs)
      return polls.map((at) => credits * (1 - unusedShare(at, everyMs, to)))
    }),
  )
}

/** What of the charges was of use to some watcher. */
function used(run: readonly Plan[], bought: readonly Bought[]): number {
  return sum(
    bought.flatMap(({ at, addresses, credits }) =>
      addresses.map((address) => {
        const watchers = run.filter((one) => one.addresses.includes(address) && one.from <= at && one.to >= at)
        const everyMs = Math.min(...watchers.map((one) => one.everyMs))
        const to = Math.max(...watchers.map((one) => one.to))
        return (credits / addresses.length) * (1 - unusedShare(at, everyMs, to))
      }),
    ),
  )
}

test(
  'no watcher ever has a price older than it asked for, and no timer is left',
  async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 0, max: 900 }), async (run, latencyMs) => {
        const { told, left } = await play(run, { latencyMs })
        expect(left).toBe(0)
        for (const one of run) {
          // The window, and the first answer, which nothing could make faster.
          const first = 5 + latencyMs
          for (const address of one.addresses) {
            const mine = told.filter((news) => news.plan === one && news.address === address)
            let [at, toldAt] = [one.from, one.from + first]
            for (const news of mine) {
              expect(news.toldAt).toBeLessThanOrEqual(Math.max(toldAt, at + one.everyMs))
              ;[at, toldAt] = [news.at, news.toldAt]
            }
            if (mine.length > 0 || one.to - one.from > first) expect(at + one.everyMs).toBeGreaterThanOrEqual(one.to)
          }
        }
      }),
      { numRuns: 40 },
    )
  },
  PATIENCE,
)

test(
  'of what is used, the feed never spends more than one batch for each consumer',
  async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (run) => {
        const { bought } = await play(run)
        // A ride that is meant to save a base fee may waste as much, when the watch ends that it was for.
        expect(used(run, bought)).toBeLessThanOrEqual(secondStrategy(run) + 100)
      }),
      // The same schedules every time: what a watch's end may waste is an allowance, not a law.
      { numRuns: 80, seed: 5 },
    )
  },
  PATIENCE,
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
  { html: 502, charge: true },
  { creditHeaders: 'missing' },
)

test(
  'the feed never spends more than its budget, whatever goes wrong',
  async () => {
    const faults = fc.array(fault, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        plans,
        faults,
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 1, max: 1_000 }),
        async (run, effects, chance, creditsPerDay, seed) => {
          const more = async (feed: PriceFeed) => {
            void feed.prices(some(7, 3), { maxAgeMs: MINUTE }).catch(() => {})
          }
          const { charged, left } = await play(
            run,
            { faults: effects, chance, seed, more },
            { budget: { creditsPerDay } },
          )
          expect(charged).toBeLessThanOrEqual(creditsPerDay)
          expect(left).toBe(0)
        },
      ),
      { numRuns: 50 },
    )
  },
  PATIENCE,
)
