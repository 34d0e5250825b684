import type { Clock } from '../../concurrency/clock.ts'
import { createBudget, type MemoryBudget } from '../../credits/budget.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'

export const DAY_MS = 86_400_000

/** What may be spent in a day, and how much longer the intervals are because of it. */
export interface DailyBudget {
  readonly budget: MemoryBudget
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
  /** The credits spent by the end of this day, if the rest of it costs `creditsPerDay`. */
  projected(creditsPerDay: number): number
}

/** Unplanned credits are extrapolated from about the last hour. */
const UNPLANNED_WINDOW_MS = 3_600_000
/** A smaller difference does not change the stretch, because each change recomputes every due time. */
const TOLERANCE = 0.05
/** Makes a day of a second: nothing more is bought before the next day of the budget, and times stay within reason. */
const MAX_STRETCH = 100_000

export function createDailyBudget(options: { creditsPerDay: number } | undefined, clock: Clock): DailyBudget {
  if (options !== undefined) {
    rejectUnknown('budget option', options, ['creditsPerDay'])
    const { creditsPerDay } = options
    if (!(Number.isSafeInteger(creditsPerDay) && creditsPerDay > 0))
      throw invalidOption('budget.creditsPerDay', creditsPerDay, 'a whole number of credits above 0')
  }
  const credits = options?.creditsPerDay ?? Number.POSITIVE_INFINITY
  const budget = createBudget({ credits, windowMs: DAY_MS }, clock)
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
    updateStretch(planned) {
      watchesPerDay = planned
      // The cost is inversely proportional to the intervals.
      const wanted = Math.min(MAX_STRETCH, Math.max(1, (planned * daysLeft()) / Math.max(1, budget.available)))
      const isNear = Math.abs(wanted / stretch - 1) <= TOLERANCE
      if (isNear && (wanted > 1 || stretch === 1)) return false
      stretch = wanted
      return true
    },
    projected: (perDay) => budget.spent + budget.uncertain + budget.reserved + perDay * daysLeft(),
  }
}
