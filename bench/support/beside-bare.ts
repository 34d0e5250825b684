import { BARE, type Contender } from '../contenders/index.ts'
import { judged, type Outcome } from '../section.ts'
import { interleave } from './rounds.ts'
import { showSpread, spreadOf } from './statistics.ts'

export interface Comparison {
  readonly title: string
  /** What a client's figure is to be at most, by its id. */
  readonly targets: Readonly<Record<string, number>>
  measure(contender: Contender): Promise<number>
  showBare(figure: number): string
  /** The figure of a client beside that of bare fetch in the same round. */
  beside(figure: number, bare: number): number
  show(beside: number): string
}

/** Measures every client in every round, and shows it beside bare fetch. */
export async function besideBare(
  contenders: readonly Contender[],
  rounds: number,
  { title, targets, measure, showBare, beside, show }: Comparison,
): Promise<Outcome> {
  const byId = new Map(contenders.map((contender) => [contender.id, contender]))
  const raw = await interleave(rounds, [...byId.keys()], (id) => measure(byId.get(id) as Contender))
  const of = (id: string) => raw.map((round) => round[id] ?? Number.NaN)
  const bare = of(BARE)
  const cells = contenders.map(({ id }) => {
    if (id === BARE) return [id, showBare(spreadOf(bare).median)]
    const spread = spreadOf(of(id).map((figure, round) => beside(figure, bare[round] ?? Number.NaN)))
    return [id, judged(showSpread(spread, show), spread.median <= (targets[id] ?? Number.POSITIVE_INFINITY))]
  })
  const asked = Object.entries(targets).map(([id, target]) => [id, show(target)])
  return { column: { title, cells: Object.fromEntries(cells), targets: Object.fromEntries(asked) }, raw }
}
