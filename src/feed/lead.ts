/** How long before a deadline a request must go out, because it takes its time. */
export interface Lead {
  readonly ms: number
  /** Notes how long a request took, from its decision to its answer. */
  note(tookMs: number): void
}

/** Room for a request that takes longer than any before. */
const MARGIN = 1.25
/** The slowest of so many answers, and of as many before them, is what the next may take. */
const REMEMBERED = 50

/** How long before its deadline a price that lasts so long is asked for: it is asked for twice as often at most. */
export function leadFor(lastsMs: number, leadMs: number): number {
  return Math.min(leadMs, lastsMs / 2)
}

/** Rises with the slowest request at once, and falls when it is forgotten. */
export function createLead(onChange: () => void): Lead {
  let ms = 0
  let before = 0
  let slowest = 0
  let count = 0
  return {
    get ms() {
      return ms
    },
    note(tookMs) {
      if (count++ === REMEMBERED) [before, slowest, count] = [slowest, 0, 1]
      slowest = Math.max(slowest, tookMs)
      // Each change moves every deadline, so that small ones are not worth it.
      const wanted = Math.ceil(Math.max(before, slowest) * MARGIN)
      if (tookMs <= ms && wanted >= ms / 2) return
      ms = wanted
      onChange()
    },
  }
}
