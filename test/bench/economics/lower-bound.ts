import { DAY, type Day } from './day.ts'

const BASE = 100
const PER_ITEM = 10

/** The cost of a request beyond 10 credits per address: 40 for each single price, or the base fee of a batch. */
const feeFor = (addresses: number) => Math.min(40 * addresses, BASE)

/**
 * A lower bound in credits for every schedule that learns of a look-up, or of a new watch, only when it starts.
 *
 * A moment that needs an address for the first time forces a request at that moment. The addresses that are watched all day
 * can join that request, or have a request of their own within the interval. The cheapest chain of their purchases is exact:
 * a shortest path. All other addresses are bought as rarely as possible and never pay a base fee of their own.
 */
export function lowerBound(day: Day): number {
  const permanent = day.consumers.filter(({ spans }) => spans.some(({ to }) => to === DAY))
  const watched = new Set(permanent.flatMap(({ addresses }) => addresses))
  const others = addressesOf(day).filter((address) => !watched.has(address))
  const items = PER_ITEM * sum(others.map((address) => fewestPurchases(address, day)))
  const everyMs = Math.min(...permanent.map((consumer) => consumer.everyMs))
  const start = Math.max(...permanent.flatMap(({ spans }) => spans.map(({ from }) => from)))
  return items + cheapestChain(start, everyMs, watched.size, forcedRequests(day, watched))
}

/** Moments that need addresses that nobody requested before, with the fee of a request for these. */
function forcedRequests({ consumers, lookUps }: Day, watched: ReadonlySet<string>): { at: number; fee: number }[] {
  const demands = [
    ...consumers.flatMap(({ spans, addresses, everyMs }) =>
      spans.map(({ from, to }) => ({ at: from, until: to, addresses, maxAgeMs: everyMs })),
    ),
    ...lookUps.map(({ at, addresses, maxAgeMs }) => ({ at, until: at, addresses, maxAgeMs })),
  ].sort((a, b) => a.at - b.at)
  return demands.flatMap(({ at, addresses, maxAgeMs }) => {
    const before = demands.filter((demand) => demand.at < at && demand.until >= at - maxAgeMs)
    const known = new Set(before.flatMap((demand) => demand.addresses))
    const unknown = addresses.filter((address) => !watched.has(address) && !known.has(address))
    return unknown.length === 0 ? [] : [{ at, fee: feeFor(unknown.length) }]
  })
}

/**
 * The lowest cost of buying a group at least every `everyMs`, plus the fees of those forced requests that the group does
 * not join.
 */
function cheapestChain(
  start: number,
  everyMs: number,
  size: number,
  forced: readonly { at: number; fee: number }[],
): number {
  const cache = new Map<number, number>()
  const feesBetween = (from: number, to: number) =>
    sum(forced.filter(({ at }) => at > from && at < to).map(({ fee }) => fee))
  /** The cost after a purchase at `from`, without that purchase. */
  const costAfter = (from: number): number => {
    const cached = cache.get(from)
    if (cached !== undefined) return cached
    const until = from + everyMs
    const separate =
      until >= DAY ? feesBetween(from, DAY) : feesBetween(from, until) + PER_ITEM * size + BASE + costAfter(until)
    const joined = forced
      .filter(({ at }) => at > from && at <= until)
      .map(({ at }) => feesBetween(from, at) + PER_ITEM * size + BASE + costAfter(at))
    const lowest = Math.min(separate, ...joined)
    cache.set(from, lowest)
    return lowest
  }
  return feesBetween(0, start) + PER_ITEM * size + BASE + costAfter(start)
}

function addressesOf({ consumers, lookUps }: Day): string[] {
  return [...new Set([...consumers, ...lookUps].flatMap(({ addresses }) => addresses))]
}

/** Purchases of one address if each one is made at the last moment that keeps its promises. */
function fewestPurchases(address: string, { consumers, lookUps }: Day): number {
  const spans = consumers
    .filter(({ addresses }) => addresses.includes(address))
    .flatMap(({ spans, everyMs }) => spans.map((span) => ({ ...span, everyMs })))
  const ownLookUps = lookUps.filter(({ addresses }) => addresses.includes(address))
  let count = 0
  let last = Number.NEGATIVE_INFINITY
  for (;;) {
    let next = Number.POSITIVE_INFINITY
    for (const { from, to, everyMs } of spans) {
      const at = Math.max(from, last + everyMs)
      // A watch that ends at this moment needs no price.
      if (at < to) next = Math.min(next, at)
    }
    for (const { at, maxAgeMs } of ownLookUps) if (at - last > maxAgeMs) next = Math.min(next, at)
    if (next === Number.POSITIVE_INFINITY) return count
    last = next
    count++
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
