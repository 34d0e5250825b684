import { markMissed } from '../section.ts'
import type { Table } from '../support/report.ts'
import { bestKnownSchedule } from './best-schedule.ts'
import { runFeed } from './feed-run.ts'
import { lowerBound } from './lower-bound.ts'
import { createShape, DEMANDS, type Demand, type Shape } from './shapes.ts'
import { SIMPLE_STRATEGIES } from './simple-strategies.ts'

const TOKENS = [1, 2, 3, 9, 14, 40, 49, 50, 51, 60, 75, 99, 100, 101, 110, 200, 2_000]
/** Rounds of the search for a higher bound: none at first, a few where the goal is not met, and more where the best schedule does not explain it. */
const [ROUNDS, MANY_ROUNDS] = [40, 300]
/** What the feed may cost over the lower bound: without look-ups, and with them, which nobody knows in advance. */
const [GOAL, GOAL_WITH_LOOK_UPS] = [1.1, 1.25]
/** Where the best schedule that the search finds costs more than the goal: what the feed may cost over that. */
const OVER_BEST_KNOWN = 1.03
/** What the feed may cost over the cheapest strategy: 2 % where nobody knows what comes next. */
const [OVER_PLAIN, OVER_PLAIN_UNSTEADY] = [1, 1.02]
/** Where nobody knows what comes next, one workload says little: the feed may have been lucky. The mean of these is compared. */
const UNSTEADY_SEEDS = [1, 2, 3, 4, 5]
/** With more tokens one workload has enough of them to be a mean by itself. */
const FEW_TOKENS = 1_000
/** Figures have two decimals. */
const ROUNDING = 0.005

/** Credits for a workload. */
interface ShapeResult {
  readonly bound: number
  readonly feed: number
  /** Undefined where the goal is met. */
  readonly bestKnown: number | undefined
  /** The feed over the cheapest strategy that keeps the same freshness. */
  readonly overPlain: number
  readonly strategies: readonly number[]
}

const goalOf = ({ lookUpsEveryMs }: Demand) => (lookUpsEveryMs === undefined ? GOAL : GOAL_WITH_LOOK_UPS)

const isUnknown = ({ lookUpsEveryMs, isUnsteady }: Demand) => lookUpsEveryMs !== undefined || isUnsteady === true

function costs(shape: Shape) {
  const strategies = SIMPLE_STRATEGIES.map(({ run }) => run(shape))
  const plain = Math.min(...strategies.filter((_, index) => SIMPLE_STRATEGIES[index]?.isInTime))
  return { strategies, plain }
}

async function compareShape(demand: Demand, tokens: number): Promise<ShapeResult> {
  const shape = createShape(demand, tokens, 1)
  const { credits: feed } = await runFeed(shape)
  const { strategies, plain } = costs(shape)
  const ratios = [feed / plain]
  for (const seed of isUnknown(demand) && tokens < FEW_TOKENS ? UNSTEADY_SEEDS.slice(1) : []) {
    const other = createShape(demand, tokens, seed)
    ratios.push((await runFeed(other)).credits / costs(other).plain)
  }
  const overPlain = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
  const isMet = (bound: number) => feed < (goalOf(demand) + ROUNDING) * bound
  let bound = lowerBound(shape, 0)
  let bestKnown: number | undefined
  // With one interval, the first bound is the highest, and the search does not find a schedule in reasonable time.
  if (!isMet(bound) && demand.hasOneInterval) bestKnown = Math.min(feed, plain)
  if (!isMet(bound) && !demand.hasOneInterval) bound = lowerBound(shape, ROUNDS)
  if (!isMet(bound) && !demand.hasOneInterval) {
    bestKnown = Math.min(feed, bestKnownSchedule(shape), plain)
    if (feed > OVER_BEST_KNOWN * bestKnown) bound = lowerBound(shape, MANY_ROUNDS)
    if (isMet(bound)) bestKnown = undefined
  }
  return { bound, feed, bestKnown, overPlain, strategies }
}

function overBound(demand: Demand, { feed, bound, bestKnown }: ShapeResult): string {
  const ratio = feed / bound
  const isMet = ratio < goalOf(demand) + ROUNDING || (bestKnown !== undefined && feed <= OVER_BEST_KNOWN * bestKnown)
  const inAdvance = bestKnown === undefined ? '' : ` (${(bestKnown / bound).toFixed(2)})`
  return markMissed(`${ratio.toFixed(2)}${inAdvance}`, isMet)
}

function formatOverPlain(demand: Demand, { overPlain }: ShapeResult): string {
  const goal = isUnknown(demand) ? OVER_PLAIN_UNSTEADY : OVER_PLAIN
  return markMissed(overPlain.toFixed(2), overPlain < goal + ROUNDING)
}

/** The credits of the feed and of simple strategies, over the lower bound and over each other, for every workload. */
export async function compareShapes(): Promise<Table[]> {
  const boundRows: string[][] = []
  const plainRows: string[][] = []
  const strategyRows: string[][] = []
  for (const demand of DEMANDS) {
    const results: ShapeResult[] = []
    for (const tokens of TOKENS) results.push(await compareShape(demand, tokens))
    const range = (pick: (result: ShapeResult) => number | undefined) => {
      const ratios = results.map((result) => (pick(result) ?? 0) / result.bound)
      const [lowest, highest] = [Math.min(...ratios).toFixed(2), Math.max(...ratios).toFixed(2)]
      return lowest === highest ? lowest : `${lowest} to ${highest}`
    }
    boundRows.push([demand.name, ...results.map((result) => overBound(demand, result))])
    plainRows.push([demand.name, ...results.map((result) => formatOverPlain(demand, result))])
    const strategies = SIMPLE_STRATEGIES.map((_, index) => range((result) => result.strategies[index]))
    strategyRows.push([demand.name, range(({ feed }) => feed), ...strategies])
  }
  const counts = TOKENS.map((tokens) => `${tokens.toLocaleString('en-US')} token${tokens === 1 ? '' : 's'}`)
  return [
    { head: ['credits of the feed over the lower bound', ...counts], rows: boundRows },
    { head: ['over the cheapest strategy that is never later', ...counts], rows: plainRows },
    {
      head: [
        'over the lower bound, for all numbers of tokens',
        'the feed',
        ...SIMPLE_STRATEGIES.map(({ name }) => name),
      ],
      rows: strategyRows,
    },
  ]
}
