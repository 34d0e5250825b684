import { changeShares, equalShares, type FeeShares, type MeanPurchases, noShares, unequalShares } from './fee-shares.ts'
import { createJointPurchases, type JointPurchases, jointlySolvable } from './joint-purchases.ts'
import { cellsOf, cheapestPurchases, type Promises, promisesOf } from './promises.ts'
import type { Shape } from './shapes.ts'

/** The first change of a share, in credits, and the one at which the search ends. */
const [FIRST_STEP, LAST_STEP] = [12, 0.1]
/** The first change if some addresses are solved together: the first shares are better then. */
const FIRST_JOINT_STEP = 3
/** How much the newest purchases count in their mean. */
const NEWEST = 0.2
/** Rounds without progress before the steps get smaller, and how much smaller. */
const [PATIENCE, DECAY] = [8, 0.6]

/**
 * A lower bound in credits for every schedule that buys an address only while somebody watches it, or at the moment of a look-up.
 *
 * 1. Buying n addresses at a moment costs 10 n and a fee: 40 n, but at most 100, for up to 50 addresses, and so on for each 50. Give
 *    each address a share of the fee at each moment, so that no group of addresses has shares above its fee. Then every schedule
 *    costs at least the sum of 10 + share over its purchases.
 * 2. With fixed shares, each address is a problem of its own, and a shortest path solves it exactly. The sum of these optima is a
 *    lower bound, for any shares: they are multipliers of a Lagrangian relaxation.
 * 3. Some of the addresses that are bought most often are one problem together, which dynamic programming solves exactly. They pay
 *    what the shares of the others leave of the fee, or 40 each.
 * 4. The shares are improved by the subgradient method: they rise at moments when the optima buy. The highest sum counts. Without 3,
 *    it converges to the optimum of the linear relaxation, in which a fraction of a batch may be bought.
 *
 * A share has a part that every address has at that moment, 2 at most, and a part of its own. The parts of its own and 50 times the
 * common part are 100 together at most, and no share exceeds 40. That meets the condition of 1: of up to 50 addresses none exceeds 40
 * and all together have 100 at most, and each further address adds the common part only.
 * The grid loses nothing: starts and intervals are multiples of its step, so a schedule that is moved back to the grid keeps its
 * promises and costs no more. The bound knows everything in advance; no feed does.
 */
export function lowerBound(shape: Shape, rounds: number): number {
  const cells = cellsOf(shape)
  const free = new Float64Array(cells).fill(1)
  const counted = promisesOf(shape).map((one) => ({ one, count: cheapestPurchases(one, free) }))
  const promises = counted.sort((a, b) => b.count - a.count).map(({ one }) => one)
  const starts = [unequalShares(promises, cells), equalShares(promises.length, cells)].map((shares) => ({
    shares,
    sum: sumOfOptima(promises, shares),
  }))
  const best = starts.reduce((one, other) => (other.sum > one.sum ? other : one))
  if (rounds === 0) return best.sum
  const together = best === starts[0] ? jointlySolvable(promises) : []
  if (together.length < 2) return improve({ promises, shares: best.shares, cells }, rounds)
  const joint = createJointPurchases(together, cells)
  const others = promises.slice(together.length)
  return Math.max(best.sum, improve({ promises: others, shares: noShares(others.length, cells), cells, joint }, rounds))
}

interface Relaxation {
  readonly promises: readonly Promises[]
  readonly shares: FeeShares
  readonly cells: number
  /** The addresses that are solved together. */
  readonly joint?: JointPurchases
}

function sumOfOptima(promises: readonly Promises[], { costs }: FeeShares): number {
  return promises.reduce((sum, one, index) => sum + cheapestPurchases(one, costs[index] as Float64Array), 0)
}

/** Returns the highest sum of the optima that the search finds. */
function improve({ promises, shares, cells, joint }: Relaxation, rounds: number): number {
  const wanted = Array.from({ length: cells }, (_, cell) =>
    [...promises.keys()].filter((index) => promises[index]?.isWanted[cell]),
  )
  const mean: MeanPurchases = {
    bought: promises.map(() => new Float64Array(cells)),
    batches: new Float64Array(cells),
    inBatches: new Float64Array(cells),
  }
  let step = joint === undefined ? FIRST_STEP : FIRST_JOINT_STEP
  let [highest, withoutProgress] = [0, 0]
  for (let round = 0; ; round++) {
    const newest = round === 0 ? 1 : NEWEST
    const record = (counts: Float64Array) => {
      for (let cell = 0; cell < cells; cell++) counts[cell] = (counts[cell] ?? 0) * (1 - newest)
      return (cell: number, count = 1) => {
        counts[cell] = (counts[cell] ?? 0) + newest * count
      }
    }
    const [onBatch, onAddresses] = [record(mean.batches), record(mean.inBatches)]
    let sum = 0
    if (joint)
      sum = joint.solve(shares, (cell, addresses) => {
        onBatch(cell)
        onAddresses(cell, addresses)
      })
    for (const [index, one] of promises.entries()) {
      const onPurchase = record(mean.bought[index] as Float64Array)
      sum += cheapestPurchases(one, shares.costs[index] as Float64Array, (cell) => onPurchase(cell))
    }
    withoutProgress = sum > highest * 1.000_3 ? 0 : withoutProgress + 1
    highest = Math.max(highest, sum)
    if (withoutProgress > PATIENCE) {
      step *= DECAY
      withoutProgress = 0
    }
    if (round >= rounds || step < LAST_STEP) return highest
    for (let cell = 0; cell < cells; cell++)
      changeShares(shares, wanted[cell] ?? [], mean, cell, step, joint !== undefined)
  }
}
