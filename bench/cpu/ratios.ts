import { OURS, OURS_ON_NODE } from '../contenders/index.ts'
import type { Section } from '../section.ts'
import { besideBare } from '../support/beside-bare.ts'
import { measure } from '../support/run-node.ts'

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
export const ratios: readonly Section[] = WORKLOADS.map(({ name, title, calls, targets }) => ({
  name,
  run: ({ contenders, rounds, service }) =>
    besideBare(contenders, rounds, {
      title,
      targets,
      measure: ({ file }) => measure<number>('cpu/client.mjs', { ...service, file, workload: name, calls }),
      showBare: (used) => `1 = ${used.toFixed(0)} µs`,
      beside: (used, bare) => used / bare,
      show: (ratio) => ratio.toFixed(2),
    }),
}))
