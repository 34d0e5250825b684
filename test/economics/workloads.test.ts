import { describe, expect, test } from 'vitest'
import { omitStacks } from '../support/short-stacks.ts'
import { addresses, creditsFor, drawWorkload, runFeed, STRATEGIES } from './simulate.ts'

omitStacks()

const MINUTE = 60_000

test('random workloads cost no more than the cheapest of six plain strategies, with answers after 80 ms', async () => {
  const ratios: number[] = []
  for (let seed = 0; seed < 8; seed++) {
    const workload = drawWorkload(seed, 30 * MINUTE)
    const plain = Math.min(...Object.values(STRATEGIES).map((strategy) => strategy(workload)))
    ratios.push((await runFeed(workload, 80)) / plain)
  }
  // Requests that are sent 100 ms early cost 2 % of an interval of 5 s.
  expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThan(1.01)
  expect(Math.max(...ratios)).toBeLessThan(1.06)
})

test.each([
  // A large watch joins when the periods of a small one have been chosen.
  ['periods are replaced once they have cost as much as a change', 228, 1.03],
  // A look-up takes one of three out of step, beside one token that is bought more often.
  ['what is bought beside one or two others falls into step again', 312, 1.01],
])('%s', async (_, seed, most) => {
  const workload = drawWorkload(seed)
  const plain = Math.min(...Object.values(STRATEGIES).map((strategy) => strategy(workload)))
  expect((await runFeed(workload, 80)) / plain).toBeLessThan(most)
})

describe('watches with one interval that begin apart', () => {
  test.each([1, 2, 3, 14, 49, 50, 51, 60, 75, 110, 200])(
    'of %d tokens cost one batch for each interval',
    async (tokens) => {
      const span = 180 * MINUTE
      const watches = Array.from({ length: tokens }, (_, index) => ({
        addresses: [addresses[index] ?? ''],
        everyMs: 5 * MINUTE,
        from: Math.floor((index * 5 * MINUTE) / tokens),
        to: 2 * span,
      }))
      const first = await runFeed({ watches, looks: [], span }, 0)
      const both = await runFeed({ watches, looks: [], span: 2 * span }, 0)
      expect((both - first) / (creditsFor(tokens) * (span / (5 * MINUTE)))).toBeLessThanOrEqual(1.01)
    },
  )

  test('20 dashboards of 5 to 30 tokens cost one batch for each interval', async () => {
    const span = 180 * MINUTE
    const watches = Array.from({ length: 20 }, (_, index) => ({
      addresses: Array.from(
        { length: 5 + ((index * 7) % 26) },
        (_, at) => addresses[(index * 11 + at * 3) % 100] ?? '',
      ),
      everyMs: 5 * MINUTE,
      from: ((index * 37) % 300) * 1_000,
      to: 2 * span,
    }))
    const tokens = new Set(watches.flatMap(({ addresses }) => addresses)).size
    const first = await runFeed({ watches, looks: [], span }, 0)
    const both = await runFeed({ watches, looks: [], span: 2 * span }, 0)
    expect((both - first) / (creditsFor(tokens) * (span / (5 * MINUTE)))).toBeLessThanOrEqual(1.02)
  })
})
