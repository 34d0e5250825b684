import { createRandom } from '../../support/random.ts'
import { creditsFor } from './ledger.ts'
import { cellsOf, cheapestPurchases, promisesOf } from './promises.ts'
import type { Shape } from './shapes.ts'

/** Sweeps over all addresses; the last ones are without noise. */
const [SWEEPS, EXACT_SWEEPS] = [16, 4]
/** How much the prices of the moments are varied at first, in credits, so that the search leaves poor schedules. */
const NOISE = 15

/**
 * The credits of a good schedule that knows everything in advance: no feed can know that. One address after the other gets its
 * cheapest purchases beside those of the others, again and again. The lowest possible cost is between the lower bound and this.
 */
export function bestKnownSchedule(shape: Shape): number {
  const promises = promisesOf(shape)
  const cells = cellsOf(shape)
  const random = createRandom(3)
  const marginal = Float64Array.from(
    { length: promises.length + 1 },
    (_, count) => creditsFor(count + 1) - creditsFor(count),
  )
  const counts = new Int32Array(cells)
  const purchases = promises.map((): number[] => [])
  const costs = new Float64Array(cells)
  let lowest = Number.POSITIVE_INFINITY
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const noise = Math.max(0, NOISE * (1 - sweep / (SWEEPS - EXACT_SWEEPS)))
    for (const [index, one] of promises.entries()) {
      for (const cell of purchases[index] ?? []) counts[cell] = (counts[cell] ?? 0) - 1
      for (let cell = 0; cell < cells; cell++)
        costs[cell] = Math.max(0, (marginal[counts[cell] ?? 0] ?? 0) + (noise && noise * (2 * random() - 1)))
      const chosen: number[] = []
      cheapestPurchases(one, costs, (cell) => chosen.push(cell))
      for (const cell of chosen) counts[cell] = (counts[cell] ?? 0) + 1
      purchases[index] = chosen
    }
    lowest = Math.min(
      lowest,
      counts.reduce((sum, count) => sum + creditsFor(count), 0),
    )
  }
  return lowest
}
