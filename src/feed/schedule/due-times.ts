import { createPriorityQueue, type PriorityQueue } from '../prices/priority-queue.ts'
import { type Stretch, shortestInterval, stretchedInterval, type TrackedPrice } from '../prices/tracked-price.ts'
import { createDemand, type Demand } from './demand.ts'
import { leadTimeFor } from './lead-time.ts'

/** The order in which watched addresses are due. */
export interface DueTimes {
  readonly queue: PriorityQueue<TrackedPrice>
  /** Addresses of failed requests, which are requested apart. */
  readonly retries: PriorityQueue<TrackedPrice>
  /** Addresses whose price may become older than a watcher accepts, by the time when it does. */
  readonly late: PriorityQueue<TrackedPrice>
  readonly demand: Demand<TrackedPrice>
  readonly stretch: Stretch
  /** Computes when an address is due, from its watchers and the age of its price. */
  schedule(tracked: TrackedPrice): void
  /** Computes when the next watcher has to be told that its price is late. */
  scheduleLate(tracked: TrackedPrice): void
  /** Makes addresses due whose last request may have been wasted, at most once in the interval of each. */
  retryWasted(): void
  /** Recomputes every due time: intervals are longer by `stretch`, and requests go out `leadMs` early. */
  setTiming(stretch: Stretch, leadMs: number): void
}

export function createDueTimes(): DueTimes {
  const queue = createPriorityQueue<TrackedPrice>(({ dueAt }) => dueAt)
  const retries = createPriorityQueue<TrackedPrice>(({ dueAt }) => dueAt)
  const late = createPriorityQueue<TrackedPrice>(({ lateAt }) => lateAt)
  const demand = createDemand<TrackedPrice>()
  let stretch: Stretch = { stretch: 1, atLeastStretch: 1 }
  let leadMs = 0

  /** In time, a new price arrives before; only under a stretch, or while its request is in flight, it may not. */
  function scheduleLate(tracked: TrackedPrice): void {
    late.delete(tracked)
    if (tracked.price === undefined || (stretch.stretch === 1 && !tracked.inFlight)) return
    // Late is what is older than the interval, by a millisecond at least.
    tracked.lateAfterMs = intervalAbove(tracked, tracked.reportedLateMs)
    tracked.lateAt = tracked.at + tracked.lateAfterMs + 1
    if (tracked.lateAt < Number.POSITIVE_INFINITY) late.put(tracked)
  }

  function schedule(tracked: TrackedPrice): void {
    const intervalMs = stretchedInterval(tracked, stretch)
    demand.set(tracked, intervalMs)
    queue.delete(tracked)
    retries.delete(tracked)
    scheduleLate(tracked)
    if (intervalMs === Number.POSITIVE_INFINITY) return
    tracked.intervalMs = intervalMs
    if (tracked.inFlight) return
    const lead = leadTimeFor(intervalMs, leadMs)
    // Rounded down, because timers have no fractions.
    const expiresAt = Math.floor(tracked.at + intervalMs - lead)
    const neededAt = tracked.price === undefined ? tracked.firstDueAt : expiresAt
    tracked.dueAt = Math.max(neededAt, tracked.wastedAt + intervalMs, tracked.retryAt)
    if (tracked.suspectGroup === undefined) queue.put(tracked)
    else retries.put(tracked)
  }

  return {
    queue,
    retries,
    late,
    scheduleLate,
    demand,
    get stretch() {
      return stretch
    },
    schedule,
    retryWasted() {
      for (const tracked of demand.addresses()) {
        const { wastedAt, releasedAt, intervalMs } = tracked
        // Once per interval: this address may fail each time while others succeed.
        if (wastedAt === Number.NEGATIVE_INFINITY || wastedAt - releasedAt < intervalMs) continue
        tracked.releasedAt = wastedAt
        tracked.wastedAt = Number.NEGATIVE_INFINITY
        schedule(tracked)
      }
    },
    setTiming(newStretch, newLeadMs) {
      stretch = newStretch
      leadMs = newLeadMs
      for (const tracked of demand.addresses()) schedule(tracked)
    },
  }
}

/** The shortest interval of a watcher that is longer than `ms`. */
function intervalAbove(tracked: TrackedPrice, ms: number): number {
  const shortest = shortestInterval(tracked)
  if (shortest > ms) return shortest
  let next = Number.POSITIVE_INFINITY
  for (const { everyMs } of tracked.watchers.items()) if (everyMs > ms) next = Math.min(next, everyMs)
  return next
}
