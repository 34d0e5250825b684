import type { RateLimitOptions } from './options.ts'
import { type Refusal, rateLimited } from './refusal.ts'

/** Counts calls per key. */
export interface RateLimit {
  /** Counts a call; the refusal when it is one too many. */
  check(key: string, now: number): Refusal | undefined
}

interface Seen {
  windowEnds: number
  requests: number
  refusals: number[]
  lockedUntil: number
}

const REFUSALS_WITHIN_MS = 60_000

export function createRateLimit(options: Required<RateLimitOptions> | undefined): RateLimit {
  if (!options) return { check: () => undefined }
  const { requests, windowMs, refusalsToLock, lockMs } = options
  const keys = new Map<string, Seen>()

  function seenOf(key: string, now: number): Seen {
    const seen = keys.get(key) ?? { windowEnds: now + windowMs, requests: 0, refusals: [], lockedUntil: 0 }
    keys.set(key, seen)
    if (now >= seen.windowEnds) Object.assign(seen, { windowEnds: now + windowMs, requests: 0 })
    return seen
  }

  return {
    check(key, now) {
      const seen = seenOf(key, now)
      if (now < seen.lockedUntil) return refuse('The key is locked after too many refusals.', seen.lockedUntil - now)
      seen.requests++
      if (seen.requests <= requests) return undefined
      seen.refusals = [...seen.refusals.filter((at) => at > now - REFUSALS_WITHIN_MS), now]
      if (seen.refusals.length >= refusalsToLock) seen.lockedUntil = now + lockMs
      return refuse(
        `The key may make ${requests} calls in ${windowMs} ms.`,
        Math.max(seen.windowEnds, seen.lockedUntil) - now,
      )
    },
  }
}

function refuse(message: string, waitMs: number): Refusal {
  return rateLimited(`${message} Nothing was charged.`, Math.max(1, Math.ceil(waitMs / 1000)))
}
