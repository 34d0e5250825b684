import { type Client, createClient } from 'etn-market'
import { createFakeService, type FakeService } from 'etn-market/fake'
import { createPriceFeed, type PriceFeed } from 'etn-market/feed'
import { createVirtualClock, type VirtualClock } from '../../test/support/clock.ts'
import { DAY, type Workload } from './workload.ts'

const CACHE_MS = 90_000

interface Bench {
  clock: VirtualClock
  fake: FakeService
  client: Client
}

export interface Spent {
  readonly credits: number
  readonly requests: number
}

/** Plays a day, and reads what it cost from the ledger of the service. */
async function play(schedule: (bench: Bench) => readonly Moment[]): Promise<Spent> {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  const start = clock.now()
  const moments = [...schedule({ clock, fake, client })].sort((a, b) => a.at - b.at)
  for (const { at, run } of moments) {
    await clock.advance(start + at - clock.now())
    await run()
  }
  await clock.advance(start + DAY - 1 - clock.now())
  const spent = { credits: fake.charged(), requests: fake.ledger().length }
  await client.close()
  await fake.close()
  return spent
}

interface Moment {
  /** Milliseconds since the day began. */
  at: number
  run(): unknown
}

/** Every moment at which somebody polls. */
function polls(
  { consumers, views }: Workload,
  look: (addresses: readonly string[], everyMs: number) => unknown,
): Moment[] {
  const polled = consumers.flatMap(({ addresses, everyMs, spans }) =>
    spans.flatMap(({ from, to }) =>
      Array.from({ length: Math.ceil((to - from) / everyMs) }, (_, round) => ({
        at: from + round * everyMs,
        run: () => look(addresses, everyMs),
      })),
    ),
  )
  return [...polled, ...views.map(({ at, addresses, maxAgeMs }) => ({ at, run: () => look(addresses, maxAgeMs) }))]
}

/** One `token.price` for each token of each look-up. */
export const onePerLookUp = (workload: Workload) =>
  play(({ client }) =>
    polls(workload, (addresses) =>
      Promise.all(addresses.map((address) => client.token.price({ address }).catch(() => {}))),
    ),
  )

/** One batch for each consumer, with one cache for all of them. */
export const onePerConsumer = (workload: Workload) =>
  play(({ client, clock }) => {
    const boughtAt = new Map<string, number>()
    return polls(workload, async (wanted) => {
      const now = clock.now()
      const addresses = wanted.filter((address) => now - (boughtAt.get(address) ?? Number.NEGATIVE_INFINITY) > CACHE_MS)
      if (addresses.length === 0) return
      await client.prices.batch({ addresses })
      for (const address of addresses) boughtAt.set(address, now)
    })
  })

/** Consumers watch, views look up. */
export const withFeed = (workload: Workload) =>
  play(({ client, clock }) => {
    const feed = createPriceFeed(client, { clock })
    const watches = workload.consumers.flatMap(({ addresses, everyMs, spans }) =>
      spans.flatMap(({ from, to }) => {
        const watched = new AbortController()
        const start = () => void feed.watch(addresses, { everyMs, onPrice: () => {}, signal: watched.signal })
        return [
          { at: from, run: start },
          { at: to, run: () => watched.abort() },
        ]
      }),
    )
    return [...watches, ...views(workload, feed)]
  })

/** Everybody looks up when they want to know, and takes a price as old as their interval is long. */
export const withLookUps = (workload: Workload) =>
  play(({ client, clock }) => {
    const feed = createPriceFeed(client, { clock })
    return polls(workload, (addresses, maxAgeMs) => void feed.prices(addresses, { maxAgeMs }))
  })

const views = (workload: Workload, feed: PriceFeed): Moment[] =>
  workload.views.map(({ at, addresses, maxAgeMs }) => ({ at, run: () => void feed.prices(addresses, { maxAgeMs }) }))

/** So many addresses: tokens that the fake service lists, and others after them. */
export async function someTokens(count: number): Promise<string[]> {
  const fake = createFakeService()
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const listed = await client.token.list({ limit: 100 })
  await client.close()
  const unlisted = Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
  return [...listed.map(({ address }) => address), ...unlisted].slice(0, count)
}
