/** What a day of prices costs: the feed, what people write without it, and a lower bound. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createVirtualClock, type VirtualClock } from '../../support/clock.ts'
import { BENCH } from '../support/processes.ts'
import { createDay, DAY, type Day, tokenAddresses } from './day.ts'
import { lowerBound } from './lower-bound.ts'

const SEEDS = [1, 2, 3, 4, 5]
const CACHE_MS = 90_000

/** The figures that the plot of the README is drawn from. */
export const DAYS_FILE = join(BENCH, 'economics/days.json')

/** The cost of one strategy. */
interface Cost {
  readonly credits: number
  readonly requests: number
}

const STRATEGIES = {
  onePerLookUp: ['one token.price per look-up', onePerLookUp],
  onePerConsumer: ['one batch per consumer, 90 s cache', onePerConsumer],
  feed: ['the feed', withFeed],
  online: ['lower bound', lowerBound],
} satisfies Record<string, readonly [name: string, run: (day: Day) => Promise<Cost> | number]>

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
  /** Of each day: what the feed costs over the lower bound. */
  readonly overOnline: readonly number[]
}

export async function measureDays(): Promise<DaysResult> {
  const tokens = await tokenAddresses(50)
  const costs = new Map<StrategyName, (Cost | number)[]>()
  for (const seed of SEEDS) {
    const day = createDay(seed, tokens)
    for (const [key, [, run]] of Object.entries(STRATEGIES) as [StrategyName, (typeof STRATEGIES)[StrategyName]][])
      costs.set(key, [...(costs.get(key) ?? []), await run(day)])
  }
  const creditsOf = (key: StrategyName) =>
    (costs.get(key) ?? []).map((cost) => (typeof cost === 'number' ? cost : cost.credits))
  const bounds = creditsOf('online')
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
    overOnline: creditsOf('feed').map((credits, day) => credits / (bounds[day] ?? Number.NaN) - 1),
  }
}

export const writeDays = (results: DaysResult): void =>
  writeFileSync(DAYS_FILE, `${JSON.stringify(results, null, 2)}\n`)

export const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length

/** Something to do at a moment of the day. */
interface Task {
  readonly at: number
  run(): unknown
}

/** Simulates a day and reads its cost from the ledger of the service. */
async function simulate(schedule: (client: Client, clock: VirtualClock) => readonly Task[]): Promise<Cost> {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  const start = clock.now()
  for (const { at, run } of [...schedule(client, clock)].sort((a, b) => a.at - b.at)) {
    await clock.advance(start + at - clock.now())
    await run()
  }
  await clock.advance(start + DAY - 1 - clock.now())
  const cost = { credits: fake.charged(), requests: fake.ledger().length }
  await client.close()
  await fake.close()
  return cost
}

/** Calls `request` whenever a consumer polls or a look-up happens. */
function pollTasks({ consumers, lookUps }: Day, request: (addresses: readonly string[]) => unknown): Task[] {
  const polled = consumers.flatMap(({ addresses, everyMs, spans }) =>
    spans.flatMap(({ from, to }) =>
      Array.from({ length: Math.ceil((to - from) / everyMs) }, (_, round) => ({
        at: from + round * everyMs,
        addresses,
      })),
    ),
  )
  return [...polled, ...lookUps].map(({ at, addresses }) => ({ at, run: () => request(addresses) }))
}

/** One `token.price` per token and poll. */
function onePerLookUp(day: Day): Promise<Cost> {
  return simulate((client) =>
    pollTasks(day, (addresses) =>
      Promise.all(addresses.map((address) => client.token.price({ address }).catch(() => {}))),
    ),
  )
}

/** One batch per consumer and poll, with one cache for all consumers. */
function onePerConsumer(day: Day): Promise<Cost> {
  return simulate((client, clock) => {
    const boughtAt = new Map<string, number>()
    return pollTasks(day, async (wanted) => {
      const now = clock.now()
      const addresses = wanted.filter((address) => now - (boughtAt.get(address) ?? Number.NEGATIVE_INFINITY) > CACHE_MS)
      if (addresses.length === 0) return
      await client.prices.batch({ addresses })
      for (const address of addresses) boughtAt.set(address, now)
    })
  })
}

/** Consumers watch the feed; look-ups read from it. */
function withFeed({ consumers, lookUps }: Day): Promise<Cost> {
  return simulate((client, clock) => {
    const feed = createPriceFeed(client, { clock })
    const watches = consumers.flatMap(({ addresses, everyMs, spans }) =>
      spans.flatMap(({ from, to }) => {
        const controller = new AbortController()
        const { signal } = controller
        return [
          { at: from, run: () => void feed.watch(addresses, { everyMs, onPrice: () => {}, signal }) },
          { at: to, run: () => controller.abort() },
        ]
      }),
    )
    const looks = lookUps.map(({ at, addresses, maxAgeMs }) => ({
      at,
      run: () => void feed.prices(addresses, { maxAgeMs }),
    }))
    return [...watches, ...looks]
  })
}
