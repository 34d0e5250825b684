import type { CallName } from '../errors/base.ts'

/** What a client was charged so far, as far as its answers report. */
export interface CreditsReport {
  /** Credits charged, all operations together. */
  readonly charged: number
  /** Credits of `charged` that no header reports and that were computed from the items returned. */
  readonly computed: number
  /** Worst case of requests that may have been charged and whose answer is lost. */
  readonly uncertain: number
  /** Credits left on the key, as the newest answer reports; undefined before the first. */
  readonly remaining: number | undefined
  /** Credits charged, by operation. */
  readonly byOperation: Readonly<Partial<Record<CallName, number>>>
}

/** Counts what the requests of a client were charged. */
export interface Usage {
  /** A copy of what was charged so far. */
  report(): CreditsReport
  /** Credits left on the key, as the newest answer reports. */
  remaining(): number | undefined
  /** Call this when a request is sent, and pass the returned number to `recordRemaining` with its answer. */
  recordSent(): number
  /** Takes over the balance that an answer reports, unless an answer that is newer has reported one. */
  recordRemaining(sent: number, remaining: number): void
  /** `fromHeader` is false when the credits were computed from the items returned. */
  recordCharge(operation: CallName, credits: number, fromHeader: boolean): void
  recordUncertain(credits: number): void
}

export function createUsage(): Usage {
  const byOperation: Partial<Record<CallName, number>> = {}
  let charged = 0
  let computed = 0
  let uncertain = 0
  let remaining: number | undefined
  let sequence = 0
  let newestAnswer = 0

  return {
    report: () => ({ charged, computed, uncertain, remaining, byOperation: { ...byOperation } }),
    remaining: () => remaining,
    recordSent: () => ++sequence,
    // A request sent after an answer is newer than that answer. Of two requests in flight together either may be the
    // newer one; the balance only falls between top-ups, so the lower one is taken.
    recordRemaining(sent, reported) {
      if (remaining !== undefined && sent < newestAnswer && reported >= remaining) return
      remaining = reported
      newestAnswer = ++sequence
    },
    recordCharge(operation, credits, fromHeader) {
      charged += credits
      if (!fromHeader) computed += credits
      byOperation[operation] = (byOperation[operation] ?? 0) + credits
    },
    recordUncertain(credits) {
      uncertain += credits
    },
  }
}
