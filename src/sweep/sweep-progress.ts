import type { SweepOptions } from '../sweep-types.ts'

export interface ProgressParts extends Pick<SweepOptions, 'onProgress'> {
  /** How many results there will be. */
  readonly total: number
  /** Monotonic milliseconds. */
  now(): number
}

/** Counts the results of a sweep, and reports them. */
export function createProgress(pending: ReadonlySet<unknown>, { total, onProgress, now }: ProgressParts) {
  const startedAt = now()
  let done = 0
  let failed = 0
  let credits = 0
  let calls = 0
  return {
    /** @param charged undefined when the answer came from the store */
    bought(charged: number | undefined): void {
      if (charged === undefined) return
      calls++
      credits += charged
    },
    arrived(isFailure: boolean): void {
      done++
      if (isFailure) failed++
      const etaMs = calls === 0 ? undefined : ((now() - startedAt) / calls) * pending.size
      try {
        onProgress?.({ done, failed, total, credits, etaMs })
      } catch {
        // The listener is at fault, and the sweep goes on.
      }
    },
  }
}
