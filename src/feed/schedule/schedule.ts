import { LOOK_MS, startTimer } from '../../concurrency/clock.ts'
import type { BudgetExceededError } from '../../errors/budget.ts'
import type { Failure } from '../failures.ts'
import type { FeedContext } from '../feed.ts'
import { type BuyingFeed, PriceBuyer } from '../prices/price-buyer.ts'
import type { SharedPrices } from '../prices/shared-prices.ts'
import type { KnownPrice, TrackedPrice } from '../prices/tracked-price.ts'
import type { FeedStream } from '../stream/feed-stream.ts'
import type { RunningWatch } from '../watch/watch.ts'
import { AnswerTimes, LatePrices } from './lateness.ts'
import { TickPlan } from './tick-plan.ts'

/** What a schedule needs of its feed. */
type ScheduledFeed = BuyingFeed & Pick<FeedContext, 'collectMs' | 'isPaused' | 'notify'>

const NEVER = Number.POSITIVE_INFINITY
const NO_TIMER = { at: NEVER, stop: () => {} }
/** A stretch that has changed by less is not reported. */
const MIN_STRETCH_CHANGE = 0.05

/**
 * Plays the timetable: decides when a price is bought, and why. One timer serves all addresses. A price is bought
 * - at a tick of its group, where it would be too old at the next one;
 * - where a watch joins and it would be too old at the next tick, when it is, or where it failed and the wait is over;
 * - on request, and then a group's next tick may go with it, where that costs less.
 */
export class Schedule {
  /** Where prices come without being bought; undefined without a proxy. */
  stream: FeedStream | undefined
  /** What is bought again and again, with the stretch. */
  readonly ticks = new TickPlan()
  readonly answerTimes = new AnswerTimes()
  readonly watched = new Set<TrackedPrice>()
  readonly #context: ScheduledFeed
  readonly #buyer: PriceBuyer
  /** Watched or requested, and bought outside of the ticks, at `dueAt`. */
  readonly #urgent = new Set<TrackedPrice>()
  readonly #requested = new Set<TrackedPrice>()
  readonly #inFlight = new Set<Promise<void>>()
  readonly #late: LatePrices
  #collectedAt = NEVER
  /** When the watches that have changed get their places. */
  #changesAt = NEVER
  /** Whether the budget is read from its store. */
  #isLoading = false
  #reportedStretch = { stretch: 1, atLeastStretch: 1 }
  /** Why it has stopped without a request that failed. */
  #usedUp: BudgetExceededError | undefined
  #timer = NO_TIMER

  constructor(context: ScheduledFeed, shared: SharedPrices | undefined) {
    this.#context = context
    this.#buyer = new PriceBuyer(context, this, shared)
    this.#late = new LatePrices(context, this)
  }

  get bought(): TrackedPrice[] {
    return [...this.watched].filter(({ paceMs }) => paceMs === 0)
  }

  /** Gives the watches that have just changed their places, as they will have them at the end of the window. */
  settle(): void {
    if (this.#changesAt === NEVER || this.#context.lifetime.aborted) return
    this.#applyChanges(Math.max(this.#context.clock.now(), this.#changesAt))
    this.#setTimer()
  }

  /** A watch wants an address, or wants it at another interval: then it is not new. */
  join(tracked: TrackedPrice, watch: RunningWatch, isNew: boolean): void {
    tracked.join(watch)
    this.watched.add(tracked)
    // A new watch does not wait for what others have lost; what fails alone is not asked for again and again.
    if (isNew && tracked.dueAt < NEVER) {
      const { failures, maxMs } = tracked.retries
      this.#setDue(tracked, failures === 0 ? NEVER : Math.min(tracked.dueAt, this.#context.clock.now() + maxMs))
    }
    this.#changed(tracked)
  }

  leave(tracked: TrackedPrice, watch: RunningWatch): void {
    tracked.leave(watch, this.#context.clock.now())
    this.#changed(tracked)
    if (tracked.watchers.size > 0) return
    this.watched.delete(tracked)
    if (this.watched.size === 0) this.#plan(this.#context.clock.now())
    this.#dropUnwanted(tracked)
  }

  /** A stream brings the price of an address, or no longer does. */
  setPace(tracked: TrackedPrice, paceMs: number): void {
    if (tracked.paceMs === paceMs) return
    tracked.setPace(paceMs)
    this.#setDue(tracked, NEVER)
    this.#changed(tracked)
  }

  /** Buys an address, together with everything else requested in the same window. */
  request(tracked: TrackedPrice): void {
    const { clock, collectMs } = this.#context
    if (tracked.inFlight || this.#requested.has(tracked)) return
    if (this.#requested.size === 0) this.#collectedAt = clock.now() + collectMs
    this.#requested.add(tracked)
    this.#setTimer()
  }

  cancel(tracked: TrackedPrice): void {
    this.#requested.delete(tracked)
    this.#dropUnwanted(tracked)
    this.#setTimer()
  }

  /** A price has arrived: from the service, the store or a stream. */
  deliver(tracked: TrackedPrice, known: KnownPrice): void {
    tracked.deliver(known, this.#context.clock.now())
    this.#setDue(tracked, NEVER)
    for (const subscriber of tracked.subscribers()) subscriber.onPrice(tracked)
    this.#context.notify()
  }

  /** A purchase that was decided at `decidedAt` has failed. */
  fail(tracked: TrackedPrice, failure: Failure, decidedAt: number): void {
    const { waitMs, maybeCharged } = failure
    const now = this.#context.clock.now()
    tracked.fail(decidedAt, maybeCharged ? now : undefined)
    // Those who request a price decide themselves whether to try again.
    if (isBought(tracked)) this.#setDue(tracked, now + (maybeCharged ? Math.max(waitMs, tracked.intervalMs) : waitMs))
    for (const subscriber of tracked.subscribers()) subscriber.onFailure(tracked, failure)
  }

  /** Nothing was sent for it: it is bought again at once. */
  retry(tracked: TrackedPrice): void {
    if (isBought(tracked) || tracked.requesters.size > 0) this.#setDue(tracked, this.#context.clock.now())
  }

  /** The service answers again: what may have been charged in vain need not wait for its interval. */
  recovered(): void {
    const now = this.#context.clock.now()
    for (const tracked of [...this.#urgent]) if (tracked.forgiveCharge()) this.#setDue(tracked, now)
  }

  recordLatency(ms: number): void {
    if (!this.answerTimes.record(ms, this.ticks.groups[0]?.members[0]?.intervalMs ?? NEVER)) return
    if (this.watched.size > 0) this.#changesAt = Math.min(this.#changesAt, this.#context.clock.now())
    this.#setTimer()
  }

  /** Call it when something may be due. */
  wake(): void {
    this.stream?.changed()
    this.#setTimer()
  }

  /** Makes no further call. Resolves when no request is in flight. */
  async stop(): Promise<void> {
    this.#stopTimer()
    await Promise.all(this.#inFlight)
  }

  get #isPaused(): boolean {
    return this.#context.lifetime.aborted || this.#context.isPaused() || Boolean(this.stream?.isLoading)
  }

  #setTimer(): void {
    const { clock, collectMs, dailyBudget } = this.#context
    const now = clock.now()
    const next = this.#nextAt()
    if (next === NEVER) {
      this.#stopTimer()
      return
    }
    // A new day of the budget may end the stretch, or the wait for it.
    const { renewsAt } = dailyBudget
    const at = Math.min(next, renewsAt, now + LOOK_MS)
    // A timer that fires too early sets another; that is cheaper than replacing it each time.
    if (this.#timer.at <= at) return
    this.#stopTimer()
    const current = { at, stop: () => {} }
    this.#timer = current
    const onTimer = () => {
      if (this.#timer !== current) return
      this.#timer = NO_TIMER
      const now = clock.now()
      if (now >= Math.min(this.#nextAt(), renewsAt)) this.#run(now)
      this.#setTimer()
    }
    if (at <= now && collectMs === 0) queueMicrotask(onTimer)
    else current.stop = startTimer(clock, Math.max(0, Math.ceil(at - now)), onTimer)
  }

  /** A wait after a failure puts off what is bought, and nothing that somebody has to be told. */
  #nextAt(): number {
    const { backoff } = this.#context
    if (this.#isPaused) return NEVER
    const requestedAt = this.#requested.size > 0 ? this.#collectedAt : NEVER
    let at = this.#isLoading ? NEVER : Math.min(requestedAt, this.#urgentAt, this.ticks.nextAt)
    if (backoff.state !== 'none') {
      at = Math.max(at, backoff.until)
      if (backoff.refusal) at = Math.min(at, requestedAt)
    }
    return Math.min(at, this.#changesAt, this.ticks.replanAt, this.#late.nextAt)
  }

  get #urgentAt(): number {
    let at = NEVER
    for (const { dueAt } of this.#urgent) at = Math.min(at, dueAt)
    return at
  }

  #stopTimer(): void {
    this.#timer.stop()
    this.#timer = NO_TIMER
  }

  #run(now: number): void {
    const { backoff } = this.#context
    if (now >= Math.min(this.#changesAt, this.ticks.replanAt)) this.#applyChanges(now)
    else this.#updateStretch(now, false)
    this.#late.report(now)
    if (backoff.state !== 'none' && now < backoff.until) this.#refuse(backoff.refusal)
    else this.#buyOnceLoaded(now)
  }

  /** Nothing is bought for so long that price requests fail, and watches are told why. */
  #refuse(failure: Failure | undefined): void {
    if (failure === undefined) return
    const requested = [...this.#requested]
    this.#requested.clear()
    for (const tracked of requested) this.fail(tracked, failure, this.#context.clock.now())
    for (const tracked of this.bought) for (const watcher of [...tracked.watchers]) watcher.onFailure(tracked, failure)
  }

  /** What earlier processes have spent is known before anything is bought: a stretched interval accepts older prices. */
  #buyOnceLoaded(now: number): void {
    if (this.#isLoading) return
    const loading = this.#context.dailyBudget.load()
    if (loading === undefined) this.#buy(now)
    else this.#track(this.#buyAfter(loading))
  }

  async #buyAfter(loading: Promise<void>): Promise<void> {
    this.#isLoading = true
    await loading
    this.#isLoading = false
    const { clock, backoff } = this.#context
    const now = clock.now()
    if (this.#isPaused || now < backoff.until) return
    this.#updateStretch(now, true)
    this.#buy(now)
  }

  /** `stop` waits for it. */
  #track(work: Promise<void>): void {
    const tracked = work.then(() => {
      this.#inFlight.delete(tracked)
      const now = this.#context.clock.now()
      this.#follow(now)
      this.#updateStretch(now, false)
      this.#stopIfUsedUp()
      this.#setTimer()
    })
    this.#inFlight.add(tracked)
  }

  /** Everything that is due at this moment goes into one purchase. */
  #buy(now: number): void {
    const requested = now >= this.#collectedAt ? [...this.#requested] : []
    for (const tracked of requested) this.#requested.delete(tracked)
    const due = new Set(this.#buyer.admit(requested))
    const lookUps = new Set(due)
    for (const tracked of this.#urgent) {
      if (tracked.dueAt > now) continue
      this.#setDue(tracked, NEVER)
      if (!tracked.inFlight) due.add(tracked)
    }
    for (const tracked of this.ticks.tick(now)) due.add(tracked)
    const early = lookUps.size > 0 ? this.ticks.tickEarly(now, due) : []
    for (const tracked of due) {
      this.#setDue(tracked, NEVER)
      tracked.isLookUp = lookUps.has(tracked)
    }
    if (due.size > 0) this.#track(this.#buyer.buy([...due], early, now))
    // What a tick leaves out is bought when it is due.
    this.#follow(now)
  }

  /** Stops while less is left of the day than any tick needs: what is bought next is bought in the next day. */
  #stopIfUsedUp(): void {
    const { clock, dailyBudget, backoff } = this.#context
    if (this.#inFlight.size > 0 || !dailyBudget.isLimited) return
    const errors = this.ticks.groups.map(({ members }) =>
      dailyBudget.usedUp(
        members.filter(({ multiple }) => multiple === 1).length || 1,
        Math.min(...members.map(({ shortestInterval }) => shortestInterval)),
      ),
    )
    const [error] = errors
    const isUsedUp = error !== undefined && errors.every((one) => one !== undefined)
    const { failure } = backoff
    const isBuying = this.#urgentAt <= clock.now()
    if (isUsedUp && !isBuying && backoff.state !== 'stopped') {
      this.#usedUp = error
      this.#refuse(backoff.recordFailure(error, clock.now()))
    } else if (!isUsedUp && failure && failure.error === this.#usedUp) backoff.end()
  }

  #follow(now: number): void {
    for (const [tracked, at] of this.ticks.follow(now)) this.#setDue(tracked, at)
  }

  #applyChanges(now: number): void {
    this.stream?.settle()
    if (!this.#updateStretch(now, true)) this.#plan(now)
    this.#stopIfUsedUp()
  }

  /** Gives every address its place in a group. */
  #plan(now: number, isStretched = false): void {
    this.#changesAt = NEVER
    const bought = this.bought.sort((one, other) => one.intervalMs - other.intervalMs)
    this.ticks.plan(bought, this.answerTimes.latency, now, isStretched)
    this.#follow(now)
  }

  /** Plans anew if the stretch has changed. Returns whether it did. @param isNew whether the demand has changed */
  #updateStretch(now: number, isNew: boolean): boolean {
    const { dailyBudget, emit, lifetime } = this.#context
    if (lifetime.aborted || !dailyBudget.update(this.watched, this.answerTimes.latency, isNew)) return false
    for (const tracked of this.watched) tracked.stretch(dailyBudget)
    this.#plan(now, true)
    const { stretch, atLeastStretch, watchesPerDay: creditsPerDay } = dailyBudget
    const reported = this.#reportedStretch
    if (isOtherStretch(stretch, reported.stretch) || isOtherStretch(atLeastStretch, reported.atLeastStretch)) {
      this.#reportedStretch = { stretch, atLeastStretch }
      emit({ type: 'feed.stretched', ...dailyBudget.told, creditsPerDay })
    }
    return true
  }

  /** The watchers of an address have changed, or where its price comes from. */
  #changed(tracked: TrackedPrice): void {
    const { clock, collectMs, dailyBudget } = this.#context
    tracked.stretch(dailyBudget)
    this.#changesAt = Math.min(this.#changesAt, clock.now() + collectMs)
  }

  #dropUnwanted(tracked: TrackedPrice): void {
    if (tracked.isWanted) return
    this.#setDue(tracked, NEVER)
    this.#buyer.withdraw()
  }

  #setDue(tracked: TrackedPrice, at: number): void {
    tracked.dueAt = at
    if (at < NEVER) this.#urgent.add(tracked)
    else this.#urgent.delete(tracked)
  }
}

/** Whether somebody watches it, and no stream brings it. */
const isBought = ({ watchers, paceMs }: TrackedPrice) => watchers.size > 0 && paceMs === 0

/** A stretch that ends is a change, however small it was. */
function isOtherStretch(now: number, before: number): boolean {
  return Math.abs(now / before - 1) > MIN_STRETCH_CHANGE || (now === 1) !== (before === 1)
}
