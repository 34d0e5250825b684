import { creditsFor } from '../../credits/batch-cost.ts'
import { type LeadTime, leadTimeFor } from '../schedule/lead-time.ts'
import type { TokenBucket } from '../schedule/token-bucket.ts'

export interface BucketShareParts {
  readonly bucket: TokenBucket
  readonly leadTime: Pick<LeadTime, 'ms'>
}

/**
 * What one watch adds to the token bucket. However often the watch changes, it fills the bucket no faster than a separate batch that
 * changes too, and its debt stays.
 */
export interface BucketShare {
  /** Changes the number of addresses and the interval. The next call of a separate batch is an interval after its last one. */
  update(addresses: number, everyMs: number, now: number): void
  leave(now: number): void
}

export function joinBucket(
  { bucket, leadTime }: BucketShareParts,
  initial: number,
  initialEveryMs: number,
  startedAt: number,
): BucketShare {
  let current = { everyMs: initialEveryMs, at: startedAt, leadMs: leadTime.ms }
  let largest = initial
  let leaves = [bucket.addWatch(initial, initialEveryMs, startedAt)]

  const periodOf = (everyMs: number) => everyMs - leadTimeFor(everyMs, leadTime.ms)

  /** When the last separate batch was sent. */
  function lastCallAt(now: number): number {
    // The times of earlier calls are unknown after a change of the lead time: the next one is a whole interval from now.
    if (current.leadMs !== leadTime.ms) return now
    const period = periodOf(current.everyMs)
    return current.at + Math.floor((now - current.at) / period) * period
  }

  /** Adds a watch without the call that fills the bucket when a watch starts. */
  function addWatch(addresses: number, everyMs: number, at: number, now: number): void {
    leaves.push(bucket.addWatch(addresses, everyMs, at))
    bucket.spend(creditsFor(addresses), now)
  }

  return {
    update(addresses, everyMs, now) {
      current = { everyMs, at: Math.max(lastCallAt(now), now - periodOf(everyMs)), leadMs: leadTime.ms }
      largest = Math.max(largest, addresses)
      const before = leaves
      leaves = []
      addWatch(addresses, everyMs, current.at, now)
      // The capacity stays that of the largest call. If it shrank, debt would be cut to the smaller limit, and growing again would
      // allow it once more.
      addWatch(addressesWorth(creditsFor(largest) - creditsFor(addresses)), Number.POSITIVE_INFINITY, now, now)
      for (const leave of before) leave(now)
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
