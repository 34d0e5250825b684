import { createRandom } from '../../support/random.ts'
import { runFeed } from './feed-run.ts'
import { addressList } from './ledger.ts'
import type { Shape } from './shapes.ts'
import { SIMPLE_STRATEGIES } from './simple-strategies.ts'
import { type Consumer, MINUTE } from './workload.ts'

/** What a random workload is drawn from. */
interface Genes {
  readonly seed: number
  readonly tokens: number
  readonly watches: number
  readonly tokensEach: number
  /** Up to four, in minutes; some may be the same. */
  readonly intervals: readonly number[]
  /** The watches start within this many minutes. */
  readonly apart: number
  /** The share of the watches that leave and come back. */
  readonly leaving: number
}

export interface Workload {
  /** Credits of the feed over the cheapest strategy that is never later. */
  readonly ratio: number
  readonly description: string
}

const SECOND = 1_000
/** Rounds of the shortest interval. */
const ROUNDS = 30
/** The share of workloads that are drawn anew; the others vary one of the worst. */
const NEW = 0.5
const WORST = 8
const INTERVALS = [1, 1.5, 2, 3, 5, 7, 10, 20]

/** The worst of `count` workloads, one without and one with watches that leave. Half of them are variations of the worst so far. */
export async function worstWorkloads(count: number): Promise<{ staying: Workload; leaving: Workload }> {
  const staying = await search(count / 2, false)
  const leaving = await search(count / 2, true)
  return { staying, leaving }
}

async function search(count: number, mayLeave: boolean): Promise<Workload> {
  const random = createRandom(mayLeave ? 2 : 1)
  let worst: { genes: Genes; ratio: number }[] = []
  for (let number = 0; number < count; number++) {
    const parent = worst[Math.floor(random() * worst.length)]
    const genes = parent && random() > NEW ? vary(parent.genes, random, mayLeave) : draw(random, mayLeave)
    const shape = toShape(genes)
    const plain = Math.min(...SIMPLE_STRATEGIES.filter(({ isInTime }) => isInTime).map(({ run }) => run(shape)))
    const { credits } = await runFeed(shape)
    worst = [...worst, { genes, ratio: credits / plain }].sort((a, b) => b.ratio - a.ratio).slice(0, WORST)
  }
  const [first] = worst
  if (first === undefined) throw new Error('A search needs workloads.')
  return { ratio: first.ratio, description: describe(first.genes) }
}

function draw(random: () => number, mayLeave: boolean): Genes {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  return {
    seed: Math.floor(random() * 1e6),
    tokens: Math.round(120 ** random()),
    watches: Math.round(60 ** random()),
    tokensEach: Math.round(40 ** random()),
    intervals: Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(INTERVALS)),
    apart: pick([0, 0.5, 1, 5]),
    leaving: mayLeave ? random() : 0,
  }
}

/** Draws one or two of the numbers again. */
function vary(genes: Genes, random: () => number, mayLeave: boolean): Genes {
  const other = draw(random, mayLeave)
  const names = Object.keys(genes) as (keyof Genes)[]
  const changed = Array.from({ length: 1 + Math.floor(random() * 2) }, () => names[Math.floor(random() * names.length)])
  return Object.assign({}, genes, ...changed.map((name) => name && { [name]: other[name] }))
}

function toShape({ seed, tokens, watches, tokensEach, intervals, apart, leaving }: Genes): Shape {
  const random = createRandom(seed)
  const addresses = addressList(tokens)
  // The feed buys a little before a poll would: both fall into the same round.
  const durationMs = ROUNDS * Math.min(...intervals) * MINUTE + SECOND / 2
  const onGrid = (minutes: number) => SECOND * Math.round(60 * minutes)
  const consumers = Array.from({ length: watches }, (_, index): Consumer => {
    const first = Math.floor(random() * tokens)
    const minutes = intervals[Math.floor(random() * intervals.length)] ?? 1
    const spans = [{ from: Math.min(durationMs - SECOND, onGrid(random() * apart)), to: durationMs }]
    const comesAndGoes = random() < leaving
    for (let last = spans[0]; comesAndGoes && last; last = spans.at(-1)) {
      const to = last.from + onGrid(minutes * (0.5 + 10 * random()))
      const from = to + onGrid(minutes * (0.1 + 5 * random()))
      if (to >= durationMs) break
      spans[spans.length - 1] = { from: last.from, to }
      if (from >= durationMs) break
      spans.push({ from, to: durationMs })
    }
    const chosen = Array.from({ length: tokensEach }, (_, offset) => addresses[(first + offset) % tokens] ?? '')
    return { name: String(index), addresses: [...new Set(chosen)], everyMs: minutes * MINUTE, spans }
  })
  return { consumers, lookUps: [], durationMs, stepMs: SECOND }
}

function describe({ tokens, watches, tokensEach, intervals, apart, leaving }: Genes): string {
  const leave = leaving > 0 ? `, ${Math.round(100 * leaving)} % of them leaving` : ''
  return `${watches} watches of up to ${tokensEach} of ${tokens} tokens every ${intervals.join(', ')} minutes, begun within ${apart} minutes${leave}`
}
