import { STORE_TIMEOUT_MS } from '../concurrency/store-call.ts'
import type { OpenedBudget } from '../credits/budget.ts'
import { creditsFor, maxAffordable } from '../credits/cheapest-requests.ts'
import { readBudgetName } from '../credits/credit-limit.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { openCounts } from '../credits/open-entries.ts'
import { BudgetWindows } from '../credits/windows.ts'
import { type BudgetExceededError, budgetExceeded } from '../errors/budget.ts'
import { rejectUnknown, requireInteger } from '../errors/input.ts'
import type { OperationId } from '../generated/operations.ts'
import { DAY_MS } from '../utils/time-units.ts'
import type { FeedClock } from './feed-clock.ts'
import type { TrackedPrice } from './prices/tracked-price.ts'
import { type Stretch, type StretchedDemand, stretchToFit } from './stretch.ts'
import type { Latency } from './timetable.ts'
import type { FeedOptions } from './types.ts'

const NEVER = Number.POSITIVE_INFINITY
const WATCHES = 'the share of the watches'
/** Unplanned credits are extrapolated from about the last hour. */
const UNPLANNED_WINDOW_MS = 3_600_000
/** A smaller difference between what the watches need and what is left does not change the stretch: each change makes a new timetable. */
const TOLERANCE = 0.05
/** The stretch is computed at most this often, but for a change of the demand or a new day. */
const MIN_UPDATE_MS = 1_000
/** Kept for a day and one to spare: after that, no count in the entry matters. */
const ENTRY = {
  windowMs: DAY_MS,
  ttlMs: 2 * DAY_MS,
  storeTimeoutMs: STORE_TIMEOUT_MS,
  exclusiveKey: false,
  maxChargeDelayMs: 0,
} as const

/** What may be spent in a day, and how much longer the intervals are because of it. */
export class DailyBudget implements Stretch {
  readonly budget: OpenedBudget['budget']
  readonly isLimited: boolean
  stretch = 1
  atLeastStretch = 1
  /** The stretch up to the renewal: after that, another day decides. */
  told = { stretch: 1, atLeastStretch: 1 }
  watchesPerDay = 0
  setAside = 0
  guaranteesPerDay = 0
  /** Writes what has been spent. Rejects if the store fails: it then has the reservation, which counts after a restart. */
  readonly close: () => Promise<void>
  readonly #clock: FeedClock
  readonly #ofClient: SpendingLimit | undefined
  /** The stretch stays until then, but for a change of the demand or a new day. */
  #keepUntil = Number.NEGATIVE_INFINITY
  #renewsAt = Number.NEGATIVE_INFINITY
  #unplanned: { credits: number; at: number }

  /** @param ofClient what the requests have to fit, too */
  constructor(
    { budget: options, store }: Pick<FeedOptions, 'budget' | 'store'>,
    clock: FeedClock,
    ofClient: SpendingLimit | undefined,
  ) {
    const limit = options === undefined || options === false ? undefined : readOptions(options)
    this.#clock = clock
    this.#ofClient = ofClient
    const { credits = NEVER, name } = limit ?? {}
    // Renewed at midnight UTC. Without a limit it only counts.
    const begin = () => {
      const windows = new BudgetWindows(DAY_MS, 0, clock)
      return { limit: credits, windows, now: clock.toUnix, time: clock, keyBalances: undefined }
    }
    const key = `etn-market:feed:budget:1:${name}`
    const { budget, close } = openCounts(limit && store && { ...ENTRY, store, key, credits }, begin)
    this.budget = budget
    this.close = close
    this.isLimited = limit !== undefined
    this.#unplanned = { credits: 0, at: clock.now() }
  }

  /** When the credits are renewed, by the clock of the feed; Infinity without a limit. */
  get renewsAt(): number {
    return this.isLimited ? this.#dayEndsAt : NEVER
  }
  /** Until they are known, the totals of a stored budget are those of an empty one: the feed plans before it buys. */
  get available(): number {
    return this.#isLoaded ? this.budget.available : this.budget.limit
  }
  get spent(): number {
    return this.#isLoaded ? this.budget.spent + this.budget.uncertain : 0
  }
  get reserved(): number {
    return this.#isLoaded ? this.budget.reserved : 0
  }
  /** What price requests and trades may spend: the budget without the share that the watches need until the end of the day. */
  get availableForRequests(): number {
    return this.isLimited ? Math.max(0, this.available - this.watchesPerDay * this.#daysLeft) : NEVER
  }
  /** The factor by which the `maxAgeMs` of price requests is longer, because the watches have their share of the budget first. */
  get requestStretch(): number {
    return Math.max(1, (this.#unplannedPerDay() * this.#daysLeft) / Math.max(1, this.availableForRequests))
  }

  /** Credits that are spent at the end of the day, if the watches go on at `from`. */
  projected(creditsPerDay: number, from: number): number {
    const daysLeft = Math.max(0, this.#dayEndsAt - from) / DAY_MS
    return Math.min(this.budget.limit, this.spent + this.reserved + creditsPerDay * daysLeft)
  }

  /**
   * Why nothing more is bought in this day at ticks of `addresses`; undefined while it is. What is in flight may be free. The end of a day is a
   * longer interval, where it is no longer than two of those that the budget has room for.
   */
  usedUp(addresses: number, everyMs: number): BudgetExceededError | undefined {
    const { limit, resetsAt } = this.budget
    const needed = creditsFor(addresses)
    const available = limit - this.spent
    const intervalMs = Math.max(everyMs, (needed / limit) * DAY_MS)
    if (available >= needed || this.renewsAt - this.#clock.now() <= 2 * intervalMs) return undefined
    return budgetExceeded({ of: 'budget of the feed', limit, needed, available, resetsAt }, undefined)
  }

  /** Records credits that no watch planned: price requests and trades. */
  recordUnplanned(spent: number): void {
    this.#unplannedPerDay()
    // Without the stretch it would have been more.
    this.#unplanned.credits += spent * this.requestStretch
  }

  /** Computes the stretch. Returns whether it changed. @param isNew whether the demand has changed */
  update(watched: Iterable<TrackedPrice>, latency: Latency, isNew: boolean): boolean {
    if (!this.isLimited || !this.#isLoaded) return false
    const now = this.#clock.now()
    const { stretch, atLeastStretch, renewsAt } = this
    const isNewDay = renewsAt > this.#renewsAt + MIN_UPDATE_MS
    if (!isNew && !isNewDay && (now < this.#keepUntil || this.#fits())) return false
    const demand = demandOf(watched)
    // It takes longer with many intervals.
    this.#keepUntil = now + MIN_UPDATE_MS * Math.max(1, demand.length / 24)
    this.#renewsAt = renewsAt
    const leftMs = renewsAt - now
    Object.assign(this, stretchToFit(demand, latency, this.available, leftMs))
    const longest = (ms: readonly number[]) => Math.max(1, leftMs / Math.min(...ms))
    this.told = {
      stretch: Math.min(this.stretch, longest(demand.map(({ everyMs }) => everyMs))),
      atLeastStretch: Math.min(this.atLeastStretch, longest(demand.map(({ atLeastEveryMs }) => atLeastEveryMs))),
    }
    return this.stretch !== stretch || this.atLeastStretch !== atLeastStretch
  }

  /**
   * Resolves when it is known what earlier processes have spent. Never rejects: while the store fails, every reservation fails, so
   * nothing is sent. Undefined if nothing has to be loaded.
   */
  load(): Promise<void> | undefined {
    // The reservation loads again, and rejects with the error.
    return this.#isLoaded ? undefined : this.budget.load?.().catch(() => {})
  }

  /**
   * Why the price requests of one caller are refused: they are bought whole, beside the share of the watches, or not at all. Undefined if
   * they fit.
   */
  shortageFor(addresses: number): BudgetExceededError | undefined {
    const needed = creditsFor(addresses)
    const operation = addresses === 1 ? 'token.price' : 'prices.batch'
    const { availableForRequests, available } = this
    if (needed <= available && needed > availableForRequests)
      return this.exceeded(operation, needed, availableForRequests)
    try {
      for (const budget of [this.budget, this.#ofClient]) budget?.check(needed, { operation })
      return undefined
    } catch (error) {
      return error as BudgetExceededError
    }
  }

  /** The prices that would use what watches with a guarantee have first, and why they are refused; undefined if there are none. */
  refuse(prices: readonly TrackedPrice[]) {
    if (this.setAside === 0 || this.stretch === 1) return undefined
    // First prices cannot wait, and what has a guarantee comes first.
    const others = prices.filter(
      ({ at, longestInterval }) => at > Number.NEGATIVE_INFINITY && longestInterval === NEVER,
    )
    const rest = creditsFor(prices.length - others.length) + this.guaranteesPerDay * this.#daysLeft
    const late = new Set(others.slice(maxAffordable(this.available - rest, others.length)))
    if (late.size === 0) return undefined
    const beside = 'the watches with atLeastEveryMs'
    return { refused: late, error: this.exceeded('prices.batch', creditsFor(late.size), this.available - rest, beside) }
  }

  /** Why a request is refused that would use what others have first. */
  exceeded(operation: OperationId, needed: number, left: number, others = WATCHES): BudgetExceededError {
    const { limit, resetsAt } = this.budget
    const available = Math.max(0, Math.floor(left))
    const of = `budget of the feed, beside ${others},`
    return budgetExceeded({ of, limit, needed, available, resetsAt }, { operation })
  }

  get #isLoaded(): boolean {
    return this.budget.isLoaded !== false
  }
  get #daysLeft(): number {
    return this.isLimited ? Math.max(0, this.renewsAt - this.#clock.now()) / DAY_MS : 0
  }
  get #dayEndsAt(): number {
    return this.#clock.fromUnix(this.budget.resetsAt ?? NEVER)
  }

  #fits(): boolean {
    const needed = (this.watchesPerDay * this.#daysLeft) / Math.max(1, this.available - this.setAside)
    return needed <= 1 + TOLERANCE && (this.stretch === 1 || needed >= 1 - TOLERANCE)
  }

  #unplannedPerDay(): number {
    const now = this.#clock.now()
    const unplanned = this.#unplanned
    unplanned.credits *= Math.exp((unplanned.at - now) / UNPLANNED_WINDOW_MS)
    unplanned.at = now
    return (unplanned.credits * DAY_MS) / UNPLANNED_WINDOW_MS
  }
}

function demandOf(watched: Iterable<TrackedPrice>): StretchedDemand[] {
  const demand = new Map<string, { everyMs: number; atLeastEveryMs: number; addresses: number }>()
  for (const { shortestInterval: everyMs, longestInterval: atLeastEveryMs, paceMs } of watched) {
    // A stream brings it.
    if (paceMs > 0) continue
    const key = `${everyMs} ${atLeastEveryMs}`
    const one = demand.get(key) ?? { everyMs, atLeastEveryMs, addresses: 0 }
    one.addresses++
    demand.set(key, one)
  }
  return [...demand.values()]
}

function readOptions(options: Exclude<FeedOptions['budget'], false | undefined>) {
  rejectUnknown('budget option', options, ['creditsPerDay', 'name'])
  const { creditsPerDay, name } = options
  const credits = requireInteger('budget.creditsPerDay', creditsPerDay, 'a whole number of credits above 0')
  return { credits, name: readBudgetName(name) }
}
