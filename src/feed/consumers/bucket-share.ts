import { creditsFor } from '../prices/batch-cost.ts'
import { type LeadTime, leadTimeFor } from '../schedule/lead-time.ts'
import type { TokenBucket } from '../schedule/token-bucket.ts'

export interface BucketShareParts {
  readonly bucket: TokenBucket
  readonly leadTime: Pick<LeadTime, 'ms'>
}

/**
 * What one watch adds to the token bucket: what a separate batch would cost that is changed in the same way. Changes neither fill the
 * bucket faster nor cancel its debt.
 */
export interface BucketShare {
  /** Changes the watch. Returns the new addresses that a separate batch would buy at once. */
  update(addresses: readonly string[], everyMs: number, now: number): readonly string[]
  /** Adds what a separate batch would have paid for one more of `count` new addresses. */
  addJoined(count: number, now: number): void
  leave(now: number): void
}

export function joinBucket(
  { bucket, leadTime }: BucketShareParts,
  initial: readonly string[],
  initialEveryMs: number,
  startedAt: number,
): BucketShare {
  let current = { addresses: initial, everyMs: initialEveryMs, at: startedAt, leadMs: leadTime.ms }
  /** The addresses of the last separate batch, and those bought since because they were new. */
  let bought = new Set(initial)
  let largest = initial.length
  let leaves = [bucket.addWatch(initial.length, initialEveryMs, startedAt)]

  const periodOf = (everyMs: number) => everyMs - leadTimeFor(everyMs, leadTime.ms)

  /** When the last separate batch was sent. */
  function lastCallAt(now: number): number {
    // The times of earlier calls are unknown after a change of the lead time: the next one is a whole interval from now.
    if (current.leadMs !== leadTime.ms) return now
    const period = periodOf(current.everyMs)
    const calls = Math.floor((now - current.at) / period)
    if (calls > 0) bought = new Set(current.addresses)
    return current.at + calls * period
  }

  /** Adds a watch without the call that fills the bucket when a watch starts. */
  function addWatch(count: number, everyMs: number, at: number, now: number): void {
    if (count === 0) return
    leaves.push(bucket.addWatch(count, everyMs, at))
    bucket.spend(creditsFor(count), now)
  }

  return {
    update(addresses, everyMs, now) {
      const period = periodOf(everyMs)
      const lastAt = lastCallAt(now)
      const callsNow = lastAt + period <= now
      const joined = callsNow ? [] : addresses.filter((address) => !bought.has(address))
      if (callsNow) bought = new Set(addresses)
      for (const address of joined) bought.add(address)
      current = { addresses, everyMs, at: Math.max(lastAt, now - period), leadMs: leadTime.ms }
      largest = Math.max(largest, addresses.length)
      const before = leaves
      leaves = []
      addWatch(addresses.length, everyMs, current.at, now)
      // The capacity stays that of the largest call. If it shrank, debt would be cut to the smaller limit, and growing again would
      // allow it once more.
      addWatch(addressesWorth(creditsFor(largest) - creditsFor(addresses.length)), Number.POSITIVE_INFINITY, now, now)
      for (const leave of before) leave(now)
      return joined
    },
    addJoined(count, now) {
      bucket.spend(creditsFor(count - 1) - creditsFor(count), now)
    },
    leave(now) {
      for (const leave of leaves.splice(0)) leave(now)
    },
  }
}

/** The smallest number of addresses that cost at least `credits`. */
function addressesWorth(credits: number): number {
  let count = 0
  while (creditsFor(count) < credits) count++
  return count
}
