import type { FeedContext } from '../context.ts'
import type { TrackedPrice } from '../prices/tracked-price.ts'
import { NO_LATENCY } from '../timetable.ts'

const NEVER = Number.POSITIVE_INFINITY
/** Room for an answer that takes longer than any before. */
const MARGIN = 1.05
/** The lead time covers the slowest of the last so many answers, and the median is that of the last few. */
const WINDOW_SIZE = 100
const MEDIAN_SIZE = 5

/** How long answers take. The lead time rises immediately with a slow answer, and falls when that answer leaves the window. */
export class AnswerTimes {
  latency = NO_LATENCY
  #newest: readonly number[] = []

  /**
   * Records the milliseconds from the decision to buy to the answer. Returns whether that changes the latency.
   * @param shortestMs the shortest interval: answers that take less than half of it have no part in when requests are sent
   */
  record(tookMs: number, shortestMs: number): boolean {
    this.#newest = [tookMs, ...this.#newest].slice(0, WINDOW_SIZE)
    const leadMs = Math.ceil(Math.max(...this.#newest) * MARGIN)
    const few = this.#newest.slice(0, MEDIAN_SIZE).sort((one, other) => one - other)
    const medianMs = few[(few.length - 1) >> 1] ?? tookMs
    const before = this.latency
    // Each change makes a new timetable, so small changes are skipped.
    const isLeadKept = tookMs <= before.leadMs && leadMs >= before.leadMs / 2
    const isClose = medianMs <= before.medianMs * MARGIN && medianMs * MARGIN >= before.medianMs
    const isMedianKept = isClose || Math.max(medianMs, before.medianMs) <= shortestMs / 2
    if (isLeadKept && isMedianKept) return false
    this.latency = { leadMs: isLeadKept ? before.leadMs : leadMs, medianMs }
    return true
  }
}

/** Reports to watchers when a price is older than their interval, by a millisecond at least. */
export class LatePrices {
  readonly #feed: Pick<FeedContext, 'dailyBudget' | 'backoff' | 'emit'>
  readonly #answerTimes: AnswerTimes
  readonly #watched: ReadonlySet<TrackedPrice>
  #slowLeadMs: number | undefined

  constructor(
    feed: Pick<FeedContext, 'dailyBudget' | 'backoff' | 'emit'>,
    watched: ReadonlySet<TrackedPrice>,
    answerTimes: AnswerTimes,
  ) {
    this.#feed = feed
    this.#watched = watched
    this.#answerTimes = answerTimes
  }

  get nextAt(): number {
    let next = NEVER
    for (const { lateAt } of this.#watched) next = Math.min(next, lateAt)
    return next
  }

  /** Call it when a price or its watchers have changed. */
  update(tracked: TrackedPrice): void {
    const { price, at, reportedLateMs } = tracked
    tracked.lateAt = price === undefined ? NEVER : at + ageAbove(tracked, reportedLateMs) + 1
  }

  report(now: number): void {
    const { dailyBudget, backoff, emit } = this.#feed
    const { leadMs } = this.#answerTimes.latency
    for (const tracked of this.#watched) {
      if (tracked.lateAt > now) continue
      const { address, at, inFlight, watchers } = tracked
      const everyMs = ageAbove(tracked, tracked.reportedLateMs)
      const isSlow = inFlight && dailyBudget.stretch === 1 && backoff.state === 'none'
      if (isSlow && this.#slowLeadMs !== leadMs) {
        this.#slowLeadMs = leadMs
        emit({ type: 'feed.slow', address, everyMs, leadMs })
      }
      // Fractions of a millisecond get lost in a difference of times.
      tracked.reportedLateMs = Math.max(everyMs, now - at - 1)
      this.update(tracked)
      for (const watcher of [...watchers])
        if (tracked.maxAge(watcher.everyMs) <= tracked.reportedLateMs) watcher.onLate(tracked)
    }
  }
}

/** The shortest age above `ms` at which the price is stale for a watcher. */
function ageAbove(tracked: TrackedPrice, ms: number): number {
  const shortest = tracked.maxAge(tracked.shortestInterval)
  if (shortest > ms) return shortest
  let next = NEVER
  for (const { everyMs } of tracked.watchers) {
    const ageMs = tracked.maxAge(everyMs)
    if (ageMs > ms) next = Math.min(next, ageMs)
  }
  return next
}
