import type { Clock } from '../clock.ts'
import { type Budget, createBudget } from '../credits/budget.ts'
import { invalidOption, refuseUnknown } from '../errors/input.ts'
import { DAY_MS } from './demand.ts'

/** What may be spent a day, and how much slower everything must go for that. */
export interface Pace {
  readonly budget: Budget
  /** By how much every interval is longer; 1 when there is enough. */
  readonly stretch: number
  /** When a new day of the budget begins; Infinity as long as nothing waits for it. */
  readonly renewsAt: number
  /** Notes what was spent on what nobody had announced: look-ups and trades. */
  noteUnplanned(credits: number): void
  /** Takes what the promises would cost a day; whether the stretch changed. */
  adapt(creditsPerDay: number): boolean
  /** What will have been spent when this day ends, at so many credits a day from now on. */
  projected(creditsPerDay: number): number
}

/** What comes unannounced is expected to go on as in about the last hour. */
const MEMORY_MS = 3_600_000
/** A stretch that is this near to the right one stays: each change moves every deadline. */
const TOLERANCE = 0.05

export function createPace(options: { creditsPerDay: number } | undefined, clock: Clock): Pace {
  if (options !== undefined) {
    refuseUnknown('budget option', options, ['creditsPerDay'])
    const { creditsPerDay } = options
    if (!(Number.isSafeInteger(creditsPerDay) && creditsPerDay > 0))
      throw invalidOption('budget.creditsPerDay', creditsPerDay, 'a whole number of credits above 0')
  }
  const credits = options?.creditsPerDay ?? Number.POSITIVE_INFINITY
  const budget = createBudget({ credits, windowMs: DAY_MS }, clock)
  const leftOfDay = () => ((budget.resetsAt ?? 0) - clock.now()) / DAY_MS
  let stretch = 1
  const unplanned = { credits: 0, at: clock.now() }
  const recall = () => {
    const now = clock.now()
    unplanned.credits *= Math.exp((unplanned.at - now) / MEMORY_MS)
    unplanned.at = now
    return (unplanned.credits * DAY_MS) / MEMORY_MS
  }

  return {
    budget,
    get stretch() {
      return stretch
    },
    get renewsAt() {
      return stretch === 1 ? Number.POSITIVE_INFINITY : (budget.resetsAt ?? Number.POSITIVE_INFINITY)
    },
    noteUnplanned(credits) {
      recall()
      // It would have been more, had it not been stretched.
      unplanned.credits += credits * stretch
    },
    adapt(planned) {
      const creditsPerDay = planned + recall()
      // Everything scales: twice the intervals are half the credits. What was spent too fast leaves less for the rest of the day.
      const wanted = Math.max(1, (creditsPerDay * leftOfDay()) / Math.max(1, budget.available))
      const near = Math.abs(wanted / stretch - 1) <= TOLERANCE
      if (near && (wanted > 1 || stretch === 1)) return false
      stretch = wanted
      return true
    },
    projected: (creditsPerDay) => budget.spent + budget.uncertain + budget.reserved + creditsPerDay * leftOfDay(),
  }
}
