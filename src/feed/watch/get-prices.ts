import { throwIfAborted } from '../../concurrency/cancellation.ts'
import { ResponseError } from '../../errors/api.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import type { FeedContext } from '../feed.ts'
import { isStale, MAX_LATENCY_MS, type Subscriber, type TrackedPrice, toFeedPrice } from '../prices/tracked-price.ts'
import { canWaitFor } from '../requests/backoff.ts'
import type { Schedule } from '../schedule/schedule.ts'
import type { FeedPrice, PriceRequestOptions } from './types.ts'

/** Retries of a failed request, as many as the client makes by default. */
const MAX_RETRIES = 2

/** What a price request needs of its feed. */
type RequestedFeed = { readonly schedule: Pick<Schedule, 'request' | 'cancel'> } & Pick<
  FeedContext,
  'clock' | 'table' | 'dailyBudget' | 'backoff' | 'lifetime' | 'maxAgeMs' | 'toChecksum'
>

export async function getPrices(
  inputs: readonly string[],
  options: PriceRequestOptions,
  context: RequestedFeed,
): Promise<Record<string, FeedPrice>> {
  const { clock, table, dailyBudget, lifetime, toChecksum } = context
  rejectUnknown('price request option', options, ['maxAgeMs', 'stale', 'signal'])
  const { maxAgeMs = context.maxAgeMs, stale, signal } = options
  if (!(typeof maxAgeMs === 'number' && maxAgeMs >= 0))
    throw invalidOption('maxAgeMs', maxAgeMs, 'a number of milliseconds, 0 or more')
  if (stale !== undefined && stale !== 'allow') throw invalidOption('stale', stale, "'allow', or left out")
  lifetime.throwIfAborted()
  throwIfAborted(signal)
  const wanted = table.open(toChecksum(inputs))
  const requestedAt = clock.now()
  const oldestMs = stale === 'allow' ? maxAgeMs * dailyBudget.requestStretch : maxAgeMs
  const missing = wanted.filter(({ price, at }) => price === undefined || isStale(requestedAt - at, oldestMs))
  // The answer to a request that was sent before this one may already be too old, and one that has waited while the machine slept.
  const isTooOld = ({ at }: TrackedPrice) =>
    isStale(clock.now() - at, oldestMs + (at < requestedAt ? 0 : MAX_LATENCY_MS))
  if (missing.length > 0) await waitFor(new Set(missing), isTooOld, { ...options, maxAgeMs }, context)
  const now = clock.now()
  const prices: Record<string, FeedPrice> = {}
  for (const [index, input] of inputs.entries()) {
    const tracked = wanted[index]
    const price = tracked && toFeedPrice(tracked, input, now, isStale(requestedAt - tracked.at, maxAgeMs))
    if (price !== undefined) prices[input] = price
  }
  return prices
}

/** Resolves when each address has a price; rejects when one cannot get any, or on an abort. */
function waitFor(
  missing: Set<TrackedPrice>,
  isTooOld: (tracked: TrackedPrice) => boolean,
  { maxAgeMs, stale, signal }: PriceRequestOptions & { readonly maxAgeMs: number },
  { schedule, backoff, lifetime, clock }: RequestedFeed,
): Promise<void> {
  const isStaleAllowed = stale === 'allow'
  return new Promise((resolve, reject) => {
    const retries = new Map<TrackedPrice, number>()
    const since = clock.now()
    /** Asked for since then, and too old all the same: a cache would answer so again. */
    const isCached = ({ askedAt, at }: TrackedPrice) => askedAt >= since && at < askedAt
    const unsubscribe = (tracked: TrackedPrice) => {
      missing.delete(tracked)
      tracked.requesters.delete(subscriber)
      if (tracked.requesters.size === 0) schedule.cancel(tracked)
    }
    const end = () => {
      for (const tracked of [...missing]) unsubscribe(tracked)
      stopListening()
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
      everyMs: maxAgeMs,
      onPrice(tracked) {
        if (!isTooOld(tracked) || (isStaleAllowed && (backoff.failure || isCached(tracked)))) accept(tracked)
        else if (isCached(tracked)) fail(tooOldError(tracked.address, clock.now() - tracked.at))
        else schedule.request(tracked)
      },
      onFailure(tracked, failure) {
        if (isStaleAllowed && tracked.price !== undefined) return accept(tracked)
        const tries = (retries.get(tracked) ?? 0) + 1
        retries.set(tracked, tries)
        if (tries > MAX_RETRIES || !canWaitFor(failure)) return fail(failure.error)
        schedule.request(tracked)
      },
    }
    const stopListening = lifetime.onEnd(signal, ({ reason } = lifetime) => fail(reason))

    // During a backoff nobody knows how long a new price takes.
    const { failure, refusal } = backoff
    for (const tracked of [...missing]) {
      tracked.requesters.add(subscriber)
      if (failure && isStaleAllowed && tracked.price !== undefined) accept(tracked)
      else if (refusal) return fail(refusal.error)
      else schedule.request(tracked)
    }
  })
}

function tooOldError(address: string, ageMs: number): ResponseError {
  const message = `token.price: a cache answered with a price of ${address} that is ${Math.round(ageMs / 1_000)} s old, above maxAgeMs. Cache no answers of the service, or pass stale: 'allow'.`
  return new ResponseError(message, { code: 'cached_answer', operation: 'token.price', params: { address } })
}
