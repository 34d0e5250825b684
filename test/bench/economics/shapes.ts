import { createRandom } from '../../support/random.ts'
import { addressList } from './ledger.ts'
import { type Consumer, type LookUp, MINUTE, type Workload } from './workload.ts'

const SECOND = 1_000
const HOUR = 60 * MINUTE
const EVERY_MS = 5 * MINUTE
/** Between the moments of mixed workloads: half of it doubles the time of the search for a bound. */
const STEP_MS = 10 * SECOND

/** A workload whose times are multiples of `stepMs`. */
export interface Shape extends Workload {
  readonly durationMs: number
  readonly stepMs: number
}

type Random = () => number

/** How the watches of `tokens` look, and over how long. */
export interface Demand {
  readonly name: string
  readonly durationMs: number
  readonly stepMs: number
  consumers(tokens: readonly string[], random: Random, durationMs: number): Consumer[]
  /** The mean time between look-ups. */
  readonly lookUpsEveryMs?: number
  /** Whether all watches have the same interval and nothing else happens. */
  readonly hasOneInterval: boolean
  /** Whether watches join and leave. */
  readonly isUnsteady?: boolean
  /** The most tokens that are watched, where that is not all of them. */
  readonly mostWatched?: number
}

const onGrid = (ms: number, stepMs: number) => Math.round(ms / stepMs) * stepMs

/** A watch for each token, from `startOf` to the end. */
const watchEach =
  (startOf: (index: number, count: number, random: Random) => number, everyOf: (random: Random) => number) =>
  (tokens: readonly string[], random: Random, durationMs: number): Consumer[] =>
    tokens.map((token, index) => ({
      name: token,
      addresses: [token],
      everyMs: everyOf(random),
      spans: [{ from: startOf(index, tokens.length, random), to: durationMs }],
    }))

const fiveMinutes = () => EVERY_MS
const atRandom = (stepMs: number) => (_index: number, _count: number, random: Random) =>
  onGrid(random() * EVERY_MS, stepMs)
/** From 10 s to 1 h, each order of magnitude as often. */
const anyInterval = (random: Random) => onGrid(10 * SECOND * 360 ** random(), STEP_MS)

/** Twenty watches of 5 to 30 tokens each, which share some of them. */
const dashboards = (tokens: readonly string[], random: Random, durationMs: number): Consumer[] =>
  Array.from({ length: 20 }, (_, index) => {
    const count = Math.min(tokens.length, 5 + Math.floor(random() * 26))
    const left = [...tokens]
    const addresses = Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0] ?? '')
    const from = onGrid(random() * EVERY_MS, SECOND)
    return { name: `dashboard ${index}`, addresses, everyMs: EVERY_MS, spans: [{ from, to: durationMs }] }
  })

/** As many watches as tokens, of up to three tokens each, that come for 5 to 60 minutes and stay away as long. */
function comeAndGo(tokens: readonly string[], random: Random, durationMs: number): Consumer[] {
  const anyTime = () => onGrid(5 * MINUTE + random() * 55 * MINUTE, STEP_MS)
  const anyToken = () => tokens[Math.floor(random() * tokens.length)] ?? ''
  return tokens.map((token) => {
    const spans: { from: number; to: number }[] = []
    for (let from = onGrid(random() * HOUR, STEP_MS); from < durationMs; ) {
      const to = Math.min(durationMs, from + anyTime())
      spans.push({ from, to })
      from = to + anyTime()
    }
    return { name: token, addresses: [...new Set([token, anyToken(), anyToken()])], everyMs: EVERY_MS, spans }
  })
}

const sameInterval = { durationMs: 12 * HOUR, stepMs: SECOND, hasOneInterval: true }
const mixed = { durationMs: 6 * HOUR, stepMs: STEP_MS, hasOneInterval: false }
const apart = { name: 'begun apart at random', consumers: watchEach(atRandom(STEP_MS), fiveMinutes) }
const anyIntervals = {
  ...mixed,
  name: 'at intervals from 10 s to 1 h',
  consumers: watchEach(atRandom(STEP_MS), anyInterval),
}
const joining = { ...mixed, name: 'joining and leaving', consumers: comeAndGo, isUnsteady: true }
/** The name and the mean time between look-ups. */
const withLookUps = (demand: Demand): Demand => ({
  ...demand,
  ...mixed,
  name: `${demand.name}, with look-ups`,
  lookUpsEveryMs: MINUTE / 2,
})

export const DEMANDS: readonly Demand[] = [
  {
    ...sameInterval,
    name: 'one watch',
    consumers: (tokens, _random, durationMs) => [
      { name: 'all', addresses: tokens, everyMs: EVERY_MS, spans: [{ from: 0, to: durationMs }] },
    ],
  },
  { ...sameInterval, name: 'begun together', consumers: watchEach(() => 0, fiveMinutes) },
  {
    ...sameInterval,
    name: 'begun apart evenly',
    consumers: watchEach((index, count) => onGrid((index * EVERY_MS) / count, SECOND), fiveMinutes),
  },
  { ...sameInterval, ...apart, consumers: watchEach(atRandom(SECOND), fiveMinutes) },
  { ...sameInterval, name: '20 dashboards of 5 to 30 tokens', consumers: dashboards, mostWatched: 20 * 30 },
  anyIntervals,
  joining,
  withLookUps({ ...mixed, ...apart }),
  withLookUps(anyIntervals),
  withLookUps(joining),
]

/** Look-ups of 1 to 5 tokens that accept a price of the last minute; the nth token is wanted 1/n as often as the first. */
function drawLookUps(tokens: readonly string[], random: Random, durationMs: number, everyMs: number): LookUp[] {
  const ranked = tokens.map((token) => ({ token, key: random() })).sort((a, b) => a.key - b.key)
  let total = 0
  const cumulative = ranked.map((_, rank) => (total += 1 / (rank + 1)))
  const drawOne = () => {
    const drawn = random() * total
    return ranked[cumulative.findIndex((sum) => sum > drawn)]?.token ?? ''
  }
  const lookUps: LookUp[] = []
  for (let at = 0; at < durationMs; at += -Math.log(1 - random()) * everyMs) {
    const addresses = Array.from({ length: 1 + Math.floor(random() * 5) }, drawOne)
    lookUps.push({
      at: Math.min(onGrid(at, STEP_MS), durationMs - STEP_MS),
      addresses: [...new Set(addresses)],
      maxAgeMs: MINUTE,
    })
  }
  return lookUps
}

/** Long enough for the beginning not to matter; shorter for many tokens, because there is more to simulate. */
const durationFor = (durationMs: number, count: number) =>
  count > 1_000 ? durationMs / 6 : count > 50 ? durationMs / 2 : durationMs

export function createShape(demand: Demand, count: number, seed: number): Shape {
  const { stepMs, lookUpsEveryMs, mostWatched = count } = demand
  const durationMs = durationFor(demand.durationMs, Math.min(count, mostWatched))
  const random = createRandom(seed)
  const tokens = addressList(count)
  const consumers = demand.consumers(tokens, random, durationMs)
  // A third of the tokens that are looked up is not watched.
  const lookedUp = addressList(Math.ceil(count * 1.5))
  const lookUps = lookUpsEveryMs === undefined ? [] : drawLookUps(lookedUp, random, durationMs, lookUpsEveryMs)
  return { consumers, lookUps, durationMs, stepMs }
}
