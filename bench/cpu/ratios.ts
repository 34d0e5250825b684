import { BARE, OURS, OURS_ON_NODE } from '../contenders/index.ts'
import { type Bench, judged, type Outcome, type Section } from '../section.ts'
import { interleave } from '../support/rounds.ts'
import { measure } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'

interface Workload {
  readonly name: string
  readonly title: string
  readonly calls: number
  /** Of the CPU of bare fetch, at most. */
  readonly targets: Readonly<Record<string, number>>
}

const WORKLOADS: readonly Workload[] = [
  { name: 'light', title: 'light call', calls: 4_000, targets: { [OURS]: 1.25, [OURS_ON_NODE]: 0.8 } },
  { name: 'light-50', title: '50 in flight', calls: 6_000, targets: { [OURS]: 1.35, [OURS_ON_NODE]: 0.65 } },
  { name: 'candles', title: '500 candles', calls: 1_600, targets: { [OURS]: 1.1, [OURS_ON_NODE]: 0.75 } },
  { name: 'batch', title: 'batch of 50', calls: 2_400, targets: { [OURS]: 1.25, [OURS_ON_NODE]: 0.75 } },
]

/** CPU of every client over that of bare fetch in the same round. */
export const ratios: readonly Section[] = WORKLOADS.map((workload) => ({
  name: workload.name,
  run: (bench) => compare(workload, bench),
}))

async function compare({ name, title, calls, targets }: Workload, bench: Bench): Promise<Outcome> {
  const { contenders, service, rounds } = bench
  const byId = new Map(contenders.map((contender) => [contender.id, contender]))
  const cpu = await interleave(rounds, [...byId.keys()], (id) =>
    measure<number>('cpu/client.mjs', { ...service, file: byId.get(id)?.file, workload: name, calls }),
  )
  const of = (id: string) => cpu.map((round) => round[id] ?? Number.NaN)
  const bare = of(BARE)
  const cells = contenders.map(({ id }) => {
    if (id === BARE) return [id, `1 = ${spreadOf(bare).median.toFixed(0)} µs`]
    const ratio = spreadOf(of(id).map((used, round) => used / (bare[round] ?? Number.NaN)))
    const figure = showSpread(ratio, (value) => value.toFixed(2))
    return [id, judged(figure, ratio.median <= (targets[id] ?? Number.POSITIVE_INFINITY))]
  })
  const asked = Object.entries(targets).map(([id, target]) => [id, target.toFixed(2)])
  return { column: { title, cells: Object.fromEntries(cells), targets: Object.fromEntries(asked) }, raw: cpu }
}
