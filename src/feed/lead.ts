/** How long before a deadline a request must go out, because it takes its time. */
export interface Lead {
  readonly ms: number
  /** Notes how long a request took, from its decision to its answer. */
  note(tookMs: number): void
}

/** Room for a request that takes longer than any before. */
const MARGIN = 1.25
const FORGETTING = 0.1

/** Rises with the slowest request at once, and falls only slowly. */
export function createLead(onChange: () => void): Lead {
  let ms = 0
  let usual = 0
  return {
    get ms() {
      return ms
    },
    note(tookMs) {
      usual = Math.max(tookMs, usual + (tookMs - usual) * FORGETTING)
      // Each change moves every deadline, so that small ones are not worth it.
      const wanted = Math.ceil(usual * MARGIN)
      if (tookMs <= ms && wanted >= ms / 2) return
      ms = wanted
      onChange()
    },
  }
}
