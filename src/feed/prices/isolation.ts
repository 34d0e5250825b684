import { requestCredits, splitIntoRequests } from '../../credits/cheapest-requests.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { creditsChargedBy, type Failure, isAboutAddresses, mayBeCausedByAnAddress } from '../failures.ts'
import type { FeedContext } from '../feed.ts'
import type { Prices, SuspectGroup, TrackedPrice } from './tracked-price.ts'

/**
 * What the failures of a search may cost, over the batch that failed first. To find one of 50 addresses takes 1.9 times its cost. Without a
 * limit, a service that charges for answers that nobody can read would be paid for every part of every batch.
 */
const MAX_SEARCH_COST = 2
/** While everything fails, one batch is split at the first failure, and again after so many: it may be an address after all. */
const FAILURES_PER_SEARCH = 8
/** Beyond this number of refusals in a row, the service refuses everything. */
const MAX_REFUSALS = 12

/**
 * Finds the address that makes batches fail. A batch that fails is split in two for its next attempt, until one address is left
 * that fails alone. That address then has a backoff of its own.
 */
export class Isolation {
  readonly #feed: Pick<FeedContext, 'clock' | 'backoff' | 'emit'>
  #succeededAt = Number.NEGATIVE_INFINITY
  #refusals = 0

  constructor(feed: Pick<FeedContext, 'clock' | 'backoff' | 'emit'>) {
    this.#feed = feed
  }

  /** Splits addresses into requests, with addresses under suspicion in requests of their own. */
  split(prices: Prices): TrackedPrice[][] {
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
  recordSuccess(prices: Prices, isUnknown: boolean): void {
    this.#succeededAt = this.#feed.clock.now()
    this.#refusals = 0
    for (const tracked of prices) if (!(isUnknown && tracked.suspectGroup?.search.isRefused)) tracked.suspect(undefined)
  }

  /**
   * Returns when the addresses are requested again, and why they have no price. Undefined for a batch that was refused: that is free, so its
   * parts are requested at once, and nobody has to know.
   */
  recordFailure(prices: Prices, error: unknown, sentAt: number, decidedAt: number): Failure | undefined {
    const isSearchOver = this.#payForSearch(prices, error)
    const isRefused = isAboutAddresses(error)
    let isSplit = false
    const [first] = prices
    if (first && mayBeCausedByAnAddress(error) && !(isRefused && this.#isAlwaysRefused())) {
      const failingSince = Math.min(decidedAt, ...prices.map((tracked) => tracked.failingSince))
      // Without a success the service may be down: then smaller requests only cost more, except for one attempt. A refusal is free.
      const othersSucceed = isRefused || this.#succeededAt >= failingSince
      const { failures } = this.#feed.backoff
      const isTurn = failures === 0 || (error.charge === 'none' && failures % FAILURES_PER_SEARCH === 0)
      const isFirst = error.charge !== 'unknown' && first.suspectGroup === undefined && isTurn
      isSplit = prices.length > 1 && (othersSucceed || isFirst)
      if (isSplit) this.#halve(prices, isRefused)
      // Both halves fail, and nothing succeeds: it is not about an address.
      else if (!othersSucceed) for (const tracked of prices) tracked.suspectGroup = undefined
      else return this.#isolate(first, error, isRefused)
      if (isSplit && isRefused) return undefined
    }
    const failure = this.#feed.backoff.recordFailure(error, sentAt)
    // The parts are requested at once, also if the failure was charged: otherwise each halving would take an interval.
    return { ...failure, maybeCharged: isSearchOver || (failure.maybeCharged && !isSplit) }
  }

  #isAlwaysRefused(): boolean {
    this.#refusals = this.#refusals === MAX_REFUSALS ? 0 : this.#refusals + 1
    return this.#refusals === 0
  }

  /** Counts what a failure may have been charged. Returns whether the search for the address has to wait for the interval. */
  #payForSearch(prices: Prices, error: unknown): boolean {
    const search = prices[0]?.suspectGroup?.search
    if (search === undefined || creditsChargedBy(error) === 0) return false
    search.left -= requestCredits(prices.length)
    if (search.left >= 0) return false
    search.left = this.#searchCredits(prices)
    return true
  }

  #searchCredits({ length }: Prices): number {
    return Math.max(0, MAX_SEARCH_COST - this.#feed.backoff.failures) * requestCredits(length)
  }

  #newGroup(prices: Prices, isRefused: boolean): SuspectGroup {
    return { search: { left: this.#searchCredits(prices), isRefused } }
  }

  #halve(prices: Prices, isRefused: boolean): void {
    const { search } = prices[0]?.suspectGroup ?? this.#newGroup(prices, isRefused)
    const half = Math.ceil(prices.length / 2)
    for (const part of [...splitIntoRequests(prices.slice(0, half)), ...splitIntoRequests(prices.slice(half))]) {
      const group = { search }
      for (const tracked of part) tracked.suspect(group)
    }
  }

  #isolate(tracked: TrackedPrice, error: EtnMarketError, isRefused: boolean): Failure {
    const { clock, emit } = this.#feed
    const { address, retries, watchers, intervalMs } = tracked
    const isCharged = error.charge !== 'none'
    const nextMs = retries.fail()
    const retryMs = isRefused ? retries.maxMs : nextMs
    const waitMs = isCharged && watchers.size > 0 ? Math.max(retryMs, intervalMs) : retryMs
    tracked.suspectGroup ??= this.#newGroup([tracked], isRefused)
    if (retries.failures === 1)
      emit({ type: 'feed.isolated', address, code: error.code, retryAt: clock.toUnix(clock.now() + waitMs) })
    return { error, waitMs, transient: !isCharged && !isRefused, maybeCharged: isCharged }
  }
}
