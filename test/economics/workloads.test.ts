import { describe, expect, test } from 'vitest'
import { omitStacks } from '../support/short-stacks.ts'
import { addresses, cheapestPlain, creditsFor, drawWorkload, runFeed, type Workload } from './simulate.ts'

omitStacks()

const MINUTE = 60_000
const EVERY_MS = 5 * MINUTE

/** Credits of the feed over the cheapest of the six plain strategies, with answers after 80 ms. */
async function overPlain(workload: Workload): Promise<number> {
  return (await runFeed(workload, 80)) / cheapestPlain(workload, 80)
}

test.each([
  ['some intervals in common', false, 6],
  ['an interval for each watch', true, 3],
])('random workloads with %s cost no more than the cheapest of six plain strategies', async (_, isOwn, draws) => {
  const ratios: number[] = []
  for (let seed = 0; seed < draws; seed++) ratios.push(await overPlain(drawWorkload(seed, 30 * MINUTE, isOwn)))
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
  expect(await overPlain(drawWorkload(seed))).toBeLessThan(most)
})

describe('watches with one interval that begin apart', () => {
  const span = 36 * EVERY_MS

  /** Credits of the second half of a long run, over one batch of all for each interval. */
  async function overBatches(watches: readonly { addresses: string[]; from: number }[]): Promise<number> {
    const workload = {
      watches: watches.map((one) => ({ ...one, everyMs: EVERY_MS, to: 2 * span })),
      looks: [],
      span: 2 * span,
    }
    const tokens = new Set(watches.flatMap((one) => one.addresses)).size
    return (await runFeed(workload, 0, span)) / (creditsFor(tokens) * (span / EVERY_MS))
  }

  test.each([1, 2, 3, 14, 49, 50, 51, 60, 75, 110, 200])(
    'of %d tokens cost one batch for each interval',
    async (tokens) => {
      const watches = Array.from({ length: tokens }, (_, index) => ({
        addresses: [addresses[index] ?? ''],
        from: Math.floor((index * EVERY_MS) / tokens),
      }))
      expect(await overBatches(watches)).toBeLessThanOrEqual(1.01)
    },
  )

  test('of 34, 49 and 17 tokens fill the requests of each other', async () => {
    const watches = [
      { addresses: addresses.slice(0, 34), from: 0 },
      { addresses: addresses.slice(34, 83), from: 93_000 },
      { addresses: addresses.slice(83, 100), from: 157_000 },
    ]
    expect(await overBatches(watches)).toBeLessThanOrEqual(1.01)
  })

  test('20 dashboards of 5 to 30 tokens cost one batch for each interval', async () => {
    const watches = Array.from({ length: 20 }, (_, index) => ({
      addresses: Array.from(
        { length: 5 + ((index * 7) % 26) },
        (_, at) => addresses[(index * 11 + at * 3) % 100] ?? '',
      ),
      from: ((index * 37) % 300) * 1_000,
    }))
    expect(await overBatches(watches)).toBeLessThanOrEqual(1.02)
  })
})
