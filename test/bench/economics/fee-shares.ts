import { BASE, PER_ITEM, SINGLE } from './ledger.ts'
import type { Promises } from './promises.ts'

/** A price alone costs this much more than its place in a batch. */
const MAX_SHARE = SINGLE - PER_ITEM
const MAX_ITEMS = 50
const MAX_COMMON = BASE / MAX_ITEMS
/** The halvings of the range in which an amount is searched. */
const STEPS = 16

/** How the fee of each moment is shared, in credits. */
export interface FeeShares {
  /** For each address and cell: 10 and the share. */
  readonly costs: readonly Float64Array[]
  /** For each cell: the part of the share that every address has. */
  readonly common: Float64Array
  /** For each cell: what is left of the fee. */
  readonly fee: Float64Array
}

/** How often was bought in each cell, in the mean of the rounds. */
export interface MeanPurchases {
  readonly bought: readonly Float64Array[]
  /** Batches of the addresses that are solved together, and how many of them these contained. */
  readonly batches: Float64Array
  readonly inBatches: Float64Array
}

/** The whole fee is left. */
export function noShares(addresses: number, cells: number): FeeShares {
  return {
    costs: Array.from({ length: addresses }, () => new Float64Array(cells).fill(PER_ITEM)),
    common: new Float64Array(cells),
    fee: new Float64Array(cells).fill(BASE),
  }
}

/** The fee falls to the first three addresses that are wanted. */
export function unequalShares(promises: readonly Promises[], cells: number): FeeShares {
  const shares = noShares(promises.length, cells)
  const { costs, fee } = shares
  for (let cell = 0; cell < cells; cell++) {
    for (const [index, { isWanted }] of promises.entries()) {
      const left = fee[cell] ?? 0
      if (left === 0) break
      if (!isWanted[cell]) continue
      const share = Math.min(MAX_SHARE, left)
      const own = costs[index] as Float64Array
      own[cell] = PER_ITEM + share
      fee[cell] = left - share
    }
  }
  return shares
}

/** Shares for full batches. */
export function equalShares(addresses: number, cells: number): FeeShares {
  return {
    costs: Array.from({ length: addresses }, () => new Float64Array(cells).fill(PER_ITEM + MAX_COMMON)),
    common: new Float64Array(cells).fill(MAX_COMMON),
    fee: new Float64Array(cells),
  }
}

/** Raises the shares in a cell by `step` for what is bought there, and lowers all of them by the same amount until the fee suffices. */
export function changeShares(
  { costs, common, fee }: FeeShares,
  wanted: readonly number[],
  { bought, batches, inBatches }: MeanPurchases,
  cell: number,
  step: number,
  isShared: boolean,
): void {
  const before = common[cell] ?? 0
  const paid = batches[cell] ?? 0
  const boughtOf = (index: number) => bought[index]?.[cell] ?? 0
  const raised = wanted.map(
    (index) => (costs[index]?.[cell] ?? 0) - PER_ITEM - before + step * (boughtOf(index) - paid),
  )
  const all = wanted.reduce((sum, index) => sum + boughtOf(index), inBatches[cell] ?? 0)
  const raisedCommon = before + step * (all / MAX_ITEMS - paid)
  const commonAfter = (less: number) => (wanted.length > MAX_ITEMS ? clamp(raisedCommon - less, MAX_COMMON) : 0)
  const sumAfter = (less: number) => {
    const everybody = commonAfter(less)
    let sum = MAX_ITEMS * everybody
    for (let position = 0; position < raised.length; position++)
      sum += clamp((raised[position] ?? 0) - less, MAX_SHARE - everybody)
    return sum
  }
  // Nobody else pays the fee unless some addresses are solved together. The sum at the upper end never exceeds the fee.
  let low = isShared ? 0 : -MAX_SHARE
  let high = raised.reduce((most, one) => Math.max(most, one), Math.max(raisedCommon, 0))
  if (sumAfter(low) <= BASE) high = low
  for (let round = 0; round < STEPS && high > low; round++) {
    const middle = (low + high) / 2
    if (sumAfter(middle) > BASE) low = middle
    else high = middle
  }
  const everybody = commonAfter(high)
  common[cell] = everybody
  fee[cell] = BASE - sumAfter(high)
  for (const [position, index] of wanted.entries()) {
    const own = costs[index] as Float64Array
    own[cell] = PER_ITEM + everybody + clamp((raised[position] ?? 0) - high, MAX_SHARE - everybody)
  }
}

const clamp = (value: number, most: number) => (value <= 0 ? 0 : value >= most ? most : value)
