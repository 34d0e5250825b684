/** How long before its due time a request is sent, because the answer takes time. */
export interface LeadTime {
  readonly ms: number
  /** Records the milliseconds from the decision to buy to the answer. */
  record(tookMs: number): void
}

/** Room for an answer that takes longer than any before. */
const MARGIN = 1.25
/** The lead time covers the slowest of the last 50 to 100 answers. */
const WINDOW_SIZE = 50

/**
 * The lead time for a price that is valid for `intervalMs`: half of that at most, so that it is bought at most twice as often.
 *
 * Beyond half, an address would need several requests in flight. A price is requested, arrives a latency later, and has to be replaced
 * by one that was requested later but has arrived: in time, requests follow each other by the interval less the latency. With answers
 * that take three quarters of the interval, that is four times as often and four in flight, against a service that is slow already.
 */
export function leadTimeFor(intervalMs: number, leadMs: number): number {
  return Math.min(leadMs, intervalMs / 2)
}

/** Rises immediately with a slow answer, and falls when that answer leaves the window. */
export function createLeadTime(onChange: () => void): LeadTime {
  let ms = 0
  let slowestBefore = 0
  let slowest = 0
  let count = 0
  return {
    get ms() {
      return ms
    },
    record(tookMs) {
      if (count++ === WINDOW_SIZE) [slowestBefore, slowest, count] = [slowest, 0, 1]
      slowest = Math.max(slowest, tookMs)
      // Each change recomputes every due time, so small changes are skipped.
      const wanted = Math.ceil(Math.max(slowestBefore, slowest) * MARGIN)
      if (tookMs <= ms && wanted >= ms / 2) return
      ms = wanted
      onChange()
    },
  }
}
