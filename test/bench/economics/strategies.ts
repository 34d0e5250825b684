import { type Client, createClient } from 'etn-market'
import { createFakeService, type FakeService } from 'etn-market/fake'
import { createPriceFeed, type PriceFeed } from 'etn-market/feed'
import { createRunningClock, createVirtualClock, type VirtualClock } from '../../support/clock.ts'
import { DAY, type Workload } from './workload.ts'

const CACHE_MS = 90_000

interface Simulation {
  clock: VirtualClock
  fake: FakeService
  client: Client
}

/** The cost of one strategy. */
export interface Cost {
  readonly credits: number
  readonly requests: number
}

/** Simulates a day and reads its cost from the ledger of the service. */
async function simulate(schedule: (simulation: Simulation) => readonly Task[]): Promise<Cost> {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  const start = clock.now()
  const tasks = [...schedule({ clock, fake, client })].sort((a, b) => a.at - b.at)
  for (const { at, run } of tasks) {
    await clock.advance(start + at - clock.now())
    await run()
  }
  await clock.advance(start + DAY - 1 - clock.now())
  const cost = { credits: fake.charged(), requests: fake.ledger().length }
  await client.close()
  await fake.close()
  return cost
}

/** Something to do at a moment of the day. */
interface Task {
  /** Milliseconds since the start of the day. */
  at: number
  run(): unknown
}

/** Calls `request` whenever a consumer polls or a look-up happens. */
function pollTasks(
  { consumers, lookUps }: Workload,
  request: (addresses: readonly string[], everyMs: number) => unknown,
): Task[] {
  const polled = consumers.flatMap(({ addresses, everyMs, spans }) =>
    spans.flatMap(({ from, to }) =>
      Array.from({ length: Math.ceil((to - from) / everyMs) }, (_, round) => ({
        at: from + round * everyMs,
        run: () => request(addresses, everyMs),
      })),
    ),
  )
  return [...polled, ...lookUps.map(({ at, addresses, maxAgeMs }) => ({ at, run: () => request(addresses, maxAgeMs) }))]
}

/** One `token.price` per token and poll. */
export const onePerLookUp = (workload: Workload) =>
  simulate(({ client }) =>
    pollTasks(workload, (addresses) =>
      Promise.all(addresses.map((address) => client.token.price({ address }).catch(() => {}))),
    ),
  )

/** One batch per consumer and poll, with one cache for all consumers. */
export const onePerConsumer = (workload: Workload) =>
  simulate(({ client, clock }) => {
    const boughtAt = new Map<string, number>()
    return pollTasks(workload, async (wanted) => {
      const now = clock.now()
      const addresses = wanted.filter((address) => now - (boughtAt.get(address) ?? Number.NEGATIVE_INFINITY) > CACHE_MS)
      if (addresses.length === 0) return
      await client.prices.batch({ addresses })
      for (const address of addresses) boughtAt.set(address, now)
    })
  })

/** Consumers watch the feed; look-ups read from it. */
export const withFeed = (workload: Workload) =>
  simulate(({ client, clock }) => {
    const feed = createPriceFeed(client, { clock })
    const watches = workload.consumers.flatMap(({ addresses, everyMs, spans }) =>
      spans.flatMap(({ from, to }) => {
        const controller = new AbortController()
        const start = () => void feed.watch(addresses, { everyMs, onPrice: () => {}, signal: controller.signal })
        return [
          { at: from, run: start },
          { at: to, run: () => controller.abort() },
        ]
      }),
    )
    return [...watches, ...lookUpTasks(workload, feed)]
  })

/** Consumers poll the feed and accept a price as old as their interval. */
export const withLookUpsOnly = (workload: Workload) =>
  simulate(({ client, clock }) => {
    const feed = createPriceFeed(client, { clock })
    return pollTasks(workload, (addresses, maxAgeMs) => void feed.prices(addresses, { maxAgeMs }))
  })

const lookUpTasks = (workload: Workload, feed: PriceFeed): Task[] =>
  workload.lookUps.map(({ at, addresses, maxAgeMs }) => ({ at, run: () => void feed.prices(addresses, { maxAgeMs }) }))

/** `count` addresses: first the tokens that the fake service lists, then unlisted ones. */
export async function tokenAddresses(count: number): Promise<string[]> {
  const fake = createFakeService({ clock: createRunningClock() })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const listed = await client.token.list({ limit: 100 })
  await client.close()
  const unlisted = Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
  return [...listed.map(({ address }) => address), ...unlisted].slice(0, count)
}
