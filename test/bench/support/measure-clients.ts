import type { Contender } from '../contenders/index.ts'
import type { Rounds } from './compare.ts'
import { interleave } from './interleave.ts'

/** Measures every client once per round. */
export function measureClients(
  contenders: readonly Contender[],
  rounds: number,
  measure: (contender: Contender) => Promise<number>,
): Promise<Rounds> {
  const byId = new Map(contenders.map((contender) => [contender.id, contender]))
  return interleave(rounds, [...byId.keys()], (id) => measure(byId.get(id) as Contender))
}
