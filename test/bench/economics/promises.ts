import type { Shape } from './shapes.ts'

/** When the price of one address is needed, in cells of `stepMs`. */
export interface Promises {
  /** For each cell, the earliest cell in which its price may have been bought; -1 if no price is needed. */
  readonly notBefore: Int32Array
  /** Cells in which somebody watches the address or looks it up. */
  readonly isWanted: Uint8Array
}

export const cellsOf = ({ durationMs, stepMs }: Shape) => Math.ceil(durationMs / stepMs)

/** The promises of each address. */
export function promisesOf(shape: Shape): Promises[] {
  const { consumers, lookUps, stepMs } = shape
  const cells = cellsOf(shape)
  const byAddress = new Map<string, Promises>()
  const want = (address: string, cell: number, notBefore: number) => {
    const promises = byAddress.get(address) ?? {
      notBefore: new Int32Array(cells).fill(-1),
      isWanted: new Uint8Array(cells),
    }
    byAddress.set(address, promises)
    promises.isWanted[cell] = 1
    promises.notBefore[cell] = Math.max(promises.notBefore[cell] ?? 0, notBefore, 0)
  }
  for (const { addresses, everyMs, spans } of consumers) {
    for (const { from, to } of spans) {
      // A purchase is at the beginning of its cell, and the price has to be young enough until the end of this one.
      for (let cell = from / stepMs; cell < to / stepMs; cell++)
        for (const address of addresses) want(address, cell, cell + 1 - everyMs / stepMs)
    }
  }
  for (const { at, addresses, maxAgeMs } of lookUps)
    for (const address of addresses) want(address, at / stepMs, (at - maxAgeMs) / stepMs)
  return [...byAddress.values()]
}

/**
 * The lowest cost of keeping the promises of one address, if a purchase in a cell costs `costs[cell]`: a shortest path over the
 * cells. Calls `onPurchase` for each purchase of that path.
 */
export function cheapestPurchases(
  { notBefore, isWanted }: Promises,
  costs: Float64Array,
  onPurchase: (cell: number) => void = () => {},
): number {
  const cells = costs.length
  /** The lowest cost up to a purchase in a cell, and the purchase before it. */
  const total = new Float64Array(cells)
  const previous = new Int32Array(cells)
  /** Candidates for the purchase before, with rising costs. */
  const queue = new Int32Array(cells)
  const [at, totalOf] = [(index: number) => queue[index] ?? -1, (cell: number) => total[cell] ?? 0]
  let [head, tail, earliest] = [0, 0, -1]
  for (let cell = 0; cell < cells; cell++) {
    if (isWanted[cell]) {
      const before = earliest === -1 ? -1 : at(head)
      const cost = totalOf(before) + (costs[cell] ?? 0)
      previous[cell] = before
      total[cell] = cost
      while (tail > head && totalOf(at(tail - 1)) >= cost) tail--
      queue[tail++] = cell
    }
    earliest = Math.max(earliest, notBefore[cell] ?? -1)
    while (head < tail && at(head) < earliest) head++
  }
  if (earliest === -1) return 0
  const last = at(head)
  for (let cell = last; cell >= 0; cell = previous[cell] ?? -1) onPurchase(cell)
  return totalOf(last)
}
