import { BARE, type Contender } from '../contenders/index.ts'
import { type Column, markMissed } from '../section.ts'
import { showSpread, spreadOf } from './statistics.ts'

/** How the figures of all clients become one column relative to a baseline. */
export interface Comparison {
  readonly table: Column['table']
  readonly title: string
  /** The id of the client that all others are compared with. @default BARE */
  readonly baseline?: string
  /** The highest relative figure allowed for a client, by its id. */
  readonly targets: Readonly<Record<string, number>>
  showBaseline(figure: number): string
  /** Relates a figure to the baseline of the same round. */
  relate(figure: number, baseline: number): number
  show(relative: number): string
}

/** One entry per round: the figure of each client, by its id. */
export type Rounds = readonly Readonly<Record<string, number>>[]

export function compare(
  contenders: readonly Contender[],
  rounds: Rounds,
  { table, title, baseline = BARE, targets, showBaseline, relate, show }: Comparison,
): Column {
  const figuresOf = (id: string) => rounds.map((round) => round[id] ?? Number.NaN)
  const baselines = figuresOf(baseline)
  const cells = contenders.map(({ id }) => {
    if (id === baseline) return [id, showBaseline(spreadOf(baselines).median)]
    const relative = figuresOf(id).map((figure, round) => relate(figure, baselines[round] ?? Number.NaN))
    const spread = spreadOf(relative)
    return [id, markMissed(showSpread(spread, show), spread.median <= (targets[id] ?? Number.POSITIVE_INFINITY))]
  })
  const shownTargets = Object.entries(targets).map(([id, target]) => [id, show(target)])
  return { table, title, cells: Object.fromEntries(cells), targets: Object.fromEntries(shownTargets) }
}
