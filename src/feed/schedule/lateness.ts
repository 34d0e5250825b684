import type { FeedContext } from '../feed.ts'
import { NO_LATENCY } from '../timetable.ts'
import type { Schedule } from './schedule.ts'

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

type LatenessFeed = Pick<FeedContext, 'dailyBudget' | 'backoff' | 'emit'>

/** Reports to watchers when a price is older than their interval, by a millisecond at least. */
export class LatePrices {
  readonly #feed: LatenessFeed
  readonly #schedule: Pick<Schedule, 'watched' | 'answerTimes'>
  #slowLeadMs: number | undefined

  constructor(feed: LatenessFeed, schedule: Pick<Schedule, 'watched' | 'answerTimes'>) {
    this.#feed = feed
    this.#schedule = schedule
  }

  get nextAt(): number {
    let next = NEVER
    for (const { lateAt } of this.#schedule.watched) next = Math.min(next, lateAt)
    return next
  }

  report(now: number): void {
    const { dailyBudget, backoff, emit } = this.#feed
    const { watched, answerTimes } = this.#schedule
    const { leadMs } = answerTimes.latency
    for (const tracked of watched) {
      if (tracked.lateAt > now) continue
      const { address, inFlight, watchers, lateMs: everyMs } = tracked
      const isSlow = inFlight && dailyBudget.stretch === 1 && backoff.state === 'none'
      if (isSlow && this.#slowLeadMs !== leadMs) {
        this.#slowLeadMs = leadMs
        emit({ type: 'feed.slow', address, everyMs, leadMs })
      }
      tracked.reportLate(now)
      for (const watcher of [...watchers])
        if (tracked.maxAge(watcher.everyMs) <= tracked.reportedLateMs) watcher.onLate(tracked)
    }
  }
}
