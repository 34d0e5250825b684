import type { Clock } from '../../concurrency/clock.ts'
import type { Budget } from '../../credits/budget.ts'
import type { FeedOptions, FeedStore } from '../types.ts'
import { createDayBudget, DAY_MS } from './day-budget.ts'

export { DAY_MS }

/** What may be spent in a day, and how much longer the intervals are because of it. */
export interface DailyBudget {
  readonly budget: Budget
  readonly isLimited: boolean
  /** The factor by which every interval is longer; 1 if the budget is large enough. */
  readonly stretch: number
  /** The factor by which the `maxAgeMs` of price requests is longer, because the watches have their share of the budget first. */
  readonly requestStretch: number
  /** What price requests and trades may spend: the budget without the share that the watches need until the end of the day. */
  readonly availableForRequests: number
  /** When the next day of the budget begins, unix milliseconds; Infinity while nothing waits for it. */
  readonly renewsAt: number
  /** Records credits that no watch planned: price requests and trades. */
  recordUnplanned(credits: number): void
  /** Computes the stretch of the intervals for watches that cost `creditsPerDay` unstretched. Returns whether it changed. */
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
/** A used-up budget would ask for any stretch. With this one, 10 seconds become more than a day, and the next day ends it. */
const MAX_STRETCH = 10_000

export interface DailyBudgetParts {
  readonly options: FeedOptions['budget']
  readonly store: FeedStore | undefined
  readonly clock: Clock
  /** Called when what earlier processes have spent changes the stretch. */
  onStretch(): void
}

export function createDailyBudget({ options, store, clock, onStretch }: DailyBudgetParts): DailyBudget {
  const { budget, load, flush } = createDayBudget(options, store, clock)
  let isLoaded = load === undefined
  const daysLeft = () => ((budget.resetsAt ?? 0) - clock.now()) / DAY_MS
  let stretch = 1
  let watchesPerDay = 0
  const availableForRequests = () => Math.max(0, budget.available - (watchesPerDay / stretch) * daysLeft())
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

  function updateStretch(planned: number): boolean {
    watchesPerDay = planned
    if (!isLoaded) return false
    // The cost is inversely proportional to the intervals.
    const needed = (planned * daysLeft()) / Math.max(1, budget.available)
    const wanted = Math.min(MAX_STRETCH, Math.max(1, needed))
    const isNear = Math.abs(wanted / stretch - 1) <= TOLERANCE
    if (isNear && (wanted > 1 || stretch === 1)) return false
    stretch = wanted
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
    get stretch() {
      return stretch
    },
    get requestStretch() {
      return requestStretch()
    },
    get availableForRequests() {
      return availableForRequests()
    },
    get renewsAt() {
      return stretch === 1 ? Number.POSITIVE_INFINITY : (budget.resetsAt ?? Number.POSITIVE_INFINITY)
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
