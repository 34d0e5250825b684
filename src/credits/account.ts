import type { OperationId } from '../generated/operations.ts'

/** What a client was charged up to now, as far as it was told. */
export interface CreditsReport {
  /** Credits charged, all operations together. */
  readonly charged: number
  /** Of these, the credits that no header told and that were computed from what was returned. */
  readonly computed: number
  /** Worst case of what may have been charged without an answer that tells. */
  readonly uncertain: number
  /** Credits left on the key by the newest answer; undefined before the first. */
  readonly remaining: number | undefined
  /** Credits charged, by operation. */
  readonly byOperation: Readonly<Partial<Record<OperationId, number>>>
}

export interface Account {
  /** What was charged up to now. */
  report(): CreditsReport
  /** Credits left on the key by the newest answer. */
  remaining(): number | undefined
  /** To be called when a request goes out; hand what it returns to `noteRemaining` with its answer. */
  noteSent(): number
  /** Takes the balance of an answer, unless a newer answer has already told a later one. */
  noteRemaining(sent: number, remaining: number): void
  noteCharge(operation: OperationId, credits: number, told: boolean): void
  noteUncertain(credits: number): void
}

export function createAccount(): Account {
  const byOperation: Partial<Record<OperationId, number>> = {}
  let charged = 0
  let computed = 0
  let uncertain = 0
  let remaining: number | undefined
  let tick = 0
  let newestAnsweredAt = 0

  return {
    report: () => ({ charged, computed, uncertain, remaining, byOperation: { ...byOperation } }),
    remaining: () => remaining,
    noteSent: () => ++tick,
    // Of two requests that were under way together nobody can tell which the service saw first, but the balance
    // only falls between top-ups: then the lower one is the later one. A request sent after an answer is newer for sure.
    noteRemaining(sent, told) {
      if (remaining !== undefined && sent < newestAnsweredAt && told >= remaining) return
      remaining = told
      newestAnsweredAt = ++tick
    },
    noteCharge(operation, credits, told) {
      charged += credits
      if (!told) computed += credits
      byOperation[operation] = (byOperation[operation] ?? 0) + credits
    },
    noteUncertain(credits) {
      uncertain += credits
    },
  }
}
