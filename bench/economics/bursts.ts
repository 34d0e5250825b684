import DataLoader from 'dataloader'
import { type Client, createClient, type TokenPrice } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createVirtualClock, flush, type VirtualClock } from '../../test/support/clock.ts'
import { createRandom } from '../../test/support/random.ts'

const BURSTS = 20
const BURST = 50
const APART_MS = 10
/** What every answer of the service takes. */
const LATENCY_MS = 80

export interface BurstResult {
  readonly requests: number
  readonly credits: number
  /** From the first look-up to the last answer, in virtual time. */
  readonly wallMs: number
}

type LookUp = (address: string) => Promise<unknown>

/** 1,000 look-ups, the same for everybody: the nth token is asked for 1/n as often as the first. */
function draw(tokens: readonly string[]): string[][] {
  const random = createRandom(7)
  const weights = tokens.map((_, rank) => 1 / (rank + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const one = () => {
    let left = random() * total
    const drawn = weights.findIndex((weight) => {
      left -= weight
      return left <= 0
    })
    return tokens[drawn] ?? tokens[0] ?? ''
  }
  return Array.from({ length: BURSTS }, () => Array.from({ length: BURST }, one))
}

async function play(
  tokens: readonly string[],
  start: (client: Client, clock: VirtualClock) => LookUp,
): Promise<BurstResult> {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock, latencyMs: LATENCY_MS })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  const lookUp = start(client, clock)
  const begun = clock.now()
  let last = begun
  const answers: Promise<void>[] = []
  for (const burst of draw(tokens)) {
    // A token that is not listed is refused alone, and has no price in a batch.
    const noteEnd = () => {
      last = clock.now()
    }
    answers.push(...burst.map((address) => lookUp(address).then(noteEnd, noteEnd)))
    await clock.advance(APART_MS)
  }
  await clock.advance(60_000)
  await flush()
  await Promise.all(answers)
  const result = { requests: fake.journal().length, credits: fake.charged(), wallMs: last - begun }
  await client.close()
  await fake.close()
  return result
}

export const alone = (tokens: readonly string[]) =>
  play(tokens, (client) => (address) => client.token.price({ address }))

export const withDataLoader = (tokens: readonly string[]) =>
  play(tokens, (client) => {
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
  play(tokens, (client, clock) => {
    const feed = createPriceFeed(client, { clock })
    return (address) => feed.price(address)
  })
