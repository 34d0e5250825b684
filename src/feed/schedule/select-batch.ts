import { BASE, creditsFor, MAX_ITEMS, PER_ITEM } from '../../credits/batch-cost.ts'
import type { PriorityQueue } from '../prices/priority-queue.ts'
import type { TokenBucket } from './token-bucket.ts'

/** An address as the schedule sees it. */
export interface DueItem {
  /** When it has to be requested at the latest, unix milliseconds. */
  dueAt: number
  /** How long its price is valid, in milliseconds, with any stretch. */
  intervalMs: number
}

/** How often calls are needed while the demand stays the same. */
export interface CallRate {
  /** Time between calls in the best schedule, in milliseconds. */
  readonly gapMs: number
  /** Whether more addresses are due than one request at a time can buy. */
  readonly saturated: boolean
}

/** What one call buys. */
export interface Batch<T> {
  /** Addresses that are due. */
  due: T[]
  /** Addresses that are bought before they are due, because the next call would buy them anyway. */
  early: T[]
}

export interface SelectBatchParts<T extends DueItem> {
  readonly queue: PriorityQueue<T>
  readonly callRate: CallRate
  readonly bucket: Pick<TokenBucket, 'covers'>
  /** The addresses that the watch of a due address buys together, unless they are in flight. */
  companionsOf(item: T): Iterable<T>
}

/**
 * Takes from the queue what one call buys: the batch that looks cheapest, as long as separate batches would have cost as much
 * by now. Otherwise each watch that has a due address buys all of its addresses, and nothing more before its interval is over.
 * That costs no more than a batch per watch at its own interval, whatever the other watches do.
 */
export function selectBatch<T extends DueItem>(parts: SelectBatchParts<T>, requested: number, now: number): Batch<T> {
  const { queue, callRate, bucket, companionsOf } = parts
  const cheapest = cheapestBatch(queue, requested, now, callRate)
  const { due, early } = cheapest
  const extra = creditsFor(requested + due.length + early.length) - creditsFor(requested)
  if (bucket.covers(extra, now)) return cheapest
  for (const item of early) queue.put(item)
  const taken = new Set(due)
  const provided = new Set<T>()
  for (const item of due) {
    if (provided.has(item)) continue
    for (const companion of companionsOf(item)) {
      provided.add(companion)
      taken.add(companion)
      queue.delete(companion)
    }
  }
  return { due, early: [...taken].slice(due.length) }
}

/**
 * Takes every due address from the queue, and the early ones that make the call cheapest.
 *
 * An early address wastes the share of its 10 credits for the time that its old price is still valid, but it postpones the next
 * call. Early addresses are taken in the order of their due times, because the next call is due with the first that is left. No
 * prefix exceeds the last request. Of all prefixes, the one with the lowest cost is taken.
 */
export function cheapestBatch<T extends DueItem>(
  queue: PriorityQueue<T>,
  requested: number,
  now: number,
  callRate: CallRate,
): Batch<T> {
  const due = takeDue(queue, now)
  const forced = requested + due.length
  const places = (MAX_ITEMS - (forced % MAX_ITEMS)) % MAX_ITEMS
  const prefix = requested === 0 ? costPerTime(due, now) : costBesideRequests(forced, now, callRate)

  const candidates: T[] = []
  let best = 0
  let lowest = prefix.costUntil(queue.peek()?.dueAt)
  while (candidates.length < places) {
    const item = queue.peek()
    if (item === undefined || item.dueAt >= prefix.horizon()) break
    queue.pop()
    candidates.push(item)
    prefix.add(item)
    const cost = prefix.costUntil(queue.peek()?.dueAt)
    if (cost > lowest) continue
    lowest = cost
    best = candidates.length
  }
  for (const item of candidates.slice(best)) queue.put(item)
  return { due, early: candidates.slice(0, best) }
}

/** The cost of a prefix of early addresses. */
interface Prefix {
  add(item: DueItem): void
  /** The cost if the next call is made at `nextAt`. */
  costUntil(nextAt: number | undefined): number
  /** No address that is due later is bought early. */
  horizon(): number
}

/** An early address with the same interval stays in step, so its waste does not recur. */
const WASTE_IN_STEP = 0.5

/**
 * The Silver–Meal rule, for a call that the watches alone make: fee and waste, per time until the next call. The next call is
 * also due when the shortest of the intervals bought now is over.
 */
function costPerTime(due: readonly DueItem[], now: number): Prefix {
  const intervals = new Set(due.map(({ intervalMs }) => intervalMs))
  let shortest = Math.min(...intervals)
  let addresses = due.length
  let waste = 0
  return {
    add({ dueAt, intervalMs }) {
      addresses++
      shortest = Math.min(shortest, intervalMs)
      const wasted = (PER_ITEM * (dueAt - now)) / intervalMs
      waste += intervals.has(intervalMs) ? WASTE_IN_STEP * wasted : wasted
    },
    costUntil: (nextAt = Number.POSITIVE_INFINITY) =>
      (creditsFor(addresses) - PER_ITEM * addresses + waste) / Math.min(nextAt - now, shortest),
    horizon: () => now + shortest,
  }
}

/**
 * For a call that price requests make anyway: what the early addresses cost in addition, and the fee for the time by which the next
 * call is earlier than `gapMs`. If the schedule is saturated, an empty place in a request also costs its share of the fee.
 */
function costBesideRequests(forced: number, now: number, { gapMs, saturated }: CallRate): Prefix {
  const horizon = now + gapMs
  const value = saturated ? PER_ITEM + BASE / MAX_ITEMS : PER_ITEM
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

/** Removes every due item from a queue, and returns them. */
export function takeDue<T extends DueItem>(queue: PriorityQueue<T>, now: number): T[] {
  const due: T[] = []
  for (let item = queue.peek(); item !== undefined && item.dueAt <= now; item = queue.peek()) {
    due.push(item)
    queue.pop()
  }
  return due
}
