import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runFeed } from '../bench/economics/feed-run.ts'
import { addressList, creditsFor } from '../bench/economics/ledger.ts'
import type { Shape } from '../bench/economics/shapes.ts'
import { SIMPLE_STRATEGIES } from '../bench/economics/simple-strategies.ts'
import { testProperty } from '../support/property.ts'
import { omitStacks } from '../support/short-stacks.ts'

omitStacks()

const MINUTE = 60_000
const DURATION = 120 * MINUTE

/** Watches that stay: of separate or of shared tokens, at a few intervals, begun together or apart. */
const shape = fc
  .record({
    tokens: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 45, max: 110 })),
    intervals: fc.array(fc.constantFrom(MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE), { minLength: 1, maxLength: 3 }),
    apartMs: fc.constantFrom(0, 30_000, MINUTE, 5 * MINUTE),
    tokensEach: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
    draws: fc.infiniteStream(fc.nat()),
  })
  .map(({ tokens, intervals, apartMs, tokensEach, draws }): Shape => {
    const addresses = addressList(tokens)
    const draw = (below: number) => (draws.next().value as number) % below
    const consumers = Array.from({ length: Math.ceil(tokens / tokensEach) }, (_, index) => {
      const first = tokensEach === 1 ? index : draw(tokens)
      const from = apartMs === 0 ? 0 : 1_000 * draw(apartMs / 1_000)
      return {
        name: String(index),
        addresses: addresses.slice(first, first + tokensEach),
        everyMs: intervals[draw(intervals.length)] ?? MINUTE,
        spans: [{ from, to: DURATION }],
      }
    })
    return { consumers, lookUps: [], durationMs: DURATION, stepMs: 1_000 }
  })

testProperty(
  'watches that stay cost at most 2 % more than the cheapest of one interval for all, one batch each and one call each, plus one purchase of every price',
  () =>
    fc.asyncProperty(shape, async (shape) => {
      const { credits } = await runFeed(shape)
      const plain = SIMPLE_STRATEGIES.filter(({ isInTime }) => isInTime).map(({ run }) => run(shape))
      // What is bought at the end is for the time after it.
      const addresses = new Set(shape.consumers.flatMap(({ addresses }) => addresses))
      expect(credits).toBeLessThanOrEqual(1.02 * Math.min(...plain) + creditsFor(addresses.size))
    }),
  { cases: 20 },
)

test('short watches of tokens that others watch more slowly cost at most 5 % more than one interval for all', async () => {
  const addresses = addressList(76)
  const permanent = addresses.map((address) => ({
    name: address,
    addresses: [address],
    everyMs: 10 * MINUTE,
    spans: [{ from: 0, to: DURATION }],
  }))
  // Every 20 seconds one begins, of ten tokens, for about four minutes.
  const short = Array.from({ length: 350 }, (_, index) => {
    const from = MINUTE + index * 20_000
    const offset = (index * 37) % 66
    return {
      name: `short ${index}`,
      addresses: addresses.slice(offset, offset + 10),
      everyMs: 1.5 * MINUTE,
      spans: [{ from, to: from + 4 * MINUTE + ((index * 13) % 50) * 1_000 }],
    }
  })
  const shape = { consumers: [...permanent, ...short], lookUps: [], durationMs: DURATION, stepMs: 1_000 }
  const { credits } = await runFeed(shape)
  const plain = SIMPLE_STRATEGIES.filter(({ isInTime }) => isInTime).map(({ run }) => run(shape))
  expect(credits).toBeLessThanOrEqual(1.05 * Math.min(...plain))
})
