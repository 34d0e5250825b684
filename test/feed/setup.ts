import { type Client, type ClientOptions, checksumAddress, createClient } from 'etn-market'
import { createFakeService, type FakeService, type FakeServiceOptions } from 'etn-market/fake'
import {
  createPriceFeed,
  type FeedEvent,
  type FeedOptions,
  type FeedPrice,
  type PriceFeed,
  type WatchOptions,
} from 'etn-market/feed'
import { createVirtualClock, type VirtualClock } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
// Client and feed load these lazily; loaded here so that they take no real time.
import '../../src/feed/prices/shared-prices.ts'
import '../../src/generated/answer-schemas.ts'
import { onCaseFinished } from '../support/property.ts'
import { watch } from '../support/setup.ts'

export const SECOND = 1_000
export const MINUTE = 60_000
export const DAY = 86_400_000

export interface FeedSetup {
  clock: VirtualClock
  fake: FakeService
  client: Client
  feed: PriceFeed
  events: FeedEvent[]
  /** Another feed on the same service. */
  another(options?: FeedOptions): PriceFeed
}

/** A feed on the fake service, in virtual time. */
export function setupFeed(
  options: FeedOptions = {},
  service: FakeServiceOptions = {},
  clientOptions: ClientOptions = {},
  clock = createVirtualClock(),
): FeedSetup {
  const fake = createFakeService({ clock, ...service })
  const transport = createDirectTransport(fake.fetch)
  const client = createClient({ apiKey: fake.key, transport, clock, ...clientOptions })
  const events: FeedEvent[] = []
  const another = (own: FeedOptions = {}) => {
    const feed = createPriceFeed(client, { clock, onEvent: (event) => void events.push(event), ...own })
    onCaseFinished(() => feed.close())
    return feed
  }
  onCaseFinished(async () => {
    await client.close()
    await fake.close()
  })
  return { clock, fake, client, events, another, feed: another(options) }
}

/** Moves the time to midnight UTC, when a day of a budget begins. */
export async function toMidnight(clock: VirtualClock): Promise<void> {
  await clock.advance(DAY - (clock.now() % DAY))
}

/** Kept, because a checksum takes 50 µs. */
const known: string[] = []

/** Different addresses. The fake lists none of them, but a batch charges for them. */
export function some(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index
    known[number] ??= checksumAddress(`0xfeed${number.toString(16).padStart(36, '0')}`)
    return known[number]
  })
}

/** A watch that records what it receives. */
export function recordWatch(
  feed: PriceFeed,
  addresses: string | readonly string[],
  everyMs: number,
  options: Partial<WatchOptions> = {},
) {
  const prices: FeedPrice[] = []
  const errors: unknown[] = []
  const watch = feed.watch(addresses, {
    ...options,
    everyMs,
    onPrice: (price) => void prices.push(price),
    onError: (error) => void errors.push(error),
  })
  return { prices, errors, stop: watch.stop }
}

/** Reads an iteration in the background. */
export function read<T>(iteration: AsyncIterable<T>) {
  const seen: T[] = []
  const end = (async () => {
    for await (const one of iteration) seen.push(one)
  })()
  return { seen, end: watch(end) }
}

/** Matches requests for an address. */
export const asksFor =
  (address: string) =>
  ({ path, query }: { path: string; query: Record<string, string> }) =>
    `${path}${query.addresses ?? ''}`.toLowerCase().includes(address.toLowerCase())

export const types = (events: readonly FeedEvent[]) => events.map(({ type }) => type)

/** How many addresses each request asked for, and when, in milliseconds since the start. */
export function requests(fake: FakeService, start: number): [number, number][] {
  return fake.journal().map(({ at, query }) => [at - start, query.addresses?.split(',').length ?? 1])
}
