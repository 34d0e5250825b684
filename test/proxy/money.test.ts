import { createBudget } from 'etn-market'
import type { FaultOptions } from 'etn-market/fake'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { batchPath, openProxy, pricePath } from './setup.ts'

const HOUR = 3_600_000
const VISITORS = ['ada', 'bob', 'eve']
const PER_VISITOR = 600
const TOTAL = 1_200
const PROBE = 25

/** Answers that are charged, delivered or not, and those that are not charged. */
const FAULTS: readonly FaultOptions[] = [
  { reset: 'after' },
  { truncate: 0.5 },
  { truncate: 0.5, creditHeaders: 'missing' },
  { never: true },
  { front: 'nginx' },
  { malformed: true },
  { creditHeaders: 'missing' },
  { status: 500 },
  { status: 404 },
  { status: 429, retryAfter: 2 },
  { delayMs: 3_000 },
]

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ visitor: fc.nat(2), path: fc.nat(4), leavesAfterMs: fc.option(fc.nat(9_000)) }) },
  { weight: 2, arbitrary: fc.record({ fault: fc.nat(FAULTS.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ waitMs: fc.nat(20_000) }) },
)

const PATHS = [pricePath(0), pricePath(1), batchPath(3), batchPath(2, 1), '/tokens/52014?limit=2']

testProperty(
  'whatever is lost, retried or left, what was counted is what the service charged, and no limit is passed',
  fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), fc.boolean(), async (steps, isCached) => {
    const clock = createVirtualClock()
    const budget = createBudget({ credits: TOTAL + PROBE, windowMs: HOUR }, clock)
    const cacheMs = isCached ? 5_000 : 0
    const { ask, fake, close } = openProxy(clock, {
      allow: [
        { operation: 'token.price', cacheMs },
        { operation: 'prices.batch', cacheMs },
        { operation: 'token.list', cacheMs },
        { operation: 'nft.stats', cacheMs: HOUR },
      ],
      perVisitor: { credits: PER_VISITOR, windowMs: HOUR },
      budget,
    })
    await ask('/nft/stats', { visitor: 'probe' })
    const answers: Promise<Response>[] = []
    for (const each of steps) {
      if ('fault' in each) fake.fault(FAULTS[each.fault] as FaultOptions)
      else if ('waitMs' in each) await clock.advance(each.waitMs)
      else {
        const controller = new AbortController()
        const { signal } = controller
        answers.push(ask(PATHS[each.path] ?? '', { visitor: VISITORS[each.visitor] ?? '', signal }))
        if (each.leavesAfterMs !== null) void clock.sleep(each.leavesAfterMs).then(() => controller.abort())
      }
      expect(budget.spent + budget.reserved + budget.uncertain).toBeLessThanOrEqual(TOTAL + PROBE)
    }
    await clock.advance(300_000)
    expect(clock.pending).toBe(0)

    const { spent, uncertain, reserved } = budget
    expect(reserved).toBe(0)
    expect(spent).toBeLessThanOrEqual(fake.charged())
    // What was cut off, because its visitor left, may not have been charged.
    const anybodyLeft = steps.some((each) => 'leavesAfterMs' in each && each.leavesAfterMs !== null)
    if (anybodyLeft) expect(spent + uncertain).toBeGreaterThanOrEqual(fake.charged())
    else expect(spent + uncertain).toBe(fake.charged())
    const left = await Promise.all(VISITORS.map((visitor) => ask('/nft/stats', { visitor })))
    const counted = left.map(({ headers }) => PER_VISITOR - Number(headers.get('x-credits-remaining')))
    expect(PROBE + counted.reduce((sum, credits) => sum + credits, 0)).toBe(spent + uncertain)
    const stated = (await Promise.all(answers)).map(({ headers }) => Number(headers.get('x-credits-cost')))
    expect(PROBE + stated.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(spent)
    await close()
  }),
  { cases: 10 },
)
