import type { Clock } from '../../concurrency/clock.ts'
import { isEtnMarketError } from '../../errors/base.ts'
import { callSafely } from '../events.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import { toFeedPrice } from '../prices/feed-price.ts'
import type { PriceTable } from '../prices/price-table.ts'
import type { Failure, TrackedPrice, Watcher } from '../prices/tracked-price.ts'
import type { DueTimes } from '../schedule/due-times.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import type { TokenBucket } from '../schedule/token-bucket.ts'
import type { FeedPrice } from '../types.ts'

export interface WatchParts {
  readonly clock: Clock
  readonly table: PriceTable
  readonly dueTimes: DueTimes
  readonly dailyBudget: DailyBudget
  readonly bucket: TokenBucket
  readonly scheduler: Scheduler
  readonly windowMs: number
}

export interface WatchCallbacks {
  onPrice(price: FeedPrice): void
  /** Receives what `onPrice` throws. */
  onThrow(error: unknown): void
  /** Called once when prices fail to arrive, and again when the reason changes. */
  onFailure(error: unknown): void
}

/** Original inputs by their address in EIP-55 form. */
export type InputsByAddress = ReadonlyMap<string, readonly string[]>

/** Watches addresses under every input they were given as. Returns a function that stops. */
export function startWatch(
  inputs: InputsByAddress,
  everyMs: number,
  callbacks: WatchCallbacks,
  { clock, table, dueTimes, dailyBudget, bucket, scheduler, windowMs }: WatchParts,
): () => void {
  const prices = table.open(inputs.keys())
  /** Addresses whose failure was reported and that have had no price since. */
  const failing = new Set<TrackedPrice>()
  let reportedCode: string | undefined
  let isRunning = true

  const report = (tracked: TrackedPrice, stale: boolean) => {
    for (const input of inputs.get(tracked.address) ?? []) {
      const price = toFeedPrice(tracked, input, clock.now(), stale)
      if (price !== undefined && isRunning) callSafely(callbacks.onPrice, price, callbacks.onThrow)
    }
  }

  const watcher: Watcher = {
    everyMs,
    prices,
    onPrice(tracked) {
      failing.delete(tracked)
      if (failing.size === 0) reportedCode = undefined
      report(tracked, clock.now() - tracked.at > everyMs)
    },
    onLate(tracked) {
      if (failing.has(tracked)) return
      failing.add(tracked)
      report(tracked, true)
    },
    onFailure(tracked, failure: Failure) {
      watcher.onLate(tracked)
      const code = isEtnMarketError(failure.error) ? failure.error.code : 'unknown'
      if (code === reportedCode || !isRunning) return
      reportedCode = code
      callbacks.onFailure(failure.error)
    },
  }

  const now = clock.now()
  const leaveBucket = bucket.addWatch(prices.length, everyMs, now)
  const known: TrackedPrice[] = []
  for (const tracked of prices) {
    if (tracked.watchers.size === 0) tracked.firstDueAt = now + windowMs
    tracked.wastedAt = Number.NEGATIVE_INFINITY
    tracked.watchers.put(watcher)
    if (tracked.price !== undefined && now - tracked.at <= everyMs * dailyBudget.stretch) known.push(tracked)
    dueTimes.schedule(tracked)
  }
  scheduler.wake()
  // Later, so that the caller has the watch before its callback runs.
  queueMicrotask(() => {
    for (const tracked of known) if (isRunning) report(tracked, clock.now() - tracked.at > everyMs)
  })

  return () => {
    if (!isRunning) return
    isRunning = false
    leaveBucket(clock.now())
    for (const tracked of prices) {
      tracked.watchers.delete(watcher)
      dueTimes.schedule(tracked)
    }
    scheduler.wake()
  }
}
