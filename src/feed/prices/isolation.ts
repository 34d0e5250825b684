import { requestCredits, splitIntoRequests } from '../../credits/batch-cost.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { exponentialBackoff } from '../../utils/exponential-backoff.ts'
import type { FeedEvent } from '../events.ts'
import { creditsChargedBy, type Failure, mayBeCausedByAnAddress } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'
import { cleared, type SuspectGroup, suspected, type TrackedPrice } from './tracked-price.ts'

/**
 * Finds the address that makes batches fail. A batch that fails is split in two for its next attempt, until one address is left
 * that fails alone. That address then has a backoff of its own.
 */
export interface Isolation {
  /** Splits addresses into requests, with addresses under suspicion in requests of their own. */
  split(prices: readonly TrackedPrice[]): TrackedPrice[][]
  /** Returns what the watches have set aside for requests of these addresses. */
  recordSuccess(prices: readonly TrackedPrice[]): number
  /**
   * Returns the failure of the one address that fails while others succeed; 'split' if the addresses are requested in two parts from now
   * on; undefined if the cause may be the service.
   */
  recordFailure(prices: readonly TrackedPrice[], error: unknown, decidedAt: number): Failure | 'split' | undefined
  /** Records what a failure may have been charged. Returns whether the search for the address has to wait for the interval. */
  recordCharge(prices: readonly TrackedPrice[], error: unknown): boolean
}

/**
 * What the failures of a search may cost, over the batch that failed first. To find one of 50 addresses takes 1.9 times its cost. Without a
 * limit, a service that charges for answers that nobody can read would be paid for every part of every batch.
 */
const MAX_SEARCH_COST = 2
const MIN_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000

/**
 * @param failuresSoFar consecutive failures of all requests, each of which may have been charged
 * @param reserveExtra sets credits of the watches aside for more requests than they need; false if they cannot pay
 */
export function createIsolation(
  clock: FeedClock,
  emit: (event: FeedEvent) => void,
  failuresSoFar: () => number,
  reserveExtra: (credits: number) => boolean,
): Isolation {
  let succeededAt = Number.NEGATIVE_INFINITY

  return {
    split(prices) {
      const suspects = new Map<SuspectGroup, TrackedPrice[]>()
      const healthy: TrackedPrice[] = []
      for (const tracked of prices) {
        const { suspectGroup } = tracked
        if (suspectGroup === undefined) healthy.push(tracked)
        else suspects.set(suspectGroup, [...(suspects.get(suspectGroup) ?? []), tracked])
      }
      return [...splitIntoRequests(healthy), ...suspects.values()]
    },
    recordSuccess(prices) {
      succeededAt = clock.now()
      const group = prices[0]?.suspectGroup
      const reserved = group?.reserved ?? 0
      // The rest of the group may be requested later, and has nothing set aside any more.
      if (group) group.reserved = 0
      for (const tracked of prices) cleared(tracked)
      return reserved
    },
    recordFailure(prices, error, decidedAt) {
      const [first] = prices
      if (first === undefined || !mayBeCausedByAnAddress(error)) return undefined
      const failingSince = Math.min(decidedAt, ...prices.map((tracked) => tracked.failingSince))
      // Without a success the service may be down: then smaller requests only cost more, except for one attempt.
      const othersSucceed = succeededAt >= failingSince
      const isFirst = error.charge !== 'unknown' && first.suspectGroup === undefined
      if (prices.length > 1 && (othersSucceed || isFirst) && splitGroup(prices)) return 'split'
      return othersSucceed ? isolate(prices, error) : undefined
    },
    recordCharge(prices, error) {
      const search = prices[0]?.suspectGroup?.search
      if (search === undefined || creditsChargedBy(error) === 0) return false
      search.left -= requestCredits(prices.length)
      if (search.left >= 0) return false
      Object.assign(search, newSearch(prices))
      return true
    },
  }

  function newSearch(prices: readonly TrackedPrice[]): SuspectGroup['search'] {
    return { left: Math.max(0, MAX_SEARCH_COST - failuresSoFar()) * requestCredits(prices.length) }
  }

  /** A price request pays for itself; the watches pay for a split out of what merging saved them. */
  function splitGroup(prices: readonly TrackedPrice[]): boolean {
    const parts = halve(prices)
    const credits = parts.reduce((sum, part) => sum + requestCredits(part.length), 0)
    const extra = credits - requestCredits(prices.length)
    const isForWatches = prices.every(({ watchers }) => watchers.size > 0)
    if (isForWatches && !reserveExtra(extra)) return false
    const reserved = (prices[0]?.suspectGroup?.reserved ?? 0) + (isForWatches ? extra : 0)
    const search = prices[0]?.suspectGroup?.search ?? newSearch(prices)
    for (const part of parts) {
      const group: SuspectGroup = { reserved: reserved / parts.length, search }
      for (const tracked of part) suspected(tracked, { suspectGroup: group, failures: 0 })
    }
    return true
  }

  function isolate(prices: readonly TrackedPrice[], error: EtnMarketError): Failure {
    const isCharged = error.charge !== 'none'
    const failures = Math.max(...prices.map((tracked) => tracked.failures))
    const backoff = exponentialBackoff(failures, MIN_WAIT_MS, MAX_WAIT_MS)
    const intervals = prices.filter(({ watchers }) => watchers.size > 0).map(({ intervalMs }) => intervalMs)
    const waitMs = isCharged ? Math.max(backoff, ...intervals) : backoff
    // Without the interval, which the schedule adds: it ends earlier when a watch with a shorter one joins.
    const retryAt = clock.now() + backoff
    const group: SuspectGroup = prices[0]?.suspectGroup ?? { reserved: 0, search: newSearch(prices) }
    for (const tracked of prices) suspected(tracked, { suspectGroup: group, retryAt, failures: failures + 1 })
    const [only] = prices
    if (prices.length === 1 && only && failures === 0)
      emit({
        type: 'feed.isolated',
        address: only.address,
        code: error.code,
        retryAt: clock.toUnix(clock.now() + waitMs),
      })
    return { error, waitMs, transient: !isCharged, maybeCharged: isCharged }
  }
}

function halve(prices: readonly TrackedPrice[]): TrackedPrice[][] {
  const half = Math.ceil(prices.length / 2)
  return [...splitIntoRequests(prices.slice(0, half)), ...splitIntoRequests(prices.slice(half))]
}
