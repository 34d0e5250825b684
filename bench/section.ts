import type { Contender } from './contenders/index.ts'
import type { Service } from './service/start.ts'

/** What a section measures with. */
export interface Bench {
  readonly service: Service
  readonly rounds: number
  readonly contenders: readonly Contender[]
}

/** One figure of every client, by its id. */
export interface Column {
  readonly title: string
  readonly cells: Readonly<Record<string, string>>
  /** What the figure of a client is to be, by its id. */
  readonly targets: Readonly<Record<string, string>>
}

/** One figure of ours, beside what it is to be. */
export interface Claim {
  readonly what: string
  readonly measured: string
  readonly target?: string
}

/** What a section found out. */
export interface Outcome {
  readonly column?: Column
  readonly claims?: readonly Claim[]
  /** Everything that was measured. */
  readonly raw: unknown
}

/** One part of a run, that can be asked for by its name. */
export interface Section {
  readonly name: string
  run(bench: Bench): Promise<Outcome>
}

/** Marks a figure that is not what it is to be. */
export function judged(figure: string, met: boolean): string {
  return met ? figure : `${figure} ✗`
}
