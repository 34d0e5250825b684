import { BASE, creditsFor, MAX_ITEMS, PER_ITEM } from '../../credits/batch-cost.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import { createPriorityQueue } from '../prices/priority-queue.ts'
import type { CallRate } from './early-cost.ts'

/** How often addresses have to be bought, all together. A change takes O(log n). */
export interface Demand<T> {
  /** Sets the maximum age of an address's price, with any stretch; Infinity removes the address. */
  set(address: T, everyMs: number): void
  addresses(): readonly T[]
  /** The number of addresses. */
  readonly size: number
  /** The `gapMs` is Infinity without any address. */
  callRate(): CallRate
  /** A cost that no schedule goes below, in credits a day. */
  creditsPerDay(): number
}

const NEVER = Number.POSITIVE_INFINITY
/** What an address costs more alone than in a batch. */
const ALONE = creditsFor(1) - PER_ITEM

export function createDemand<T>(): Demand<T> {
  const intervals = new Map<T, number>()
  const queue = createPriorityQueue<T>((address) => intervals.get(address) ?? NEVER)
  let purchasesPerMs = 0
  /** The sum of 1 / interval². */
  let squares = 0

  function count(everyMs: number, sign: 1 | -1): void {
    purchasesPerMs += sign / everyMs
    squares += sign / everyMs ** 2
  }

  /** They are among the first seven of a binary heap. */
  function shortestIntervals(): number[] {
    const first = queue.items().slice(0, 7)
    return first.map((address) => intervals.get(address) ?? NEVER).sort((a, b) => a - b)
  }

  function callRate(): CallRate {
    const [first = NEVER, second = NEVER, third = NEVER] = shortestIntervals()
    const filled = intervals.size === 0 ? NEVER : MAX_ITEMS / purchasesPerMs
    if (filled < first) return { gapMs: filled, saturated: true, fastMs: 0 }
    // Addresses are bought early by half the time between batches on average.
    const early = (gapMs: number) => 0.5 * PER_ITEM * gapMs * squares
    // The fee of a batch is lower by what it saves a fast address that is bought with it: about half of the time.
    const costs = [
      BASE / first + early(first),
      ALONE / first + (BASE - ALONE / 2) / second + early(second),
      ALONE / first + ALONE / second + (BASE - ALONE) / third + early(third),
    ]
    const fast = costs.reduce((best, cost, index) => (cost < (costs[best] ?? 0) ? index : best), 0)
    const gapMs = [first, second, third][fast] ?? NEVER
    return { gapMs, saturated: false, fastMs: fast === 0 ? 0 : gapMs }
  }

  return {
    set(address, everyMs) {
      const before = intervals.get(address)
      if (before === everyMs) return
      if (before !== undefined) count(before, -1)
      if (everyMs === NEVER) {
        queue.delete(address)
        intervals.delete(address)
      } else {
        intervals.set(address, everyMs)
        queue.put(address)
        count(everyMs, 1)
      }
      // Sums of fractions accumulate rounding errors.
      if (intervals.size === 0) purchasesPerMs = squares = 0
    },
    addresses: () => [...queue.items()],
    get size() {
      return intervals.size
    },
    callRate,
    creditsPerDay: () => lowestCreditsPerDay(intervals.size, purchasesPerMs, shortestIntervals()),
  }
}

/** A cost that no schedule goes below, in credits a day. `shortest` has the three shortest intervals, in milliseconds. */
export function lowestCreditsPerDay(addresses: number, purchasesPerMs: number, shortest: readonly number[]): number {
  if (addresses === 0) return 0
  if (creditsFor(addresses) < BASE + PER_ITEM * addresses) return DAY_MS * purchasesPerMs * creditsFor(1)
  const [first = NEVER, second = NEVER, third = NEVER] = shortest
  const inFullBatches = (BASE / MAX_ITEMS) * purchasesPerMs
  const fees = Math.max(inFullBatches, ALONE / first + ALONE / second + (BASE - 2 * ALONE) / third)
  return DAY_MS * (purchasesPerMs * PER_ITEM + fees)
}
