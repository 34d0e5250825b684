import fc from 'fast-check'
import { expect, test } from 'vitest'
import { creditsFor } from '../../src/feed/route.ts'
import { fault, PATIENCE, type Plan, passing, play, staying, toPlan } from './play.ts'
import { MINUTE, SECOND } from './setup.ts'

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** What one call of each watcher costs, at the cheapest route there is for it. */
const oneCallEach = (run: readonly Plan[]) => sum(run.map(({ addresses }) => creditsFor(addresses.length)))

/** The second strategy by a moment: each watcher has a call of its own when it begins and whenever its interval is over. */
function secondStrategy(run: readonly Plan[], by: number): number {
  return sum(
    run.map(({ addresses, everyMs, from, to }) => {
      const lasted = Math.min(to, by + 1) - from
      return lasted > 0 ? creditsFor(addresses.length) * Math.ceil(lasted / everyMs) : 0
    }),
  )
}

/** How far the feed is ahead of the second strategy when it is farthest, by the ledger of the service. */
async function mostAhead(run: readonly Plan[], latencyMs = 0): Promise<number> {
  const { charges } = await play(run, { latencies: [latencyMs] })
  // Whoever wants to have a price in time has to ask for it as much earlier, with some margin.
  const polls = run.map((one) => ({ ...one, everyMs: one.everyMs - Math.ceil(1.25 * latencyMs) }))
  let spent = 0
  const ahead = charges.map(({ at, credits }) => {
    spent += credits
    return spent - secondStrategy(polls, at)
  })
  return Math.max(0, ...ahead)
}

/*
 * Not a single credit ahead, ever, is only who never moves two watches together: for that one of them has to be bought early,
 * before it is known whether both stay. Two watches of 3 tokens every 10 minutes that begin 5 minutes apart cost the second
 * strategy 130 and 130; the feed buys the first three again with the second, for 160, and is 30 ahead. If both stay it saves
 * 100 every 10 minutes from then on. If they end now it stays ahead.
 *
 * What holds: feed(T) <= second(T) + two calls of each watcher, at every T. The allowance that `choose` asks is fed as fast
 * as the second strategy spends, so that it was never given more than second(T) and one call each. While it covers a call, it
 * is not overdrawn. When it does not, a watch that has an address due buys all of its addresses, and none of them makes it
 * buy again before its interval is over: each watch overdraws it by one call at most, however long that lasts.
 */
test(
  'the feed is never more than two calls of each watcher ahead of one batch for each, at any time, whoever comes and goes',
  async () => {
    const latencyMs = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_500 }))
    await fc.assert(
      fc.asyncProperty(passing, latencyMs, async (run, latencyMs) => {
        expect(await mostAhead(run, latencyMs)).toBeLessThanOrEqual(2 * oneCallEach(run))
      }),
      { numRuns: 60 },
    )
  },
  PATIENCE,
)

test(
  'nor is it, from any moment to any other, by more than three calls of each watcher who stays',
  async () => {
    await fc.assert(
      fc.asyncProperty(staying, async (run) => {
        const { charges } = await play(run)
        expect(charges.length).toBeGreaterThan(0)
        let spent = 0
        let least = 0
        for (const { at, credits } of charges) {
          least = Math.min(least, spent - secondStrategy(run, at - 1))
          spent += credits
          expect(spent - secondStrategy(run, at) - least).toBeLessThanOrEqual(3 * oneCallEach(run))
        }
      }),
      { numRuns: 60 },
    )
  },
  PATIENCE,
)

test.each<[string, Plan[]]>([
  [
    'somebody leaves who had bought a part of what another watches at a time of its own',
    [
      toPlan({ first: 0, count: 24, everyMs: MINUTE, from: 0, lasts: 5 * MINUTE }),
      toPlan({ first: 9, count: 48, everyMs: MINUTE, from: 20 * SECOND }),
    ],
  ],
  [
    'intervals never meet, so that who rides along gains nothing by it',
    [
      toPlan({ first: 0, count: 14, everyMs: 47_788, from: 0 }),
      toPlan({ first: 20, count: 1, everyMs: 30_000, from: 35_000 }),
      toPlan({ first: 21, count: 1, everyMs: 54_028, from: 47_000 }),
      toPlan({ first: 22, count: 1, everyMs: 6_020, from: 0 }),
    ],
  ],
])('nor for long when %s', async (_, run) => {
  expect(await mostAhead(run)).toBeLessThanOrEqual(2 * oneCallEach(run))
})

/*
 * With faults, what is compared is what arrives: the second strategy's calls count as if each of them had arrived the first
 * time. What is paid for in vain is repeated twice and then waits for its interval, as the second strategy's would be by the
 * client; so that either pays three times at most for what it needs once.
 */
test(
  'under random faults, what arrives costs no more than that either, and all together three times as much at most',
  async () => {
    const faults = fc.array(fault, { minLength: 1, maxLength: 3 })
    const chance = fc.double({ min: 0.05, max: 1, noNaN: true })
    await fc.assert(
      fc.asyncProperty(passing, faults, chance, fc.nat(1_000), async (run, faults, chance, seed) => {
        const { charged, useful } = await play(run, { faults, chance, seed })
        const most = secondStrategy(run, Number.POSITIVE_INFINITY) + 2 * oneCallEach(run)
        expect(useful).toBeLessThanOrEqual(most)
        expect(charged).toBeLessThanOrEqual(3 * most)
      }),
      {
        numRuns: 60,
        // Each was a way to buy twice, once: a part that is lost, a part that is refused, and a wait taken for a slow answer.
        examples: [
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
            [toPlan({ first: 0, count: 1, everyMs: MINUTE, from: 0 })],
            [{ status: 429, retryAfter: '2' }, { creditHeaders: 'missing' }],
            0.3487719674594701,
            0,
          ],
        ],
      },
    )
  },
  PATIENCE,
)
