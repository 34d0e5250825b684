import { markMissed } from '../section.ts'
import type { Table } from '../support/report.ts'
import { bestKnownSchedule } from './best-schedule.ts'
import { runFeed } from './feed-run.ts'
import { lowerBound } from './lower-bound.ts'
import { createShape, DEMANDS } from './shapes.ts'
import { SIMPLE_STRATEGIES } from './simple-strategies.ts'

const TOKENS = [1, 9, 14, 40, 100, 200, 2_000]
/** Rounds of the search for a higher bound; with one interval, the first bound is the highest. */
const ROUNDS = 300
/** For every workload, and for the worst of them. */
const [GOAL, HIGHEST] = [1.1, 1.25]

/** Credits for a workload. */
interface ShapeResult {
  readonly bound: number
  readonly feed: number
  /** With one interval, the bound is the cost of the best schedule. */
  readonly bestKnown: number | undefined
  readonly strategies: readonly number[]
}

async function compareShape(demand: (typeof DEMANDS)[number], tokens: number): Promise<ShapeResult> {
  const shape = createShape(demand, tokens, 1)
  const { credits: feed } = await runFeed(shape)
  const strategies = SIMPLE_STRATEGIES.map(({ run }) => run(shape))
  const inTime = strategies.filter((_, index) => SIMPLE_STRATEGIES[index]?.isInTime)
  return {
    bound: lowerBound(shape, demand.hasOneInterval ? 0 : ROUNDS),
    feed,
    bestKnown: demand.hasOneInterval ? undefined : Math.min(feed, bestKnownSchedule(shape), ...inTime),
    strategies,
  }
}

/** The credits of the feed and of simple strategies over the lower bound, for every workload. */
export async function compareShapes(): Promise<Table[]> {
  const feedRows: string[][] = []
  const strategyRows: string[][] = []
  for (const demand of DEMANDS) {
    const results: ShapeResult[] = []
    for (const tokens of TOKENS) results.push(await compareShape(demand, tokens))
    const range = (pick: (result: ShapeResult) => number | undefined) => {
      const ratios = results.map((result) => (pick(result) ?? 0) / result.bound)
      const [lowest, highest] = [Math.min(...ratios).toFixed(2), Math.max(...ratios).toFixed(2)]
      return lowest === highest ? lowest : `${lowest} to ${highest}`
    }
    feedRows.push([
      demand.name,
      ...results.map(({ feed, bound, bestKnown }) => {
        const ratio = feed / bound
        const inAdvance = bestKnown === undefined ? '' : ` (${(bestKnown / bound).toFixed(2)})`
        const figure = `${ratio.toFixed(2)}${inAdvance}${ratio < HIGHEST + 0.005 ? '' : ' ✗'}`
        return markMissed(figure, ratio < GOAL + 0.005)
      }),
    ])
    const strategies = SIMPLE_STRATEGIES.map((_, index) => range((result) => result.strategies[index]))
    strategyRows.push([demand.name, range(({ feed }) => feed), ...strategies])
  }
  const counts = TOKENS.map((tokens) => `${tokens.toLocaleString('en-US')} token${tokens === 1 ? '' : 's'}`)
  return [
    { head: ['credits of the feed over the lower bound', ...counts], rows: feedRows },
    {
      head: ['the same for all numbers of tokens', 'the feed', ...SIMPLE_STRATEGIES.map(({ name }) => name)],
      rows: strategyRows,
    },
  ]
}
