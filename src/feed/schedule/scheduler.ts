import { type Clock, startTimer } from '../../concurrency/clock.ts'
import { creditsFor } from '../../credits/batch-cost.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import type { FetchBatch, PriceFetcher } from '../prices/price-fetcher.ts'
import { companionsOf, type TrackedPrice } from '../prices/tracked-price.ts'
import type { Backoff } from '../requests/backoff.ts'
import type { RuleChoice } from './choose-rule.ts'
import type { CostForecast } from './cost-forecast.ts'
import type { DueTimes } from './due-times.ts'
import { selectBatch, takeDue } from './select-batch.ts'
import type { TokenBucket } from './token-bucket.ts'

export interface SchedulerParts {
  readonly clock: Clock
  readonly dueTimes: DueTimes
  readonly dailyBudget: DailyBudget
  readonly bucket: TokenBucket
  readonly backoff: Backoff
  readonly forecast: CostForecast
  readonly rules: RuleChoice
  readonly fetcher: PriceFetcher
  readonly windowMs: number
  readonly isPaused: () => boolean
  /** Called when a price is late because its request takes long. */
  onSlow(tracked: TrackedPrice): void
  /** Called when the stretch has changed. */
  onStretch(): void
}

/** Decides when a call is made. One timer serves all addresses. */
export interface Scheduler {
  /** Buys an address, together with everything else requested in the same window. */
  request(tracked: TrackedPrice): void
  /** Withdraws a request that has not been sent. */
  cancel(tracked: TrackedPrice): void
  /** Call it when due times may have changed. */
  wake(): void
  /** Makes no further call. Resolves when no request is in flight. */
  stop(): Promise<void>
}

const NEVER = Number.POSITIVE_INFINITY

export function createScheduler(parts: SchedulerParts): Scheduler {
  const { clock, dueTimes, dailyBudget, bucket, backoff, forecast, rules, fetcher, windowMs, isPaused } = parts
  const requested = new Set<TrackedPrice>()
  const inFlight = new Set<Promise<void>>()
  let windowEndsAt = NEVER
  let timer = { at: NEVER, stop: () => {} }
  let isStopped = false

  const nextPurchaseAt = () =>
    Math.min(requested.size > 0 ? windowEndsAt : NEVER, dueTimes.queue.peek()?.dueAt ?? NEVER)
  const nextAt = () =>
    Math.min(nextPurchaseAt(), dueTimes.retries.peek()?.dueAt ?? NEVER, dueTimes.late.peek()?.lateAt ?? NEVER)

  function stopTimer(): void {
    timer.stop()
    timer = { at: NEVER, stop: () => {} }
  }

  function setTimer(): void {
    const next = isStopped || isPaused() ? NEVER : nextAt()
    // A new day of the budget may end the stretch.
    const at = next === NEVER ? NEVER : Math.max(Math.min(next, dailyBudget.renewsAt), backoff.until)
    if (at === NEVER) {
      stopTimer()
      return
    }
    // A timer that fires too early sets another; that is cheaper than replacing it each time.
    if (timer.at <= at) return
    stopTimer()
    const current = { at, stop: () => {} }
    timer = current
    const onTimer = () => {
      if (timer !== current) return
      timer = { at: NEVER, stop: () => {} }
      run()
    }
    const waitMs = at - clock.now()
    if (waitMs <= 0 && windowMs === 0) queueMicrotask(onTimer)
    else current.stop = startTimer(clock, Math.max(0, Math.ceil(waitMs)), onTimer)
  }

  function updateStretch(): void {
    if (!dailyBudget.isLimited || !dailyBudget.updateStretch(forecast.creditsPerDay())) return
    parts.onStretch()
  }

  function run(): void {
    if (isStopped || isPaused()) return
    const now = clock.now()
    // Between purchases, time passes and nothing is spent: a stretch computed then would be too small.
    if (!reportLate(now)) updateStretch()
    if (now >= backoff.until) {
      retrySuspects(now)
      if (now >= nextPurchaseAt()) buyBatch(now)
    }
    setTimer()
  }

  /** Returns whether a price was late. */
  function reportLate(now: number): boolean {
    const hasLate = (dueTimes.late.peek()?.lateAt ?? NEVER) <= now
    for (let tracked = dueTimes.late.peek(); tracked && tracked.lateAt <= now; tracked = dueTimes.late.peek()) {
      // Fractions of a millisecond get lost in a difference of times.
      if (tracked.inFlight && dailyBudget.stretch === 1 && backoff.state === 'none') parts.onSlow(tracked)
      tracked.reportedLateMs = Math.max(tracked.lateAfterMs, now - tracked.at - 1)
      dueTimes.scheduleLate(tracked)
      for (const watcher of [...tracked.watchers.items()]) {
        if (watcher.everyMs <= tracked.reportedLateMs) watcher.onLate(tracked)
      }
    }
    return hasLate
  }

  /** Without early addresses: they would be bought in other requests. */
  function retrySuspects(now: number): void {
    const due = takeDue(dueTimes.retries, now)
    if (due.length > 0) fetch({ due, early: [] }, 0)
  }

  function buyBatch(now: number): void {
    const waiting = [...requested]
    requested.clear()
    const oneOff = new Set(fetcher.admit(waiting))
    for (const tracked of oneOff) {
      dueTimes.queue.delete(tracked)
      dueTimes.retries.delete(tracked)
    }
    // Every price request was refused, and no watch needs a call.
    if (oneOff.size === 0 && (dueTimes.queue.peek()?.dueAt ?? NEVER) > now) return
    const { due, early } = selectBatch(
      {
        queue: dueTimes.queue,
        callRate: dueTimes.demand.callRate(),
        bucket,
        rule: rules.at(now),
        companionsOf: (tracked) => companionsOf(tracked).filter((other) => !oneOff.has(other)),
      },
      oneOff.size,
      now,
    )
    // Price requests pay for themselves; the watches pay for the rest.
    const shareOfWatches = (credits: number) => Math.max(0, credits - creditsFor(oneOff.size))
    const planned = shareOfWatches(creditsFor(oneOff.size + due.length + early.length))
    fetch({ due: [...oneOff, ...due], early }, bucket.spend(planned, now), shareOfWatches)
  }

  /** @param spent what the bucket was charged in advance */
  function fetch(batch: FetchBatch, spent: number, shareOfWatches = (credits: number) => credits): void {
    const call = fetcher.fetch(batch).then((credits) => {
      bucket.spend(shareOfWatches(credits) - spent, clock.now())
      inFlight.delete(call)
      updateStretch()
      setTimer()
    })
    inFlight.add(call)
  }

  return {
    request(tracked) {
      if (tracked.inFlight || requested.has(tracked)) return
      if (requested.size === 0) windowEndsAt = clock.now() + windowMs
      requested.add(tracked)
      setTimer()
    },
    cancel(tracked) {
      if (requested.delete(tracked)) setTimer()
    },
    wake: setTimer,
    async stop() {
      isStopped = true
      stopTimer()
      await Promise.all(inFlight)
    },
  }
}
