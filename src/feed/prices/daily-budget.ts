import type { Clock } from '../../concurrency/clock.ts'
import type { Budget } from '../../credits/budget.ts'
import type { FeedOptions, FeedStore } from '../types.ts'
import { createDayBudget, DAY_MS } from './day-budget.ts'
import type { Stretch, TrackedPrice } from './tracked-price.ts'

export { DAY_MS }

/** What may be spent in a day, and how much longer the intervals are because of it. */
export interface DailyBudget extends Stretch {
  readonly budget: Budget
  readonly isLimited: boolean
  /** What is left until the credits are renewed. */
  readonly allowance: Allowance
  /** The factor by which the `maxAgeMs` of price requests is longer, because the watches have their share of the budget first. */
  readonly requestStretch: number
  /** What price requests and trades may spend: the budget without the share that the watches need until the end of the day. */
  readonly availableForRequests: number
  /**
   * What a request for `bought` may cost, so that the rest of the budget suffices for every `atLeastEveryMs` until the end of the day.
   */
  availableBesideGuarantees(bought: readonly TrackedPrice[]): number
  /** When the next day of the budget begins, unix milliseconds; Infinity while nothing waits for it. */
  readonly renewsAt: number
  /** Records credits that no watch planned: price requests and trades. */
  recordUnplanned(credits: number): void
  /** Computes the stretch for watches that cost `creditsPerDay` with the current one. Returns whether it changed. */
  updateStretch(creditsPerDay: number): boolean
  /**
   * Resolves when it is known what earlier processes have spent. Never rejects: while the store fails, every reservation fails, so
   * nothing is sent. Undefined if nothing has to be loaded.
   */
  load(): Promise<void> | undefined
  /** Writes what has been spent. Rejects if the store fails: it then has the reservation, which counts after a restart. */
  flush(): Promise<void>
  /** The credits spent by the end of this day, if the rest of it costs `creditsPerDay`. */
  projected(creditsPerDay: number): number
}

/** Unplanned credits are extrapolated from about the last hour. */
const UNPLANNED_WINDOW_MS = 3_600_000
/** A smaller difference does not change the stretch, because each change recomputes every due time. */
const TOLERANCE = 0.05

/** What the watches may spend. */
export interface Allowance {
  readonly credits: number
  readonly now: number
  /** When the credits are renewed, unix milliseconds. */
  readonly until: number
}

export interface DailyBudgetParts {
  readonly options: FeedOptions['budget']
  readonly store: FeedStore | undefined
  readonly clock: Clock
  /** What every `atLeastEveryMs` costs until the credits are renewed, after `bought` is bought now. */
  costOfGuarantees(allowance: Allowance, bought: readonly TrackedPrice[]): number
  /** The stretch that the credits suffice for until they are renewed, and what the watches cost a day then. */
  solveStretch(allowance: Allowance): Stretch & { creditsPerDay: number }
  /** Called when what earlier processes have spent changes the stretch. */
  onStretch(): void
}

export function createDailyBudget(parts: DailyBudgetParts): DailyBudget {
  const { options, store, clock, solveStretch, onStretch } = parts
  const { budget, load, flush } = createDayBudget(options, store, clock)
  let isLoaded = load === undefined
  const daysLeft = () => ((budget.resetsAt ?? 0) - clock.now()) / DAY_MS
  let current: Stretch = { stretch: 1, atLeastStretch: 1 }
  let watchesPerDay = 0
  const availableForRequests = () => Math.max(0, budget.available - watchesPerDay * daysLeft())
  const requestStretch = () => {
    const rest = Math.max(1, availableForRequests())
    return Math.max(1, (unplannedPerDay() * daysLeft()) / rest)
  }
  const unplanned = { credits: 0, at: clock.now() }
  const unplannedPerDay = () => {
    const now = clock.now()
    unplanned.credits *= Math.exp((unplanned.at - now) / UNPLANNED_WINDOW_MS)
    unplanned.at = now
    return (unplanned.credits * DAY_MS) / UNPLANNED_WINDOW_MS
  }

  const allowanceNow = () => ({
    credits: Math.max(1, budget.available),
    now: clock.now(),
    until: budget.resetsAt ?? Number.POSITIVE_INFINITY,
  })

  function updateStretch(creditsPerDay: number): boolean {
    watchesPerDay = creditsPerDay
    if (!isLoaded) return false
    const allowance = allowanceNow()
    const { stretch, atLeastStretch } = current
    const needed = (creditsPerDay * daysLeft()) / allowance.credits
    const isEnough = stretch === 1 ? needed <= 1 + TOLERANCE : isNear(needed, 1) && needed * stretch > 1
    if (isEnough) return false
    const solved = solveStretch(allowance)
    if (isSame(solved.stretch, stretch) && isSame(solved.atLeastStretch, atLeastStretch)) return false
    current = solved
    watchesPerDay = solved.creditsPerDay
    return true
  }

  async function loadOnce(): Promise<void> {
    // The reservation loads again, and rejects with the error.
    await load?.().then(
      () => {
        if (isLoaded) return
        isLoaded = true
        if (updateStretch(watchesPerDay)) onStretch()
      },
      () => {},
    )
  }

  return {
    budget,
    isLimited: options !== undefined,
    get allowance() {
      return allowanceNow()
    },
    get stretch() {
      return current.stretch
    },
    get atLeastStretch() {
      return current.atLeastStretch
    },
    get requestStretch() {
      return requestStretch()
    },
    get availableForRequests() {
      return availableForRequests()
    },
    availableBesideGuarantees: (bought) => budget.available - parts.costOfGuarantees(allowanceNow(), bought),
    get renewsAt() {
      return current.stretch === 1 ? Number.POSITIVE_INFINITY : (budget.resetsAt ?? Number.POSITIVE_INFINITY)
    },
    recordUnplanned(spent) {
      unplannedPerDay()
      // Without the stretch it would have been more.
      unplanned.credits += spent * requestStretch()
    },
    updateStretch,
    load: () => (isLoaded ? undefined : loadOnce()),
    flush: async () => flush?.(),
    projected: (perDay) => budget.spent + budget.uncertain + budget.reserved + perDay * daysLeft(),
  }
}

const isNear = (now: number, before: number) => Math.abs(now / before - 1) <= TOLERANCE

/** A stretch that ends is a change, however small it was. */
const isSame = (now: number, before: number) => isNear(now, before) && (now > 1 || before === 1)
