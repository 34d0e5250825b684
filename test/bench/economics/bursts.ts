import DataLoader from 'dataloader'
import { type Client, createClient, type TokenPrice } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createVirtualClock, flush, type VirtualClock } from '../../support/clock.ts'
import { createRandom } from '../../support/random.ts'

const BURSTS = 20
const LOOK_UPS_PER_BURST = 50
const BURST_EVERY_MS = 10
/** The response time of the service. */
const LATENCY_MS = 80

export interface BurstResult {
  readonly requests: number
  readonly credits: number
  /** From the first look-up to the last response, in virtual time. */
  readonly wallMs: number
}

type LookUp = (address: string) => Promise<unknown>

/** 1,000 look-ups, the same in every run: the nth token is requested 1/n as often as the first. */
function drawLookUps(tokens: readonly string[]): string[][] {
  const random = createRandom(7)
  const weights = tokens.map((_, rank) => 1 / (rank + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const drawToken = () => {
    let left = random() * total
    const drawn = weights.findIndex((weight) => {
      left -= weight
      return left <= 0
    })
    return tokens[drawn] ?? tokens[0] ?? ''
  }
  return Array.from({ length: BURSTS }, () => Array.from({ length: LOOK_UPS_PER_BURST }, drawToken))
}

async function simulate(
  tokens: readonly string[],
  start: (client: Client, clock: VirtualClock) => LookUp,
): Promise<BurstResult> {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock, latencyMs: LATENCY_MS })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  const lookUp = start(client, clock)
  const startedAt = clock.now()
  let lastAt = startedAt
  const responses: Promise<void>[] = []
  for (const burst of drawLookUps(tokens)) {
    // An unlisted token rejects when requested alone; in a batch it has no price.
    const recordEnd = () => {
      lastAt = clock.now()
    }
    responses.push(...burst.map((address) => lookUp(address).then(recordEnd, recordEnd)))
    await clock.advance(BURST_EVERY_MS)
  }
  await clock.advance(60_000)
  await flush()
  await Promise.all(responses)
  const result = { requests: fake.journal().length, credits: fake.charged(), wallMs: lastAt - startedAt }
  await client.close()
  await fake.close()
  return result
}

export const onePerLookUp = (tokens: readonly string[]) =>
  simulate(tokens, (client) => (address) => client.token.price({ address }))

export const withDataLoader = (tokens: readonly string[]) =>
  simulate(tokens, (client) => {
    const loader = new DataLoader<string, TokenPrice | null>(
      async (addresses) => {
        const prices = await client.prices.batch({ addresses: [...addresses] })
        return addresses.map((address) => prices[address] ?? null)
      },
      { maxBatchSize: 50 },
    )
    return (address) => loader.load(address)
  })

export const withFeed = (tokens: readonly string[]) =>
  simulate(tokens, (client, clock) => {
    const feed = createPriceFeed(client, { clock })
    return (address) => feed.price(address)
  })
