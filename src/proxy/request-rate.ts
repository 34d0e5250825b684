import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import { MINUTE_MS } from '../utils/time-units.ts'
import { refuse } from './refusal.ts'

/** Limits how many requests a visitor makes. */
export interface RequestRate {
  /** Counts a request. @throws Refusal for one too many, which is not counted */
  count(visitor: string): void
}

/** Bounds the memory: while there are as many visitors in a minute, further ones are refused. */
const MAX_VISITORS = 100_000

/**
 * A sliding window: the requests of the last whole minute count by the part of it that is less than a minute ago. Two counts for each
 * visitor suffice, and a visitor is forgotten two minutes after the last request.
 */
export function createRequestRate(requestsPerMinute: number, clock: Clock): RequestRate {
  let minute = { startedAt: monotonicNow(clock), counts: new Map<string, number>() }
  let before: ReadonlyMap<string, number> = new Map()

  function turn(): number {
    const elapsed = monotonicNow(clock) - minute.startedAt
    if (elapsed < MINUTE_MS) return elapsed
    before = elapsed < 2 * MINUTE_MS ? minute.counts : new Map()
    minute = { startedAt: minute.startedAt + Math.floor(elapsed / MINUTE_MS) * MINUTE_MS, counts: new Map() }
    return elapsed % MINUTE_MS
  }

  return {
    count(visitor) {
      const elapsed = turn()
      const counted = minute.counts.get(visitor) ?? 0
      const earlier = before.get(visitor) ?? 0
      const isKnown = counted + earlier > 0
      const recent = counted + earlier * (1 - elapsed / MINUTE_MS)
      if (recent + 1 > requestsPerMinute || (!isKnown && minute.counts.size >= MAX_VISITORS))
        throw refuse(429, 'too_many_requests', `At most ${requestsPerMinute} requests a minute.`, {
          retryAfterMs: waitFor(counted, earlier, elapsed),
        })
      minute.counts.set(visitor, counted + 1)
    },
  }

  /** Until one more fits, if the visitor waits. */
  function waitFor(counted: number, earlier: number, elapsed: number): number {
    const restMs = MINUTE_MS - elapsed
    // In this minute the share of the one before falls; in the next one, the share of this minute.
    const allowed = requestsPerMinute - 1 - counted
    if (allowed >= 0 && earlier > 0) return Math.max(0, MINUTE_MS * (1 - allowed / earlier) - elapsed)
    return restMs + Math.max(0, MINUTE_MS * (1 - (requestsPerMinute - 1) / Math.max(1, counted)))
  }
}
