import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import { MINUTE_MS } from '../utils/time-units.ts'
import { refuse } from './refusal.ts'

/** Bounds the memory: while there are as many visitors in a minute, further ones are refused. */
const MAX_VISITORS = 100_000

/**
 * Limits how many requests a visitor makes. A sliding window: the requests of the last whole minute count by the part of it that is less than a
 * minute ago. Two counts for each visitor suffice, and a visitor is forgotten two minutes after the last request.
 */
export class RequestRate {
  readonly #requestsPerMinute: number
  readonly #clock: Clock
  #startedAt: number
  #counts = new Map<string, number>()
  #before: ReadonlyMap<string, number> = new Map()

  constructor(requestsPerMinute: number, clock: Clock) {
    this.#requestsPerMinute = requestsPerMinute
    this.#clock = clock
    this.#startedAt = monotonicNow(clock)
  }

  /** Counts a request. @throws Refusal for one too many, which is not counted */
  count(visitor: string): void {
    const elapsed = this.#turn()
    const counted = this.#counts.get(visitor) ?? 0
    const earlier = this.#before.get(visitor) ?? 0
    const isKnown = counted + earlier > 0
    const recent = counted + earlier * (1 - elapsed / MINUTE_MS)
    if (recent + 1 > this.#requestsPerMinute || (!isKnown && this.#counts.size >= MAX_VISITORS))
      throw refuse(429, 'too_many_requests', `At most ${this.#requestsPerMinute} requests a minute.`, {
        retryAfterMs: this.#waitFor(counted, earlier, elapsed),
      })
    this.#counts.set(visitor, counted + 1)
  }

  #turn(): number {
    const elapsed = monotonicNow(this.#clock) - this.#startedAt
    if (elapsed < MINUTE_MS) return elapsed
    this.#before = elapsed < 2 * MINUTE_MS ? this.#counts : new Map()
    this.#counts = new Map()
    this.#startedAt += Math.floor(elapsed / MINUTE_MS) * MINUTE_MS
    return elapsed % MINUTE_MS
  }

  /** Until one more fits, if the visitor waits. */
  #waitFor(counted: number, earlier: number, elapsed: number): number {
    // In this minute the share of the one before falls; in the next one, the share of this minute.
    const allowed = this.#requestsPerMinute - 1 - counted
    if (allowed >= 0 && earlier > 0) return Math.max(0, MINUTE_MS * (1 - allowed / earlier) - elapsed)
    const restMs = MINUTE_MS - elapsed
    return restMs + Math.max(0, MINUTE_MS * (1 - (this.#requestsPerMinute - 1) / Math.max(1, counted)))
  }
}
