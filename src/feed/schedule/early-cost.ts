import { BASE, creditsFor, MAX_ITEMS, PER_ITEM } from '../../credits/batch-cost.ts'

/** An address as the schedule sees it. */
export interface DueItem {
  /** When it has to be requested at the latest, unix milliseconds. */
  dueAt: number
  /** How long its price is valid, in milliseconds, with any stretch. */
  intervalMs: number
  /** How often it was bought since its times last changed. */
  timesBought: number
}

/** How often calls are needed while the demand stays the same. */
export interface CallRate {
  /** Time between batches in the best schedule, in milliseconds. */
  readonly gapMs: number
  /** Whether more addresses are due than one request at a time can buy. */
  readonly saturated: boolean
  /** Addresses with a shorter interval than this, two at most, are requested alone between the batches. */
  readonly fastMs: number
}

/** The cost of a prefix of early addresses. */
export interface Prefix {
  add(item: DueItem): void
  /** The cost if the next batch is bought at `nextAt`. */
  costUntil(nextAt: number | undefined): number
  /** No address that is due later is bought early. */
  horizon(): number
}

/**
 * The Silver–Meal rule, for a call that the watches alone make: fee and waste, per time until the next batch. That is also due when
 * the shortest of the intervals bought now is over. `fast` addresses are due too, and would pay for requests of their own.
 *
 * An early address with the same interval stays in step, so its waste does not recur: it is spread over as many rounds as both have
 * been watched, because that is how much longer they are expected to be.
 */
export function costPerTime(due: readonly DueItem[], fast: number, now: number): Prefix {
  const intervals = new Set(due.map(({ intervalMs }) => intervalMs))
  const timesDueBought = fewestTimesBought(due)
  let shortest = Math.min(...intervals)
  let addresses = due.length
  let waste = 0
  return {
    add({ dueAt, intervalMs, timesBought }) {
      addresses++
      shortest = Math.min(shortest, intervalMs)
      const wasted = (PER_ITEM * (dueAt - now)) / intervalMs
      waste += intervals.has(intervalMs) ? wasted / (2 + Math.min(timesBought, timesDueBought)) : wasted
    },
    costUntil(nextAt = Number.POSITIVE_INFINITY) {
      const fee = creditsFor(fast + addresses) - creditsFor(fast) - PER_ITEM * addresses
      return (fee + waste) / Math.min(nextAt - now, shortest)
    },
    horizon: () => now + shortest,
  }
}

/**
 * For a call that is made anyway, for price requests or for fast addresses: what the early addresses cost in addition, and the fee for
 * the time by which the next batch is earlier than `gapMs`. If the schedule is saturated, an empty place in a request also costs its
 * share of the fee.
 */
export function costBesideRequests(forced: number, now: number, { gapMs, saturated }: CallRate): Prefix {
  const horizon = now + gapMs
  const value = saturated ? PLACE_VALUE : PER_ITEM
  let early = 0
  let remainingValue = 0
  return {
    add({ dueAt, intervalMs }) {
      early++
      remainingValue += value * Math.max(0, 1 - (dueAt - now) / intervalMs)
    },
    costUntil(nextAt = horizon) {
      const extra = creditsFor(forced + early) - creditsFor(forced)
      // Beside two addresses or fewer nothing is saved: each needs a request of its own.
      if (early > 0 && extra >= creditsFor(early)) return Number.POSITIVE_INFINITY
      return extra - remainingValue + (BASE * (horizon - Math.min(horizon, nextAt))) / gapMs
    },
    horizon: () => horizon,
  }
}

/** What an address is worth in a full request: its 10 credits and its share of the fee. */
const PLACE_VALUE = PER_ITEM + BASE / MAX_ITEMS

/**
 * How many more addresses fill a request of a saturated schedule. Parts of requests that stay in step would remain parts for ever:
 * filling them wastes something once, and saves a fee in each later round.
 */
export function countWorthPlaces(next: readonly DueItem[], due: readonly DueItem[], now: number): number {
  const timesDueBought = fewestTimesBought(due)
  const isWorth = ({ dueAt, intervalMs, timesBought }: DueItem) => {
    const wasted = (dueAt - now) / intervalMs
    return wasted * PLACE_VALUE <= (PLACE_VALUE - PER_ITEM) * Math.min(timesBought, timesDueBought)
  }
  const first = next.findIndex((item) => !isWorth(item))
  return first === -1 ? next.length : first
}

function fewestTimesBought(items: readonly DueItem[]): number {
  return Math.min(...items.map(({ timesBought }) => timesBought))
}
