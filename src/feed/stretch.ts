import { creditsFor } from '../credits/cheapest-requests.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { type IntervalDemand, type Latency, planTimetable } from './timetable.ts'

/** Addresses whose intervals become longer where a budget is too small. */
export interface StretchedDemand extends IntervalDemand {
  /** The longest interval; Infinity if any will do. */
  readonly atLeastEveryMs: number
}

/** How much longer intervals are because of a budget, and what they cost then. */
export interface Stretch {
  /** The factor for every interval; 1 if the budget is large enough. */
  readonly stretch: number
  /** The factor for every `atLeastEveryMs`; 1 if the budget is large enough for those. */
  readonly atLeastStretch: number
  /** Credits that the watches cost a day, with the stretch. */
  readonly watchesPerDay: number
  /** Credits for one purchase of what has an `atLeastEveryMs`. */
  readonly setAside: number
  readonly guaranteesPerDay: number
}

/** The limit of a stretch, for a budget that is used up: 10 seconds become more than a day, and the next day ends it. */
const MAX_STRETCH = 10_000
/** Of a bisection: they leave a thousandth. */
const STEPS = 14

/**
 * The smallest stretch with which the watches cost what is affordable. Intervals are stretched first; only if that does not suffice, every
 * `atLeastEveryMs` is exceeded too, by the same factor.
 * @param available credits for the next `leftMs` milliseconds
 */
export function stretchToFit(
  demand: readonly StretchedDemand[],
  latency: Latency,
  available: number,
  leftMs: number,
): Stretch {
  const guaranteed = demand.filter(({ atLeastEveryMs }) => atLeastEveryMs < Number.POSITIVE_INFINITY)
  const guarantees = guaranteed.map(({ atLeastEveryMs, addresses }) => ({ everyMs: atLeastEveryMs, addresses }))
  const guaranteesPerDay = planTimetable(guarantees, latency).creditsPerDay
  // One purchase of what has a guarantee is set aside: the last ones of a day are whole purchases, whatever their share of it.
  const setAside = creditsFor(guaranteed.reduce((sum, { addresses }) => sum + addresses, 0))
  const perDay = (credits: number) => (Math.max(1, credits) * DAY_MS) / Math.max(1, leftMs)
  const solved = solveStretch(demand, latency, perDay(available), perDay(available - setAside))
  return { ...solved, setAside, guaranteesPerDay }
}

/** @param besideGuarantees what is affordable a day while every `atLeastEveryMs` is kept */
function solveStretch(
  demand: readonly StretchedDemand[],
  latency: Latency,
  affordable: number,
  besideGuarantees: number,
): Pick<Stretch, 'stretch' | 'atLeastStretch' | 'watchesPerDay'> {
  const costOf = (stretch: number, atLeastStretch: number) => {
    const intervals = demand.map(({ everyMs, atLeastEveryMs, addresses }) => ({
      everyMs: Math.min(everyMs * stretch, atLeastEveryMs * atLeastStretch),
      addresses,
    }))
    return { stretch, atLeastStretch, watchesPerDay: planTimetable(intervals, latency).creditsPerDay }
  }
  const find = (at: (factor: number) => ReturnType<typeof costOf>, credits: number) =>
    at(bisect((factor) => at(factor).watchesPerDay <= credits, MAX_STRETCH, 1))
  const none = costOf(1, 1)
  if (none.watchesPerDay <= besideGuarantees) return none
  const guaranteesAlone = costOf(MAX_STRETCH, 1)
  if (guaranteesAlone.watchesPerDay <= besideGuarantees) return find((stretch) => costOf(stretch, 1), besideGuarantees)
  if (guaranteesAlone.watchesPerDay <= affordable) return guaranteesAlone
  return find((atLeast) => costOf(MAX_STRETCH, atLeast), affordable)
}

/** The last number between `holdsAt` and `failsAt`, both above 0, for which a condition holds. */
function bisect(condition: (value: number) => boolean, holdsAt: number, failsAt: number): number {
  let [holds, fails] = [holdsAt, failsAt]
  for (let step = 0; step < STEPS; step++) {
    const middle = Math.sqrt(holds * fails)
    if (condition(middle)) holds = middle
    else fails = middle
  }
  return holds
}
