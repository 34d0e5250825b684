import { BARE, OURS, OURS_ON_NODE } from '../contenders/index.ts'
import { judged, type Section } from '../section.ts'
import { interleave } from '../support/rounds.ts'
import { wallMs } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'

const LEAST_ROUNDS = 15
/** Milliseconds over bare fetch, at most. */
const TARGETS: Readonly<Record<string, number>> = { [OURS]: 8, [OURS_ON_NODE]: 0 }

/** From the start of a process with one light call to its end. */
export const coldStart: Section = {
  name: 'cold',
  async run({ contenders, rounds, service }) {
    const [address] = service.addresses
    const byId = new Map(contenders.map((contender) => [contender.id, contender]))
    const took = await interleave(Math.max(rounds, LEAST_ROUNDS), [...byId.keys()], (id) => {
      const job = { baseUrl: service.baseUrl, addresses: [address], file: byId.get(id)?.file, workload: 'light' }
      return wallMs(['cold/once.mjs'], job)
    })
    const of = (id: string) => took.map((round) => round[id] ?? Number.NaN)
    const bare = of(BARE)
    const cells = contenders.map(({ id }) => {
      if (id === BARE) return [id, `${spreadOf(bare).median.toFixed(0)} ms`]
      const over = spreadOf(of(id).map((ms, round) => ms - (bare[round] ?? Number.NaN)))
      return [id, judged(showSpread(over, signed), over.median <= (TARGETS[id] ?? Number.POSITIVE_INFINITY))]
    })
    const targets = Object.fromEntries(Object.entries(TARGETS).map(([id, ms]) => [id, signed(ms)]))
    return { column: { title: 'cold start, ms', cells: Object.fromEntries(cells), targets }, raw: took }
  },
}

function signed(ms: number): string {
  const rounded = Math.round(ms)
  return rounded > 0 ? `+${rounded}` : String(rounded)
}
