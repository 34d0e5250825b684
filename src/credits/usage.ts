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

export class Usage {
  #charged = 0
  #computed = 0
  #uncertain = 0
  #remaining: number | undefined
  readonly #byOperation: Partial<Record<CallName, number>> = {}
  #sequence = 0
  #newestAnswer = 0

  report(): CreditsReport {
    return {
      charged: this.#charged,
      computed: this.#computed,
      uncertain: this.#uncertain,
      remaining: this.#remaining,
      byOperation: { ...this.#byOperation },
    }
  }

  remaining(): number | undefined {
    return this.#remaining
  }

  /** Call this when a request is sent, and pass the returned number to `recordRemaining` with its answer. */
  recordSent(): number {
    return ++this.#sequence
  }

  /**
   * Takes over the balance that an answer reports, unless an answer that is newer has reported one. A request sent after an answer is newer
   * than that answer. Of two requests in flight together either may be the newer one; the balance only falls between top-ups, so the lower
   * one is taken.
   */
  recordRemaining(sent: number, remaining: number): void {
    if (this.#remaining !== undefined && sent < this.#newestAnswer && remaining >= this.#remaining) return
    this.#remaining = remaining
    this.#newestAnswer = ++this.#sequence
  }

  /** `fromHeader` is false when the credits were computed from the items returned. */
  recordCharge(operation: CallName, credits: number, fromHeader: boolean): void {
    this.#charged += credits
    if (!fromHeader) this.#computed += credits
    this.#byOperation[operation] = (this.#byOperation[operation] ?? 0) + credits
  }

  recordUncertain(credits: number): void {
    this.#uncertain += credits
  }
}
