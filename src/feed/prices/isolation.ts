import { requestCredits, splitIntoRequests } from '../../credits/batch-cost.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedEvent } from '../events.ts'
import { creditsChargedBy, type Failure, isAboutAddresses, mayBeCausedByAnAddress } from '../failures.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { Backoff } from '../requests/backoff.ts'
import type { SuspectGroup, TrackedPrice } from './tracked-price.ts'

/**
 * What a failure says of its addresses. `split`: they are requested in two parts from now on. `isolated`: they fail while others succeed.
 * `service`: the cause may be the service.
 */
export type Verdict = { readonly kind: 'split' | 'service' } | { readonly kind: 'isolated'; readonly failure: Failure }

/**
 * What the failures of a search may cost, over the batch that failed first. To find one of 50 addresses takes 1.9 times its cost. Without a
 * limit, a service that charges for answers that nobody can read would be paid for every part of every batch.
 */
const MAX_SEARCH_COST = 2
/** Beyond this number of refusals in a row, the service refuses everything. */
const MAX_REFUSALS = 12
const MIN_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000

/**
 * Finds the address that makes batches fail. A batch that fails is split in two for its next attempt, until one address is left
 * that fails alone. That address then has a backoff of its own.
 */
export class Isolation {
  readonly #clock: FeedClock
  readonly #backoff: Backoff
  readonly #emit: (event: FeedEvent) => void
  #succeededAt = Number.NEGATIVE_INFINITY
  #refusals = 0

  constructor(clock: FeedClock, backoff: Backoff, emit: (event: FeedEvent) => void) {
    this.#clock = clock
    this.#backoff = backoff
    this.#emit = emit
  }

  /** Splits addresses into requests, with addresses under suspicion in requests of their own. */
  split(prices: readonly TrackedPrice[]): TrackedPrice[][] {
    const suspects = new Map<SuspectGroup, TrackedPrice[]>()
    const healthy: TrackedPrice[] = []
    for (const tracked of prices) {
      const { suspectGroup } = tracked
      if (suspectGroup === undefined) healthy.push(tracked)
      else suspects.set(suspectGroup, [...(suspects.get(suspectGroup) ?? []), tracked])
    }
    return [...splitIntoRequests(healthy), ...suspects.values()]
  }

  /** @param isUnknown whether the service answered that it does not know the token: if it refused a batch with it, it would again */
  recordSuccess(prices: readonly TrackedPrice[], isUnknown: boolean): void {
    this.#succeededAt = this.#clock.now()
    this.#refusals = 0
    for (const tracked of prices) if (!(isUnknown && tracked.suspectGroup?.search.isRefused)) tracked.suspect(undefined)
  }

  recordFailure(prices: readonly TrackedPrice[], error: unknown, decidedAt: number): Verdict {
    const [first] = prices
    if (first === undefined || !mayBeCausedByAnAddress(error)) return { kind: 'service' }
    const isRefused = isAboutAddresses(error)
    if (isRefused && ++this.#refusals > MAX_REFUSALS) {
      this.#refusals = 0
      return { kind: 'service' }
    }
    const failingSince = Math.min(decidedAt, ...prices.map((tracked) => tracked.failingSince))
    // Without a success the service may be down: then smaller requests only cost more, except for one attempt. A refusal is free.
    const othersSucceed = isRefused || this.#succeededAt >= failingSince
    const isFirst = error.charge !== 'unknown' && first.suspectGroup === undefined
    if (prices.length > 1 && (othersSucceed || isFirst)) {
      const { search } = first.suspectGroup ?? this.#newGroup(prices, isRefused)
      for (const part of halve(prices)) {
        const group = { search }
        for (const tracked of part) tracked.suspect(group)
      }
      return { kind: 'split' }
    }
    return othersSucceed ? { kind: 'isolated', failure: this.#isolate(prices, error, isRefused) } : { kind: 'service' }
  }

  /** Records what a failure may have been charged. Returns whether the search for the address has to wait for the interval. */
  recordCharge(prices: readonly TrackedPrice[], error: unknown): boolean {
    const search = prices[0]?.suspectGroup?.search
    if (search === undefined || creditsChargedBy(error) === 0) return false
    search.left -= requestCredits(prices.length)
    if (search.left >= 0) return false
    search.left = this.#newGroup(prices, search.isRefused).search.left
    return true
  }

  #newGroup(prices: readonly TrackedPrice[], isRefused: boolean): SuspectGroup {
    const left = Math.max(0, MAX_SEARCH_COST - this.#backoff.failures) * requestCredits(prices.length)
    return { search: { left, isRefused } }
  }

  #isolate(prices: readonly TrackedPrice[], error: EtnMarketError, isRefused: boolean): Failure {
    const isCharged = error.charge !== 'none'
    const failures = Math.max(...prices.map((tracked) => tracked.failures))
    const backoff = isRefused ? MAX_WAIT_MS : exponentialBackoff(failures, MIN_WAIT_MS, MAX_WAIT_MS)
    const intervals = prices.filter(({ watchers }) => watchers.size > 0).map(({ intervalMs }) => intervalMs)
    const waitMs = isCharged ? Math.max(backoff, ...intervals) : backoff
    const group = prices[0]?.suspectGroup ?? this.#newGroup(prices, isRefused)
    for (const tracked of prices) tracked.suspect(group, failures + 1)
    const [only] = prices
    if (prices.length === 1 && only && failures === 0)
      this.#emit({
        type: 'feed.isolated',
        address: only.address,
        code: error.code,
        retryAt: this.#clock.toUnix(this.#clock.now() + waitMs),
      })
    return { error, waitMs, transient: !isCharged && !isRefused, maybeCharged: isCharged }
  }
}

function halve(prices: readonly TrackedPrice[]): TrackedPrice[][] {
  const half = Math.ceil(prices.length / 2)
  return [...splitIntoRequests(prices.slice(0, half)), ...splitIntoRequests(prices.slice(half))]
}
