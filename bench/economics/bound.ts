import { DAY, type Workload } from './workload.ts'

const BASE = 100
const PER_ITEM = 10

/** What a request of so many addresses costs beyond 10 credits for each: one by one 40 each, or the base fee. */
const feeFor = (addresses: number) => Math.min(40 * addresses, BASE)

/**
 * Credits below which nobody can keep the promises of a workload, even who knows the whole day in advance.
 *
 * For one address alone the fewest purchases are found exactly: to buy at the last moment at which some promise forces it.
 * A request of n addresses, at the lesser of 50n and 100 + 10n, never costs less than 10n and a share of the base fee for each
 * address, as long as no share is above 40 and all of them together are at most 100. So the sum over all addresses of
 * (10 + share) × fewest purchases is a bound for every schedule: the dual of the relaxed problem. It is highest with the
 * shares 40, 40 and 20 for those three that have to be bought most often, and then says that all base fees are shared perfectly.
 */
export function prophetBound(workload: Workload): number {
  const counts = addressesOf(workload).map((address) => fewestPurchases(address, workload))
  const [first = 0, second = 0, third = 0] = counts.toSorted((a, b) => b - a)
  return PER_ITEM * sum(counts) + 40 * first + 40 * second + 20 * third
}

/**
 * The same for who does not know of a look-up, or of the start of a watch, before it comes: each address is bought exactly when
 * a promise forces it, and base fees are shared perfectly.
 *
 * At a moment that asks for an address which nobody had asked for before, a request has to be made then and there. The
 * addresses that are watched all day can be bought in the same request, or 5 minutes after their last one in one of their own:
 * the cheapest such chain of purchases through the day is found exactly, as a shortest path. All other addresses are
 * taken to be bought as rarely as can be, and never to cost a base fee of their own.
 */
export function forcedBound(workload: Workload): number {
  const always = workload.consumers.filter(({ spans }) => spans.some(({ to }) => to === DAY))
  const core = new Set(always.flatMap(({ addresses }) => addresses))
  const others = addressesOf(workload).filter((address) => !core.has(address))
  const items = PER_ITEM * sum(others.map((address) => fewestPurchases(address, workload)))
  const everyMs = Math.min(...always.map((consumer) => consumer.everyMs))
  const begin = Math.max(...always.flatMap(({ spans }) => spans.map(({ from }) => from)))
  return items + cheapestChain(begin, everyMs, core.size, surprises(workload, core))
}

/** Moments that ask for addresses of which nobody could know, and the fee for as many. */
function surprises({ consumers, views }: Workload, core: ReadonlySet<string>): { at: number; fee: number }[] {
  const asks = [
    ...consumers.flatMap(({ spans, addresses, everyMs }) =>
      spans.map(({ from, to }) => ({ at: from, until: to, addresses, maxAgeMs: everyMs })),
    ),
    ...views.map(({ at, addresses, maxAgeMs }) => ({ at, until: at, addresses, maxAgeMs })),
  ].sort((a, b) => a.at - b.at)
  return asks.flatMap(({ at, addresses, maxAgeMs }) => {
    const before = asks.filter((ask) => ask.at < at && ask.until >= at - maxAgeMs)
    const known = new Set(before.flatMap((ask) => ask.addresses))
    const unknown = addresses.filter((address) => !core.has(address) && !known.has(address))
    return unknown.length === 0 ? [] : [{ at, fee: feeFor(unknown.length) }]
  })
}

/** The least that a group costs, bought every `everyMs` at the latest, with what moments cost that it is not bought at. */
function cheapestChain(
  begin: number,
  everyMs: number,
  size: number,
  moments: readonly { at: number; fee: number }[],
): number {
  const known = new Map<number, number>()
  const feesBetween = (from: number, to: number) =>
    sum(moments.filter(({ at }) => at > from && at < to).map(({ fee }) => fee))
  /** From a purchase on, which is paid for already. */
  const restFrom = (from: number): number => {
    const found = known.get(from)
    if (found !== undefined) return found
    const until = from + everyMs
    const alone =
      until >= DAY ? feesBetween(from, DAY) : feesBetween(from, until) + PER_ITEM * size + BASE + restFrom(until)
    const shared = moments
      .filter(({ at }) => at > from && at <= until)
      .map(({ at }) => feesBetween(from, at) + PER_ITEM * size + BASE + restFrom(at))
    const least = Math.min(alone, ...shared)
    known.set(from, least)
    return least
  }
  return feesBetween(0, begin) + PER_ITEM * size + BASE + restFrom(begin)
}

function addressesOf({ consumers, views }: Workload): string[] {
  return [...new Set([...consumers, ...views].flatMap(({ addresses }) => addresses))]
}

/** Buys an address each time at the last moment that keeps its promises. */
function fewestPurchases(address: string, { consumers, views }: Workload): number {
  const spans = consumers
    .filter(({ addresses }) => addresses.includes(address))
    .flatMap(({ spans, everyMs }) => spans.map((span) => ({ ...span, everyMs })))
  const looks = views.filter(({ addresses }) => addresses.includes(address))
  let count = 0
  let last = Number.NEGATIVE_INFINITY
  for (;;) {
    let next = Number.POSITIVE_INFINITY
    for (const { from, to, everyMs } of spans) {
      const at = Math.max(from, last + everyMs)
      // A promise that ends at this very moment binds nobody.
      if (at < to) next = Math.min(next, at)
    }
    for (const { at, maxAgeMs } of looks) if (at - last > maxAgeMs) next = Math.min(next, at)
    if (next === Number.POSITIVE_INFINITY) return count
    last = next
    count++
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
