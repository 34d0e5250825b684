import { PER_ITEM, SINGLE } from './ledger.ts'
import type { Promises } from './promises.ts'

/** What a batch costs in each cell, as the Lagrangian relaxation sees it: the rest of its fee, and the common part of the shares. */
export interface BatchCosts {
  readonly fee: Float64Array
  readonly common: Float64Array
}

/** The cheapest purchases of some addresses together: their optimum is exact, where shares are a relaxation. */
export interface JointPurchases {
  /** The lowest cost of keeping all of their promises. Calls `onBatch` for each cell with a batch, with its number of addresses. */
  solve(costs: BatchCosts, onBatch: (cell: number, addresses: number) => void): number
}

/** How many combinations of ages are computed for each cell. */
const MAX_STATES = 3_000

/** The first of these addresses, as many as can be solved together. */
export function jointlySolvable(promises: readonly Promises[]): readonly Promises[] {
  let states = 1
  for (const [position, one] of promises.entries()) {
    states *= oldestOf(one) + 2
    if (states > MAX_STATES) return promises.slice(0, position)
  }
  return promises
}

/** The greatest age of a price that keeps a promise, in cells. */
function oldestOf({ notBefore, isWanted }: Promises): number {
  return isWanted.reduce(
    (oldest, wanted, cell) => (wanted ? Math.max(oldest, cell - (notBefore[cell] ?? 0)) : oldest),
    0,
  )
}

/**
 * Dynamic programming over the cells. A state is the age of each price, from 0 to the oldest that keeps a promise; one more stands for
 * all that are older. In each cell a subset is bought, alone or in a batch, and afterwards no price may be too old.
 */
export function createJointPurchases(promises: readonly Promises[], cells: number): JointPurchases {
  const oldest = promises.map((one) => oldestOf(one) + 1)
  const strides = oldest.map((_, position) =>
    oldest.slice(0, position).reduce((product, one) => product * (one + 1), 1),
  )
  const states = oldest.reduce((product, one) => product * (one + 1), 1)
  const ageOf = (state: number, position: number) =>
    Math.floor(state / (strides[position] ?? 1)) % ((oldest[position] ?? 0) + 1)
  const toState = (ages: readonly number[]) =>
    ages.reduce((sum, age, position) => sum + age * (strides[position] ?? 1), 0)
  const mapStates = (change: (age: number, position: number) => number) =>
    Int32Array.from({ length: states }, (_, state) =>
      toState(promises.map((_, position) => change(ageOf(state, position), position))),
    )
  const aged = mapStates((age, position) => Math.min(age + 1, oldest[position] ?? 0))
  const subsets = Array.from({ length: 2 ** promises.length }, (_, subset) => ({
    addresses: promises.filter((_, position) => subset & (1 << position)).length,
    after: mapStates((age, position) => (subset & (1 << position) ? 0 : age)),
  }))
  const chosen = new Uint8Array(cells * states)
  const singles = (addresses: number) => SINGLE * addresses
  const batch = ({ fee, common }: BatchCosts, cell: number, addresses: number) =>
    (fee[cell] ?? 0) + (PER_ITEM + (common[cell] ?? 0)) * addresses

  /** Whether no price is too old after the purchases of a cell, for each state. */
  function keepsPromises(cell: number): Uint8Array {
    const kept = new Uint8Array(states).fill(1)
    for (const [position, { notBefore, isWanted }] of promises.entries()) {
      if (!isWanted[cell]) continue
      const most = cell - Math.max(0, notBefore[cell] ?? 0)
      for (let state = 0; state < states; state++) if (ageOf(state, position) > most) kept[state] = 0
    }
    return kept
  }

  const boughtAnywhere = (cell: number) =>
    subsets.flatMap((subset, index) =>
      promises.every(({ isWanted }, position) => isWanted[cell] || !(index & (1 << position)))
        ? [{ ...subset, index }]
        : [],
    )
  const allowed = Array.from({ length: cells }, (_, cell) => ({
    kept: keepsPromises(cell),
    subsets: boughtAnywhere(cell),
  }))

  return {
    solve(costs, onBatch) {
      let after: Float64Array = new Float64Array(states)
      let before: Float64Array = new Float64Array(states)
      const rest = new Float64Array(states)
      for (let cell = cells - 1; cell >= 0; cell--) {
        const { kept = new Uint8Array(), subsets: possible = [] } = allowed[cell] ?? {}
        for (let state = 0; state < states; state++)
          rest[state] = kept[state] ? (after[aged[state] ?? 0] ?? 0) : Number.POSITIVE_INFINITY
        before.fill(Number.POSITIVE_INFINITY)
        for (const { index, addresses, after: next } of possible) {
          const cost = addresses === 0 ? 0 : Math.min(singles(addresses), batch(costs, cell, addresses))
          for (let state = 0; state < states; state++) {
            const total = cost + (rest[next[state] ?? 0] ?? 0)
            if (total >= (before[state] ?? 0)) continue
            before[state] = total
            chosen[cell * states + state] = index
          }
        }
        ;[after, before] = [before, after]
      }
      // At the beginning nothing is known.
      let state = states - 1
      const lowest = after[state] ?? 0
      for (let cell = 0; cell < cells; cell++) {
        const { addresses = 0, after: next } = subsets[chosen[cell * states + state] ?? 0] ?? {}
        if (addresses > 0 && batch(costs, cell, addresses) < singles(addresses)) onBatch(cell, addresses)
        state = aged[next?.[state] ?? 0] ?? 0
      }
      return lowest
    },
  }
}
