import type { Contender } from './contenders/index.ts'
import type { Service } from './service/start.ts'

/** The inputs of a section. */
export interface BenchContext {
  readonly service: Service
  readonly rounds: number
  readonly contenders: readonly Contender[]
}

/** The client tables of the report, in order, with the title of each. */
export const CLIENT_TABLES = {
  overFetch: 'CPU of a call, over bare `fetch`',
  overPlain: 'CPU of a call, over the plain composition',
  startAndSize: 'Start and size',
} as const

/** One column of a client table. */
export interface Column {
  readonly table: keyof typeof CLIENT_TABLES
  readonly title: string
  /** The cell of each client, by its id. */
  readonly cells: Readonly<Record<string, string>>
  /** The highest figure allowed for a client, by its id. */
  readonly targets: Readonly<Record<string, string>>
}

/** One figure of etn-market alone, with its target. */
export interface Metric {
  readonly name: string
  readonly measured: string
  readonly target?: string
}

/** The figures of a section. */
export interface SectionResult {
  readonly columns?: readonly Column[]
  readonly metrics?: readonly Metric[]
  /** Every single measurement. */
  readonly raw: unknown
}

/** One part of a run. `--only` selects it by its name. */
export interface Section {
  readonly name: string
  run(context: BenchContext): Promise<SectionResult>
}

/** Marks a figure that misses its target. */
export function markMissed(figure: string, isMet: boolean): string {
  return isMet ? figure : `${figure} ✗`
}
