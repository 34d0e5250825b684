import { Rejection } from './reply.ts'
import * as is from './schema.ts'

/** A limit on the calls of a key per time window. The live service has one; its values are not known. */
export interface RateLimitOptions {
  /** Calls that a key may make within a window; further ones are answered 429 with `Retry-After`. */
  requests: number
  /** Length of the window in milliseconds. @default 60_000 */
  windowMs?: number | undefined
  /** Refusals within a minute after which the key is locked. @default 20 */
  refusalsToLock?: number | undefined
  /** How long a key stays locked, in milliseconds. @default 900_000 */
  lockMs?: number | undefined
}

export const RATE_LIMIT: is.Schema = is.object({
  requests: is.count,
  windowMs: is.between(1),
  refusalsToLock: { anyOf: [is.count, { enum: [Number.POSITIVE_INFINITY] }] },
  lockMs: is.between(0),
})

interface KeyUsage {
  windowEnds: number
  requests: number
  refusals: number[]
  lockedUntil: number
}

const REFUSALS_WITHIN_MS = 60_000

/** Counts calls per key; without options there is no limit. */
export class RateLimit {
  readonly #options: RateLimitOptions | undefined
  /** By key. Replaced and never changed, so that snapshots share it. */
  state: ReadonlyMap<string, KeyUsage> = new Map()

  constructor(options: RateLimitOptions | undefined) {
    this.#options = options
  }

  /** Counts a call; throws the rejection of one that is over the limit. */
  check(key: string, now: number): void {
    if (!this.#options) return
    const { requests, windowMs = 60_000, refusalsToLock = 20, lockMs = 900_000 } = this.#options
    const usage: KeyUsage = { windowEnds: now, requests: 0, refusals: [], lockedUntil: 0, ...this.state.get(key) }
    this.state = new Map(this.state).set(key, usage)
    if (now >= usage.windowEnds) Object.assign(usage, { windowEnds: now + windowMs, requests: 0 })
    const reject = (message: string, until: number) => {
      const seconds = Math.max(1, Math.ceil((until - now) / 1000))
      return new Rejection(429, 'rate_limited', `${message} Nothing was charged.`, [['Retry-After', String(seconds)]])
    }
    if (now < usage.lockedUntil) throw reject('The key is locked after too many refusals.', usage.lockedUntil)
    usage.requests++
    if (usage.requests <= requests) return
    usage.refusals = [...usage.refusals.filter((at) => at > now - REFUSALS_WITHIN_MS), now]
    if (usage.refusals.length >= refusalsToLock) usage.lockedUntil = now + lockMs
    throw reject(`The key may make ${requests} calls in ${windowMs} ms.`, Math.max(usage.windowEnds, usage.lockedUntil))
  }
}
