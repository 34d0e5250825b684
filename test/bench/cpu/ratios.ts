import { OURS, OURS_ON_NODE, PLAIN } from '../contenders/index.ts'
import type { Section } from '../section.ts'
import { type Comparison, compare } from '../support/compare.ts'
import { measureClients } from '../support/measure-clients.ts'
import { measure } from '../support/run-node.ts'
import { BATCH, CANDLES, LIGHT, LIGHT_50, type Workload } from './targets.ts'

const onNode = { [OURS_ON_NODE]: 0.7 }

const WORKLOADS: readonly Workload[] = [
  LIGHT,
  LIGHT_50,
  CANDLES,
  BATCH,
  // 240 calls are 12,000 addresses.
  {
    name: 'new-addresses',
    title: 'batch, new addresses',
    calls: 4 * 240,
    overFetch: { [OURS]: 1.5, ...onNode },
    overPlain: {},
  },
  {
    name: 'seen-addresses',
    title: 'batch, 12,000 seen addresses',
    calls: 4 * 240,
    overFetch: { [OURS]: 1.3, ...onNode },
    overPlain: {},
  },
]

const asRatio: Pick<Comparison, 'showBaseline' | 'relate' | 'show'> = {
  showBaseline: (used) => `1 = ${used.toFixed(0)} µs`,
  relate: (used, baseline) => used / baseline,
  show: (ratio) => ratio.toFixed(2),
}

/** CPU time of every client over that of each baseline in the same round. */
export const ratios: readonly Section[] = WORKLOADS.map(({ name, title, calls, overFetch, overPlain }) => ({
  name,
  async run({ contenders, rounds, service }) {
    const raw = await measureClients(contenders, rounds, ({ file }) =>
      measure<number>('cpu/client.mjs', { ...service, file, workload: name, calls }),
    )
    const columns = [compare(contenders, raw, { ...asRatio, table: 'overFetch', title, targets: overFetch })]
    if (contenders.some(({ id }) => id === PLAIN)) {
      columns.push(
        compare(contenders, raw, { ...asRatio, table: 'overPlain', title, baseline: PLAIN, targets: overPlain }),
      )
    }
    return { columns, raw }
  },
}))
