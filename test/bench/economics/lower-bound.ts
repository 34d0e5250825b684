import { BASE, PER_ITEM, SINGLE } from './ledger.ts'
import { cellsOf, cheapestPurchases, type Promises, promisesOf } from './promises.ts'
import type { Shape } from './shapes.ts'

/** A price alone costs this much more than its place in a batch. */
const MAX_SHARE = SINGLE - PER_ITEM
/** The share of the base fee in a batch of fifty. */
const FULL_BATCH_SHARE = BASE / 50
/** The first change of a share, in credits, and the one at which the search ends. */
const [FIRST_STEP, LAST_STEP] = [12, 1.5]
/** How much the newest purchases count in their mean. */
const NEWEST = 0.2
/** Rounds without progress before the steps get smaller. */
const PATIENCE = 8

/**
 * A lower bound in credits for every schedule that buys an address only while somebody watches it, or at the moment of a look-up.
 *
 * 1. Buying n addresses at a moment costs 10 n and a fee: 40 n, but at most 100, for up to 50 addresses, and so on for each 50. Give
 *    each address a share of the fee at each moment, so that no group of addresses has shares above its fee. Then every schedule
 *    costs at least the sum of 10 + share over its purchases.
 * 2. With fixed shares, each address is a problem of its own, and a shortest path solves it exactly. The sum of these optima is a
 *    lower bound, for any shares: they are multipliers of a Lagrangian relaxation.
 * 3. The shares are improved by the subgradient method: they rise at moments when the optima buy. The highest sum counts.
 *
 * Shares up to 40 whose sum is at most 100 meet the condition of 1, and so do shares of 2 for every address, which suit full batches.
 * The grid loses nothing: starts and intervals are multiples of its step, so a schedule that is moved back to the grid keeps its
 * promises and costs no more. The bound knows everything in advance; no feed does.
 */
export function lowerBound(shape: Shape, rounds: number): number {
  const promises = promisesOf(shape)
  const inFullBatches = new Float64Array(cellsOf(shape)).fill(PER_ITEM + FULL_BATCH_SHARE)
  const full = promises.reduce((sum, one) => sum + cheapestPurchases(one, inFullBatches), 0)
  return Math.max(full, sharedFee(promises, cellsOf(shape), rounds))
}

function sharedFee(promises: readonly Promises[], cells: number, rounds: number): number {
  const costs = firstCosts(promises, cells)
  const mean = promises.map(() => new Float32Array(cells))
  let step = FIRST_STEP
  let [highest, withoutProgress] = [0, 0]
  for (let round = 0; ; round++) {
    const newest = round === 0 ? 1 : NEWEST
    let sum = 0
    for (const [index, one] of promises.entries()) {
      const bought = mean[index] as Float32Array
      for (let cell = 0; cell < cells; cell++) bought[cell] = (bought[cell] ?? 0) * (1 - newest)
      sum += cheapestPurchases(one, costs[index] as Float64Array, (cell) => {
        bought[cell] = (bought[cell] ?? 0) + newest
      })
    }
    withoutProgress = sum > highest * 1.000_3 ? 0 : withoutProgress + 1
    highest = Math.max(highest, sum)
    if (withoutProgress > PATIENCE) {
      step *= 0.6
      withoutProgress = 0
    }
    if (round >= rounds || step < LAST_STEP) return highest
    for (let cell = 0; cell < cells; cell++) changeShares(promises, costs, mean, cell, step)
  }
}

/** The fee falls to the three addresses that are bought most often. */
function firstCosts(promises: readonly Promises[], cells: number): Float64Array[] {
  const free = new Float64Array(cells).fill(1)
  const counts = promises.map((one) => cheapestPurchases(one, free))
  const order = [...promises.keys()].sort((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0))
  const costs = promises.map(() => new Float64Array(cells).fill(PER_ITEM))
  for (let cell = 0; cell < cells; cell++) {
    let left = BASE
    for (const index of order) {
      if (left === 0) break
      if (!promises[index]?.isWanted[cell]) continue
      const share = Math.min(MAX_SHARE, left)
      const own = costs[index] as Float64Array
      own[cell] = PER_ITEM + share
      left -= share
    }
  }
  return costs
}

/** Raises the costs in a cell by `step` for what is bought there, and lowers all of them by the same amount until the fee suffices. */
function changeShares(
  promises: readonly Promises[],
  costs: readonly Float64Array[],
  mean: readonly Float32Array[],
  cell: number,
  step: number,
): void {
  const wanted: Float64Array[] = []
  const raised: number[] = []
  for (let index = 0; index < promises.length; index++) {
    const own = costs[index]
    if (own === undefined || !promises[index]?.isWanted[cell]) continue
    wanted.push(own)
    raised.push((own[cell] ?? 0) - PER_ITEM + step * (mean[index]?.[cell] ?? 0))
  }
  // The amount is found by bisection; the sum at its upper end never exceeds the fee.
  let [low, high] = [-MAX_SHARE, Math.max(...raised)]
  for (let round = 0; round < 14; round++) {
    const middle = (low + high) / 2
    let sum = 0
    for (let position = 0; position < raised.length; position++) sum += shareOf((raised[position] ?? 0) - middle)
    if (sum > BASE) low = middle
    else high = middle
  }
  for (const [position, own] of wanted.entries()) own[cell] = PER_ITEM + shareOf((raised[position] ?? 0) - high)
}

const shareOf = (value: number) => (value <= 0 ? 0 : value >= MAX_SHARE ? MAX_SHARE : value)
