import { creditsFor, MAX_ITEMS } from '../../credits/batch-cost.ts'
import type { PriorityQueue } from '../prices/priority-queue.ts'
import { type CallRate, costBesideRequests, costPerTime, countWorthPlaces, type DueItem } from './early-cost.ts'
import type { TokenBucket } from './token-bucket.ts'

/** What one call buys. */
export interface Batch<T> {
  /** Addresses that are due. */
  due: T[]
  /** Addresses that are bought before they are due, because the next call would buy them anyway. */
  early: T[]
}

/**
 * Which addresses a call of the watches buys early:
 * - `all`: every address, which is one interval for all;
 * - `cheapest`: the first ones that make this call cheapest, in any number of requests;
 * - `same-request`: the same, but no more than fill its last request.
 */
export type EarlyRule = 'all' | 'cheapest' | 'same-request'

export interface SelectBatchParts<T extends DueItem> {
  readonly rule: EarlyRule
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
  const { queue, bucket, companionsOf } = parts
  const cheapest = cheapestBatch(parts, requested, now)
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
 * batch. Early addresses are taken in the order of their due times, because the next batch is due with the first that is left. Of all
 * prefixes that the rule allows, the one with the lowest cost is taken.
 */
export function cheapestBatch<T extends DueItem>(
  { queue, callRate, rule }: Pick<SelectBatchParts<T>, 'queue' | 'callRate' | 'rule'>,
  requested: number,
  now: number,
): Batch<T> {
  const { saturated, fastMs } = callRate
  const isFast = ({ intervalMs }: DueItem) => intervalMs < fastMs
  const due = takeDue(queue, now)
  if (rule === 'all' && requested === 0) return { due, early: due.some(isNew) ? [] : takeAll(queue) }
  const slow = due.filter((item) => !isFast(item))
  const forced = requested + due.length
  const places = (MAX_ITEMS - (forced % MAX_ITEMS)) % MAX_ITEMS
  // In a saturated schedule, the request for a new address has places that would otherwise cost a fee later.
  const isForNew = saturated && due.some(isNew)
  const isRoutine = requested === 0 && slow.length > 0 && !isForNew
  const prefix = isRoutine
    ? costPerTime(slow, due.length - slow.length, now)
    : costBesideRequests(forced, now, callRate)

  const fast: T[] = []
  const nextSlow = () => {
    for (let item = queue.peek(); item !== undefined && isFast(item); item = queue.peek()) {
      fast.push(item)
      queue.pop()
    }
    return queue.peek()
  }
  const most = isRoutine && rule === 'cheapest' ? Number.POSITIVE_INFINITY : places
  const candidates: T[] = []
  let best = 0
  let lowest = prefix.costUntil(nextSlow()?.dueAt)
  while (candidates.length < most) {
    const item = nextSlow()
    if (item === undefined || item.dueAt >= prefix.horizon()) break
    queue.pop()
    candidates.push(item)
    prefix.add(item)
    const cost = prefix.costUntil(nextSlow()?.dueAt)
    if (cost > lowest) continue
    lowest = cost
    best = candidates.length
  }
  if (saturated && isRoutine && best < places) best += countWorthPlaces(candidates.slice(best, places), due, now)
  const early = candidates.slice(0, best)
  const left = candidates.slice(best)
  for (const item of fast) {
    const isCheaper = forced + early.length >= MIN_BATCH && item.dueAt - now <= MAX_REMAINING * item.intervalMs
    if (isCheaper && early.length < places) early.push(item)
    else left.push(item)
  }
  for (const item of left) queue.put(item)
  return { due, early }
}

/** From this number of addresses on, another one costs 10 credits; below, it costs 50. */
const MIN_BATCH = 3
/** How early an address is bought in a batch that would need a request of its own soon, as a share of its interval: 40 of 50 credits. */
const MAX_REMAINING = 0.8

const isNew = ({ rounds }: DueItem) => rounds === 0

/** Removes every item from a queue that was bought before, and returns them. A new one waits for its window. */
function takeAll<T extends DueItem>(queue: PriorityQueue<T>): T[] {
  const taken = queue.items().filter((item) => !isNew(item))
  for (const item of taken) queue.delete(item)
  return taken
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
