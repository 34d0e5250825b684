import { BASE, creditsFor, MAX_ITEMS, PER_ITEM } from '../../credits/batch-cost.ts'
import { DAY_MS } from '../prices/daily-budget.ts'
import { createPriorityQueue } from '../prices/priority-queue.ts'
import type { CallRate } from './select-batch.ts'

/** How often addresses have to be bought, all together. A change takes O(log n). */
export interface Demand<T> {
  /** Sets the maximum age of an address's price; Infinity removes the address. */
  set(address: T, everyMs: number): void
  addresses(): readonly T[]
  /** The rate of calls if every interval is longer by the factor `stretch`; `gapMs` is Infinity without any address. */
  callRate(stretch: number): CallRate
  /** The cost of the best schedule, in credits a day. */
  creditsPerDay(): number
}

export function createDemand<T>(): Demand<T> {
  const intervals = new Map<T, number>()
  const queue = createPriorityQueue<T>((address) => intervals.get(address) ?? Number.POSITIVE_INFINITY)
  let purchasesPerMs = 0

  // A call is needed once in the shortest interval, and once for every 50 purchases.
  const callRate = (stretch: number): CallRate => {
    const strictest = queue.peek()
    const shortest = (strictest && intervals.get(strictest)) ?? Number.POSITIVE_INFINITY
    const filled = intervals.size === 0 ? Number.POSITIVE_INFINITY : MAX_ITEMS / purchasesPerMs
    return { gapMs: Math.min(shortest, filled) * stretch, saturated: filled < shortest }
  }

  return {
    set(address, everyMs) {
      const before = intervals.get(address)
      if (before === everyMs) return
      if (before !== undefined) purchasesPerMs -= 1 / before
      if (everyMs === Number.POSITIVE_INFINITY) {
        queue.delete(address)
        intervals.delete(address)
      } else {
        intervals.set(address, everyMs)
        queue.put(address)
        purchasesPerMs += 1 / everyMs
      }
      // Sums of fractions accumulate rounding errors.
      if (intervals.size === 0) purchasesPerMs = 0
    },
    addresses: () => [...queue.items()],
    callRate,
    creditsPerDay() {
      if (intervals.size === 0) return 0
      if (creditsFor(intervals.size) < BASE + PER_ITEM * intervals.size) return DAY_MS * purchasesPerMs * creditsFor(1)
      return DAY_MS * (purchasesPerMs * PER_ITEM + BASE / callRate(1).gapMs)
    },
  }
}
