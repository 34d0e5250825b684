/** What a day of prices costs: the feed, and what people write without it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BENCH } from '../support/processes.ts'
import { offlineBound, onlineBound } from './lower-bounds.ts'
import { type Cost, onePerConsumer, onePerLookUp, tokenAddresses, withFeed, withLookUpsOnly } from './strategies.ts'
import { createDay, type Workload } from './workload.ts'

const SEEDS = [1, 2, 3, 4, 5]

/** The figures that the plot of the README is drawn from. */
export const DAYS_FILE = join(BENCH, 'economics/days.json')

const STRATEGIES = {
  onePerLookUp: ['one token.price per look-up', onePerLookUp],
  onePerConsumer: ['one batch per consumer, 90 s cache', onePerConsumer],
  feed: ['the feed', withFeed],
  online: ['lower bound', onlineBound],
  offline: ['lower bound with all look-ups known in advance', offlineBound],
  lookUpsOnly: ['the feed, look-ups only (a price may be one interval old)', withLookUpsOnly],
} satisfies Record<string, readonly [name: string, run: (workload: Workload) => Promise<Cost> | number]>

export type StrategyName = keyof typeof STRATEGIES

/** The mean of some days. */
export interface DaysResult {
  readonly days: number
  readonly rows: readonly {
    readonly key: StrategyName
    readonly name: string
    readonly credits: number
    /** None for a bound. */
    readonly requests?: number
  }[]
  /** Of each day: what the feed costs over the lower bounds. */
  readonly overOnline: readonly number[]
  readonly overOffline: readonly number[]
}

export async function measureDays(): Promise<DaysResult> {
  const tokens = await tokenAddresses(50)
  const costs = new Map<StrategyName, (Cost | number)[]>()
  for (const seed of SEEDS) {
    const workload = createDay(seed, tokens)
    for (const [key, [, run]] of Object.entries(STRATEGIES) as [StrategyName, (typeof STRATEGIES)[StrategyName]][])
      costs.set(key, [...(costs.get(key) ?? []), await run(workload)])
  }
  const creditsOf = (key: StrategyName) =>
    (costs.get(key) ?? []).map((cost) => (typeof cost === 'number' ? cost : cost.credits))
  const overFeed = (key: StrategyName) => {
    const bounds = creditsOf(key)
    return creditsOf('feed').map((credits, day) => credits / (bounds[day] ?? Number.NaN) - 1)
  }
  return {
    days: SEEDS.length,
    rows: [...costs].map(([key, list]) => {
      const requests = list.flatMap((cost) => (typeof cost === 'number' ? [] : [cost.requests]))
      return {
        key,
        name: STRATEGIES[key][0],
        credits: Math.round(mean(creditsOf(key))),
        ...(requests.length > 0 && { requests: Math.round(mean(requests)) }),
      }
    }),
    overOnline: overFeed('online'),
    overOffline: overFeed('offline'),
  }
}

export const writeDays = (results: DaysResult): void =>
  writeFileSync(DAYS_FILE, `${JSON.stringify(results, null, 2)}\n`)

export const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length
