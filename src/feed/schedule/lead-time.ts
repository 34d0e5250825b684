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
