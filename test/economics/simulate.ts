import { type Client, checksumAddress } from 'etn-market'
import { createPriceFeed, type FeedClient } from 'etn-market/feed'
import { createVirtualClock } from '../support/clock.ts'
import { createRandom } from '../support/random.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Somebody who wants prices, never older than `everyMs`, for a time. */
export interface Watching {
  readonly addresses: readonly string[]
  readonly everyMs: number
  readonly from: number
  readonly to: number
}

/** Somebody who wants prices once, no older than `maxAgeMs`. */
export interface LookUp {
  readonly at: number
  readonly addresses: readonly string[]
  readonly maxAgeMs: number
}

export interface Workload {
  readonly watches: readonly Watching[]
  readonly looks: readonly LookUp[]
  /** Milliseconds. */
  readonly span: number
}

/** What prices cost that are bought together, by the service's list of prices. */
export function creditsFor(addresses: number): number {
  const rest = addresses % 50
  return ((addresses - rest) / 50) * 600 + Math.min(rest * 50, rest && 100 + 10 * rest)
}

export const addresses = Array.from({ length: 400 }, (_, index) =>
  checksumAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`),
)

const MAX_WATCHES = 75

/** One of many workloads, always the same for a seed. Its watches have some intervals in common, or each has an interval of its own. */
export function drawWorkload(seed: number, longest = 12 * HOUR, hasOwnIntervals = false): Workload {
  const random = createRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const tokens = random() < 0.5 ? 1 + below(40) : 1 + below(250)
  const differentIntervals = hasOwnIntervals ? MAX_WATCHES : 1 + below(6)
  const intervals = Array.from({ length: differentIntervals }, () => Math.round(5_000 * 720 ** random()))
  const slowest = Math.max(...intervals)
  // No whole number of intervals: the last purchase would be within the span or not, by the time that a request takes.
  const span = Math.min(longest, Math.max(20 * MINUTE, 30.5 * slowest))
  const isUnsteady = random() < 0.5
  const watches = Array.from({ length: 1 + below(random() < 0.5 ? 6 : MAX_WATCHES) }, (_, index): Watching => {
    const first = below(tokens)
    const count = 1 + below(random() < 0.5 ? 5 : tokens)
    const everyMs = intervals[hasOwnIntervals ? index : below(intervals.length)] ?? MINUTE
    const from = random() < 0.3 ? 0 : below(Math.min(span / 2, slowest))
    const start = isUnsteady ? below(0.8 * span) : from
    const to = isUnsteady ? start + Math.round(random() * span) : span
    return {
      addresses: Array.from(
        { length: Math.min(count, tokens) },
        (_, index) => addresses[(first + index) % tokens] ?? '',
      ),
      everyMs,
      from: start,
      to: Math.min(span, to),
    }
  })
  const looks = Array.from({ length: random() < 0.5 ? 0 : below(200) }, () => ({
    at: below(span),
    addresses: Array.from({ length: 1 + below(3) }, () => addresses[below(Math.min(400, 2 * tokens))] ?? ''),
    maxAgeMs: Math.round(1_000 + random() * MINUTE),
  }))
  return { watches, looks, span }
}

/** A client without requests, so that what is measured is the feed alone. `onCharge` may take the time of an answer. */
export function instantClient(onCharge: (credits: number) => Promise<void> | undefined): FeedClient {
  const answer = (count: number, data: unknown) => ({
    async withMeta() {
      const charged = count === 1 ? 50 : 100 + 10 * count
      await onCharge(charged)
      return { data, meta: { credits: { charged } } }
    },
  })
  const price = (address: string) => ({ address, usd: '1', etn: '2' })
  const batch = ({ addresses }: { addresses: readonly string[] }) =>
    answer(addresses.length, Object.fromEntries(addresses.map((address) => [address, price(address)])))
  return {
    token: { price: ({ address }: { address: string }) => answer(1, price(address)) },
    prices: { batch: Object.assign(batch, { estimate: () => ({ min: 0, max: 0, requests: 0 }) }) },
  } as unknown as Pick<Client, 'token' | 'prices'> as FeedClient
}

/** Credits of the feed, bought from a service that answers after `latencyMs`. @param countedFrom what is bought before does not count */
export async function runFeed({ watches, looks, span }: Workload, latencyMs: number, countedFrom = 0): Promise<number> {
  const clock = createVirtualClock()
  let credits = 0
  const client = instantClient((charged) => {
    if (clock.now() - start >= countedFrom) credits += charged
    return latencyMs > 0 ? clock.sleep(latencyMs) : undefined
  })
  const start = clock.now()
  const feed = createPriceFeed(client, { clock })
  const moments = watches.flatMap(({ addresses, everyMs, from, to }) => {
    const ending = new AbortController()
    const begin = () => void feed.watch(addresses, { everyMs, onPrice() {}, signal: ending.signal })
    return [{ at: from, act: begin }, ...(to < span ? [{ at: to, act: () => ending.abort() }] : [])]
  })
  for (const { at, addresses, maxAgeMs } of looks)
    moments.push({ at, act: () => void feed.prices(addresses, { maxAgeMs }).catch(() => {}) })
  for (const { at, act } of moments.sort((one, other) => one.at - other.at)) {
    if (start + at > clock.now()) await clock.advance(start + at - clock.now())
    act()
  }
  await clock.advance(start + span - 1 - clock.now())
  const result = credits
  const closing = feed.close()
  // A request may be in flight.
  await clock.advance(latencyMs)
  await closing
  return result
}

type Strategy = (workload: Workload) => number
const NEVER = Number.NEGATIVE_INFINITY

/** Addresses with their shortest intervals. */
function needAt(watches: Iterable<Watching>): Map<string, number> {
  const need = new Map<string, number>()
  for (const { addresses, everyMs } of watches)
    for (const address of addresses) need.set(address, Math.min(need.get(address) ?? Number.POSITIVE_INFINITY, everyMs))
  return need
}

/**
 * What people would write: timers that buy what is theirs. A watch that joins buys what is missing, and so does a look-up.
 * @param timersOf the timers for what is needed, each with its addresses
 * @param isLazy whether a timer buys only what would be too old at its next tick
 */
const timers =
  (
    timersOf: (
      need: Map<string, number>,
      active: ReadonlySet<Watching>,
    ) => Map<number | string, { everyMs: number; addresses: Set<string> }>,
    isLazy: boolean,
  ): Strategy =>
  ({ watches, looks, span }) => {
    const events = [
      ...watches.map((watch) => ({ at: watch.from, kind: 1, watch, look: undefined })),
      ...watches.filter(({ to }) => to < span).map((watch) => ({ at: watch.to, kind: 0, watch, look: undefined })),
      ...looks.map((look) => ({ at: look.at, kind: 2, watch: undefined, look })),
    ].sort((one, other) => one.at - other.at || one.kind - other.kind)
    const active = new Set<Watching>()
    const known = new Map<string, number>()
    const running = new Map<number | string, { at: number; everyMs: number; addresses: Set<string> }>()
    let need = new Map<string, number>()
    let credits = 0
    const buy = (list: readonly string[], at: number) => {
      credits += creditsFor(list.length)
      for (const address of list) known.set(address, at)
    }
    const age = (address: string, at: number) => at - (known.get(address) ?? NEVER)
    for (const [index, { at: eventAt, kind, watch, look }] of [
      ...events,
      { at: span, kind: 3, watch: undefined, look: undefined },
    ].entries()) {
      for (;;) {
        let next: { at: number; everyMs: number; addresses: Set<string> } | undefined
        for (const timer of running.values()) if (timer.at < (next?.at ?? Number.POSITIVE_INFINITY)) next = timer
        if (next === undefined || next.at >= eventAt) break
        const { at, everyMs } = next
        const tooOld = (address: string) => age(address, at + everyMs) > (need.get(address) ?? Number.POSITIVE_INFINITY)
        buy(
          [...next.addresses].filter((address) => !isLazy || tooOld(address)),
          at,
        )
        next.at += everyMs
      }
      if (look)
        buy(
          [...new Set(look.addresses)].filter((address) => age(address, eventAt) > look.maxAgeMs),
          eventAt,
        )
      if (!watch) continue
      if (kind === 1) active.add(watch)
      else active.delete(watch)
      const following = events[index + 1]
      if (following && following.at === eventAt && following.kind < 2) continue
      need = needAt(active)
      const wanted = timersOf(need, active)
      for (const key of [...running.keys()]) if (!wanted.has(key)) running.delete(key)
      for (const [key, { everyMs, addresses }] of wanted) {
        const timer = running.get(key)
        running.set(key, { at: timer?.everyMs === everyMs ? timer.at : eventAt + everyMs, everyMs, addresses })
      }
      const missing = new Set<string>()
      for (const { at, addresses } of running.values())
        for (const address of addresses)
          if (age(address, Math.min(at, span)) > (need.get(address) ?? 0)) missing.add(address)
      buy([...missing], eventAt)
    }
    return credits
  }

const all = (need: Map<string, number>, everyMs: number) =>
  new Map(need.size === 0 ? [] : [['all', { everyMs, addresses: new Set(need.keys()) }] as const])
const gcd = (one: number, other: number): number => (other === 0 ? one : gcd(other, one % other))

/** The six plain strategies, for a service that answers at once. */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  'a timer for each token': timers(
    (need) => new Map(Array.from(need, ([address, everyMs]) => [address, { everyMs, addresses: new Set([address]) }])),
    false,
  ),
  'one timer for all': timers((need) => all(need, Math.min(...need.values())), false),
  'one timer for all that buys what would be too old': timers((need) => all(need, Math.min(...need.values())), true),
  'a timer for each interval': timers((need) => {
    const groups = new Map<number, { everyMs: number; addresses: Set<string> }>()
    for (const [address, everyMs] of need) {
      const group = groups.get(everyMs) ?? { everyMs, addresses: new Set() }
      group.addresses.add(address)
      groups.set(everyMs, group)
    }
    return groups
  }, false),
  'one timer at the greatest common divisor': timers(
    (need) => all(need, Math.max([...need.values()].reduce(gcd, 0), Math.min(...need.values()) / 4)),
    true,
  ),
  'a timer for each watch': timers(
    (_need, active) =>
      new Map(
        Array.from(active, (watch, index) => [
          `${index}`,
          { everyMs: watch.everyMs, addresses: new Set(watch.addresses) },
        ]),
      ),
    false,
  ),
}

/** Credits of the cheapest of the plain strategies that keep the feed's promise: what replaces a price is requested `leadMs` before it is too old. */
export function cheapestPlain(workload: Workload, leadMs: number, names = Object.keys(STRATEGIES)): number {
  const watches = workload.watches.map((watch) => ({
    ...watch,
    everyMs: Math.floor(watch.everyMs - Math.min(leadMs, watch.everyMs / 2)),
  }))
  return Math.min(...names.map((name) => STRATEGIES[name]?.({ ...workload, watches }) ?? Number.POSITIVE_INFINITY))
}
