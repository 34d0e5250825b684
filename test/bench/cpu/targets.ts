import { OURS, OURS_ON_NODE } from '../contenders/index.ts'

/** A workload of which the CPU time is measured, and what it may be. A target that is met may only be lowered. */
export interface Workload {
  readonly name: string
  readonly title: string
  readonly calls: number
  /** The highest ratio allowed over bare fetch, by the id of a client. */
  readonly overFetch: Readonly<Record<string, number>>
  /** The highest ratio allowed over the plain composition. */
  readonly overPlain: Readonly<Record<string, number>>
}

const onNode = (ratio: number) => ({ [OURS_ON_NODE]: ratio })
const ours = (ratio: number) => ({ [OURS]: ratio })

export const LIGHT: Workload = {
  name: 'light',
  title: 'light call',
  calls: 4_000,
  overFetch: onNode(0.7),
  overPlain: ours(1.05),
}
export const LIGHT_50: Workload = {
  name: 'light-50',
  title: '50 in flight',
  calls: 6_000,
  overFetch: onNode(0.58),
  overPlain: ours(1),
}
export const CANDLES: Workload = {
  name: 'candles',
  title: '500 candles',
  calls: 1_600,
  overFetch: onNode(0.72),
  overPlain: ours(1),
}
export const BATCH: Workload = {
  name: 'batch',
  title: 'batch of 50',
  calls: 2_400,
  overFetch: onNode(0.8),
  overPlain: ours(1.12),
}
