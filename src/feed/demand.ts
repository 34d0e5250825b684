import { createQueue } from './queue.ts'
import type { Tempo } from './riders.ts'
import { BASE, CHUNK, creditsFor, PER_ITEM } from './route.ts'

export const DAY_MS = 86_400_000

/** How often addresses have to be bought, all together. Changing one is O(log n). */
export interface Demand<T> {
  /** Notes how long a price of an address may last at most; Infinity takes it out. */
  set(address: T, everyMs: number): void
  addresses(): readonly T[]
  /** How calls go with all intervals stretched by a factor; without any demand there is no end of the time between them. */
  tempo(stretch: number): Tempo
  /** What the demand costs a day when calls go as well as they can, in credits. */
  creditsPerDay(): number
}

export function createDemand<T>(): Demand<T> {
  const intervals = new Map<T, number>()
  const queue = createQueue<T>((address) => intervals.get(address) ?? Number.POSITIVE_INFINITY)
  /** Purchases a millisecond. */
  let rate = 0

  // Somebody's shortest interval asks for a call, and so do fifty addresses, the most that one takes.
  const tempo = (stretch: number): Tempo => {
    const strictest = queue.peek()
    const shortest = (strictest && intervals.get(strictest)) ?? Number.POSITIVE_INFINITY
    const filled = intervals.size === 0 ? Number.POSITIVE_INFINITY : CHUNK / rate
    return { gapMs: Math.min(shortest, filled) * stretch, crowded: filled < shortest }
  }

  return {
    set(address, everyMs) {
      const before = intervals.get(address)
      if (before === everyMs) return
      if (before !== undefined) rate -= 1 / before
      if (everyMs === Number.POSITIVE_INFINITY) {
        queue.delete(address)
        intervals.delete(address)
      } else {
        intervals.set(address, everyMs)
        queue.put(address)
        rate += 1 / everyMs
      }
      // Sums of fractions drift.
      if (intervals.size === 0) rate = 0
    },
    addresses: () => [...queue.items()],
    tempo,
    creditsPerDay() {
      if (intervals.size === 0) return 0
      if (creditsFor(intervals.size) < BASE + PER_ITEM * intervals.size) return DAY_MS * rate * creditsFor(1)
      return DAY_MS * (rate * PER_ITEM + BASE / tempo(1).gapMs)
    },
  }
}
