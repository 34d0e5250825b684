import { creditsFor, SINGLE } from './ledger.ts'
import type { Shape } from './shapes.ts'
import type { Consumer } from './workload.ts'

/** Credits for a workload. */
type Strategy = (shape: Shape) => number

interface Poll {
  readonly at: number
  readonly addresses: readonly string[]
  /** How old a price may be that the poll accepts from a cache. */
  readonly maxAgeMs: number
}

/** Every consumer polls once in its interval, while it lasts. */
function pollsOf({ consumers, lookUps }: Shape, maxAgeOf: (everyMs: number) => number): Poll[] {
  const polls: Poll[] = [...lookUps]
  for (const { addresses, everyMs, spans } of consumers) {
    for (const { from, to } of spans)
      for (let at = from; at < to; at += everyMs) polls.push({ at, addresses, maxAgeMs: maxAgeOf(everyMs) })
  }
  return polls.sort((a, b) => a.at - b.at)
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
const never = Number.NEGATIVE_INFINITY

/** `token.price` for each address of each poll. */
const oneCallEach: Strategy = (shape) => SINGLE * sum(pollsOf(shape, () => 0).map(({ addresses }) => addresses.length))

/** The cheapest requests for each poll. */
const oneBatchEach: Strategy = (shape) =>
  sum(pollsOf(shape, () => 0).map(({ addresses }) => creditsFor(addresses.length)))

/**
 * DataLoader: polls of the same moment share a batch, and a cache accepts prices for half of the interval. A price may be one and a
 * half intervals old.
 */
const dataLoader: Strategy = (shape) => {
  const boughtAt = new Map<string, number>()
  const batches = new Map<number, number>()
  for (const { at, addresses, maxAgeMs } of pollsOf(shape, (everyMs) => everyMs / 2)) {
    for (const address of addresses) {
      const last = boughtAt.get(address) ?? never
      if (last === at || at - last < maxAgeMs) continue
      boughtAt.set(address, at)
      batches.set(at, (batches.get(at) ?? 0) + 1)
    }
  }
  return sum([...batches.values()].map(creditsFor))
}

/** One `setInterval` with the shortest interval of all: it buys every watched address. A new watch, or a look-up, buys what is missing. */
const oneInterval: Strategy = ({ consumers, lookUps, durationMs }) => {
  const everyMs = Math.min(...consumers.map((consumer) => consumer.everyMs))
  const boughtAt = new Map<string, number>()
  let credits = 0
  const buy = (addresses: Iterable<string>, at: number, maxAgeMs: number) => {
    const missing = [...new Set(addresses)].filter((address) => at - (boughtAt.get(address) ?? never) > maxAgeMs)
    for (const address of missing) boughtAt.set(address, at)
    credits += creditsFor(missing.length)
  }
  const watched = (at: number) =>
    consumers.filter((consumer) => isWatching(consumer, at)).flatMap(({ addresses }) => addresses)
  const starts = consumers.flatMap(({ addresses, spans }) =>
    spans.map(({ from }) => ({ at: from, run: () => buy(addresses, from, everyMs) })),
  )
  const polls = Array.from({ length: Math.ceil(durationMs / everyMs) }, (_, round) => {
    const at = round * everyMs
    return { at, run: () => buy(watched(at), at, 0) }
  })
  const reads = lookUps.map(({ at, addresses, maxAgeMs }) => ({ at, run: () => buy(addresses, at, maxAgeMs) }))
  for (const { run } of [...polls, ...starts, ...reads].sort((a, b) => a.at - b.at)) run()
  return credits
}

const isWatching = ({ spans }: Consumer, at: number) => spans.some(({ from, to }) => from <= at && at < to)

/**
 * TanStack Query: a query for each token. Everybody who uses it has a timer with an interval of its own, which begins again with each
 * new price; a price is fresh for an interval.
 */
const queryPerToken: Strategy = ({ consumers, lookUps }) => {
  const users = new Map<string, { from: number; to: number; everyMs: number; isLookUp: boolean }[]>()
  const use = (addresses: readonly string[], from: number, to: number, everyMs: number, isLookUp = false) => {
    for (const address of addresses)
      users.set(address, [...(users.get(address) ?? []), { from, to, everyMs, isLookUp }])
  }
  for (const { addresses, spans, everyMs } of consumers)
    for (const { from, to } of spans) use(addresses, from, to, everyMs)
  for (const { at, addresses, maxAgeMs } of lookUps) use(addresses, at, at + 1, maxAgeMs, true)
  let requests = 0
  for (const list of users.values()) {
    for (let last = never; ; requests++) {
      const next = list.map(({ from, to, everyMs, isLookUp }) => {
        const isStale = from - last > everyMs
        const at = last < from ? (isStale ? from : from + everyMs) : last + everyMs
        return at < to || (isLookUp && isStale && last < from) ? at : Number.POSITIVE_INFINITY
      })
      last = Math.min(...next)
      if (last === Number.POSITIVE_INFINITY) break
    }
  }
  return SINGLE * requests
}

interface SimpleStrategy {
  readonly name: string
  readonly run: Strategy
  /** Whether no price is older than its watch or look-up allows. */
  readonly isInTime: boolean
}

/** What people would write themselves. */
export const SIMPLE_STRATEGIES: readonly SimpleStrategy[] = [
  { name: 'one call each', run: oneCallEach, isInTime: true },
  { name: 'one batch each', run: oneBatchEach, isInTime: true },
  { name: 'DataLoader', run: dataLoader, isInTime: false },
  { name: 'one `setInterval`', run: oneInterval, isInTime: true },
  { name: 'TanStack Query', run: queryPerToken, isInTime: false },
]
