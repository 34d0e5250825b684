import { creditsFor, splitIntoRequests } from '../../credits/batch-cost.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import { createPriorityQueue } from '../prices/priority-queue.ts'
import { pricesOfSameWatch, shortestInterval, type TrackedPrice } from '../prices/tracked-price.ts'
import { createDemand } from './demand.ts'
import type { DueTimes } from './due-times.ts'
import type { DueItem } from './early-cost.ts'
import type { PlannedPurchase } from './plan.ts'
import { type EarlyRule, type SelectBatchParts, selectBatch } from './select-batch.ts'
import type { TokenBucket } from './token-bucket.ts'

interface PlannedItem extends DueItem {
  readonly tracked: TrackedPrice
}

export interface Simulation {
  readonly dueTimes: DueTimes
  readonly bucket: TokenBucket
  readonly rule: EarlyRule
  readonly now: number
  /** The simulation ends here, or after `maxCalls`. */
  readonly until: number
  readonly maxCalls: number
  /** Whether the intervals are as requested, instead of stretched. */
  readonly unstretched?: boolean
}

/** A simulated schedule. */
export interface SimulatedSchedule {
  readonly calls: readonly PlannedPurchase[]
  /** What is left at a time of the bought prices: the sum of the shares of their intervals. */
  remainingAt(time: number): number
}

/** Simulates the schedule on a copy, with the rules of the scheduler. */
export function simulateSchedule(simulation: Simulation): SimulatedSchedule {
  const { dueTimes, bucket, rule, now, until, maxCalls, unstretched = false } = simulation
  const queue = createPriorityQueue<PlannedItem>(({ dueAt }) => dueAt)
  const items = new Map<TrackedPrice, PlannedItem>()
  const demand = unstretched ? createDemand<TrackedPrice>() : dueTimes.demand
  for (const tracked of dueTimes.demand.addresses()) {
    const { timesBought } = tracked
    const intervalMs = unstretched ? shortestInterval(tracked) : tracked.intervalMs
    // What is in flight is bought now.
    const nextAt = tracked.inFlight ? now + intervalMs : tracked.dueAt - (tracked.intervalMs - intervalMs)
    const dueAt = Math.max(now, nextAt)
    const item = { tracked, timesBought, intervalMs, dueAt }
    items.set(tracked, item)
    queue.put(item)
    if (unstretched) demand.set(tracked, intervalMs)
  }
  const budget = bucket.copy()
  const parts: SelectBatchParts<PlannedItem> = {
    queue,
    callRate: demand.callRate(),
    bucket: budget,
    rule,
    pricesOfSameWatch: ({ tracked, dueAt }) =>
      pricesOfSameWatch({ ...tracked, dueAt, failingSince: Number.POSITIVE_INFINITY }).flatMap((companion) => {
        const item = items.get(companion)
        return item === undefined ? [] : [item]
      }),
  }
  const calls: PlannedPurchase[] = []
  for (let next = queue.peek(); next !== undefined && calls.length < maxCalls; next = queue.peek()) {
    const at = next.dueAt
    if (at > until && calls.length > 1) break
    const { due, early } = selectBatch(parts, 0, at)
    budget.spend(creditsFor(due.length + early.length), at)
    for (const item of [...due, ...early]) {
      item.dueAt = at + item.intervalMs
      item.timesBought++
      queue.put(item)
    }
    calls.push({ at, due: addressesOf(due), early: addressesOf(early), ...costOf(due.length + early.length) })
  }
  const remainingOf = ({ dueAt, intervalMs }: PlannedItem, time: number) =>
    Math.min(1, Math.max(0, (dueAt - time) / intervalMs))
  return {
    calls,
    remainingAt: (time) => queue.items().reduce((sum, item) => sum + remainingOf(item, time), 0),
  }
}

const addressesOf = (items: readonly PlannedItem[]) => items.map(({ tracked }) => tracked.address)

/** The cheapest cost of buying this number of addresses. */
export function costOf(addresses: number): { credits: number; requests: number } {
  return { credits: creditsFor(addresses), requests: splitIntoRequests(Array.from({ length: addresses })).length }
}

/** The daily rate from the first call to the last, without the last: what it buys is for the time after it. */
export function rateOf(calls: readonly PlannedPurchase[]): { creditsPerDay: number; requestsPerDay: number } {
  const rate = { creditsPerDay: 0, requestsPerDay: 0 }
  const [first] = calls
  const last = calls.at(-1)
  if (first === undefined || last === undefined || last.at === first.at) return rate
  const perDay = DAY_MS / (last.at - first.at)
  for (const { credits, requests } of calls.slice(0, -1)) {
    rate.creditsPerDay += credits * perDay
    rate.requestsPerDay += requests * perDay
  }
  return rate
}
