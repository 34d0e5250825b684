import type { PriceFeed } from 'etn-market/feed'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fault, PATIENCE, type Plan, passing, play, type Sent, type Told } from './play.ts'
import { MINUTE, SECOND, some } from './setup.ts'

/** The longest that a request is waited for, and the longest wait after one that failed. */
const TROUBLE_MS = 15 * SECOND

/** What a watcher was told of each of its addresses, with what it knew before. */
function* newsOf(run: readonly Plan[], told: readonly Told[]) {
  for (const plan of run) {
    for (const address of plan.addresses) {
      let before: Told | undefined
      for (const news of told) {
        if (news.plan !== plan || news.address !== address) continue
        yield { plan, before, news }
        before = news
      }
      yield { plan, before, news: undefined }
    }
  }
}

/** Whether an answer came, since a price was asked for, that was slower than all that had come by then. */
function wasSurprised(sent: readonly Sent[], since: number, until: number): boolean {
  const before = sent.filter(({ at, tookMs }) => at + tookMs < since)
  const slowest = Math.max(0, ...before.map(({ tookMs }) => tookMs))
  return sent.some(({ at, tookMs }) => at + tookMs >= since && at <= until && tookMs > slowest)
}

test(
  'no price gets older than its watcher asked for while answers take no longer than any did before',
  async () => {
    const latencies = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_500 })), {
      minLength: 1,
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(passing, latencies, async (run, latencies) => {
        const { told, sent, left } = await play(run, { latencies })
        expect(left).toBe(0)
        const slowest = Math.max(...latencies)
        for (const { plan, before, news } of newsOf(run, told)) {
          // The window, and the first answer, which nothing could make faster.
          const first = plan.from + 5 + slowest
          const until = news?.toldAt ?? plan.to
          if (until <= first) continue
          expect(before).toBeDefined()
          const ageMs = until - (before?.at ?? 0)
          if (ageMs <= plan.everyMs) continue
          // A surprise makes a price as late as the answer was slow, and no later.
          expect(wasSurprised(sent, before?.at ?? 0, until)).toBe(true)
          expect(ageMs).toBeLessThanOrEqual(plan.everyMs + slowest)
        }
      }),
      { numRuns: 60 },
    )
  },
  PATIENCE,
)

test(
  'a price that gets too old because the service fails is told as stale, and when it answers again new ones come',
  async () => {
    const faults = fc.array(fault, { minLength: 1, maxLength: 3 })
    const until = fc.integer({ min: 0, max: 40 * MINUTE })
    await fc.assert(
      fc.asyncProperty(
        passing,
        faults,
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        until,
        fc.nat(1_000),
        async (run, faults, chance, until, seed) => {
          const { told, left } = await play(run, { faults, chance, until, seed })
          expect(left).toBe(0)
          for (const { plan, before, news } of newsOf(run, told)) {
            const next = news?.toldAt ?? plan.to
            const isLate = next > (before?.at ?? plan.from) + plan.everyMs + TROUBLE_MS
            if (before && isLate) expect(before.stale).toBe(true)
            // All that may have been paid for in vain waits for its interval, unless another request succeeds before.
            const again = Math.max(plan.from, until) + plan.everyMs + TROUBLE_MS
            if (isLate) expect(next).toBeLessThanOrEqual(again)
          }
        },
      ),
      { numRuns: 60 },
    )
  },
  PATIENCE,
)

test(
  'the feed never spends more than its budget, whatever goes wrong',
  async () => {
    const faults = fc.array(fault, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        passing,
        faults,
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.nat(1_000),
        async (run, faults, chance, creditsPerDay, seed) => {
          const more = async (feed: PriceFeed) => {
            void feed.prices(some(7, 3), { maxAgeMs: MINUTE }).catch(() => {})
          }
          const { charged, left } = await play(run, {
            faults,
            chance,
            seed,
            more,
            options: { budget: { creditsPerDay } },
          })
          expect(charged).toBeLessThanOrEqual(creditsPerDay)
          expect(left).toBe(0)
        },
      ),
      { numRuns: 50 },
    )
  },
  PATIENCE,
)
