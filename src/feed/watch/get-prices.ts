import type { Clock } from '../../concurrency/clock.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import type { Failure } from '../failures.ts'
import type { Lifetime } from '../lifetime.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import { toFeedPrice } from '../prices/feed-price.ts'
import type { PriceTable } from '../prices/price-table.ts'
import type { Subscriber, TrackedPrice } from '../prices/tracked-price.ts'
import type { Backoff } from '../requests/backoff.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import type { FeedPrice, PriceRequestOptions } from './types.ts'

export interface GetPricesParts {
  readonly clock: Clock
  readonly table: PriceTable
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly scheduler: Scheduler
  readonly lifetime: Lifetime
  readonly maxAgeMs: number
  /** Returns the EIP-55 form of addresses; throws the client's error for an invalid one. */
  toChecksum(addresses: readonly string[]): string[]
}

/** Retries of a failed request, as many as the client makes by default, and the longest wait for one. */
const MAX_RETRIES = 2
const MAX_WAIT_MS = 60_000

/** Returns what is known, and waits for the rest. */
export async function getPrices(
  inputs: readonly string[],
  options: PriceRequestOptions,
  parts: GetPricesParts,
): Promise<Record<string, FeedPrice>> {
  const { clock, table, dailyBudget, lifetime, toChecksum } = parts
  rejectUnknown('price request option', options, ['maxAgeMs', 'signal'])
  const { maxAgeMs = parts.maxAgeMs, signal } = options
  if (!(typeof maxAgeMs === 'number' && maxAgeMs >= 0))
    throw invalidOption('maxAgeMs', maxAgeMs, 'a number of milliseconds, 0 or more')
  lifetime.signal.throwIfAborted()
  signal?.throwIfAborted()
  const wanted = table.open(toChecksum(inputs))
  const requestedAt = clock.now()
  const isFresh = ({ price, at }: TrackedPrice) =>
    price !== undefined && requestedAt - at <= maxAgeMs * dailyBudget.requestStretch
  const missing = wanted.filter((tracked) => !isFresh(tracked))
  if (missing.length > 0) await waitFor(new Set(missing), maxAgeMs, requestedAt, signal, parts)
  const now = clock.now()
  const prices: Record<string, FeedPrice> = {}
  for (const [index, input] of inputs.entries()) {
    const tracked = wanted[index]
    const price = tracked && toFeedPrice(tracked, input, now, tracked.at < requestedAt - maxAgeMs)
    if (price !== undefined) prices[input] = price
  }
  return prices
}

/** Resolves when each address has a price; rejects when one cannot get any, or on an abort. */
function waitFor(
  missing: Set<TrackedPrice>,
  everyMs: number,
  requestedAt: number,
  signal: AbortSignal | undefined,
  { scheduler, backoff, dailyBudget, lifetime, clock }: GetPricesParts,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const retries = new Map<TrackedPrice, number>()
    const unsubscribe = (tracked: TrackedPrice) => {
      missing.delete(tracked)
      tracked.requesters.delete(subscriber)
      if (tracked.requesters.size === 0) scheduler.cancel(tracked)
    }
    const end = () => {
      for (const tracked of [...missing]) unsubscribe(tracked)
      stopListening()
      stopOnClose()
    }
    const fail = (error: unknown) => {
      end()
      reject(error)
    }
    const accept = (tracked: TrackedPrice) => {
      unsubscribe(tracked)
      if (missing.size > 0) return
      end()
      resolve()
    }
    const subscriber: Subscriber = {
      everyMs,
      onPrice(tracked) {
        // The answer to a request that was sent before this one may already be too old.
        const isTooOld = tracked.at < requestedAt && clock.now() - tracked.at > everyMs * dailyBudget.requestStretch
        if (isTooOld && backoff.failure === undefined) scheduler.request(tracked)
        else accept(tracked)
      },
      onFailure(tracked, failure) {
        // An old price that is marked stale is better than none.
        if (tracked.price !== undefined) return accept(tracked)
        const tries = (retries.get(tracked) ?? 0) + 1
        retries.set(tracked, tries)
        if (tries > MAX_RETRIES || !canWaitFor(failure)) return fail(failure.error)
        scheduler.request(tracked)
      },
    }
    const stopListening = lifetime.onAbort(signal, () => fail(signal?.reason))
    const stopOnClose = lifetime.onClose(() => fail(lifetime.signal.reason))

    // During a backoff an old price is returned at once: nobody knows how long a new one takes.
    const { failure, until } = backoff
    for (const tracked of [...missing]) {
      tracked.requesters.add(subscriber)
      if (failure && tracked.price !== undefined) accept(tracked)
      else if (failure && clock.now() < until && !canWaitFor(failure)) return fail(failure.error)
      else scheduler.request(tracked)
    }
  })
}

function canWaitFor({ transient, waitMs }: Failure): boolean {
  return transient && waitMs <= MAX_WAIT_MS
}
