import { creditsFor } from '../../credits/batch-cost.ts'
import { bisect } from '../../utils/bisect.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { Allowance } from '../prices/daily-budget.ts'
import { type Stretch, stretchedInterval, type TrackedPrice, type Watcher } from '../prices/tracked-price.ts'
import { lowestCreditsPerDay } from './demand.ts'

/** The limit of a stretch, for a budget that is used up. 10 seconds become more than a day, and the next day ends it. */
const MAX_STRETCH = 10_000

/** A stretch, and what the watches cost with it. */
export interface SolvedStretch extends Stretch {
  readonly creditsPerDay: number
}

export interface StretchParts {
  readonly addresses: readonly TrackedPrice[]
  readonly allowance: Allowance
  /** The cost of the schedule as it runs with the stretch `current`, over that of the best one. */
  readonly factor: number
  readonly current: Stretch
}

/**
 * The smallest stretch that the allowance suffices for. Intervals are stretched first; only if that does not suffice, every
 * `atLeastEveryMs` is exceeded too, by the same factor.
 */
export function solveStretch({ addresses, allowance, factor, current }: StretchParts): SolvedStretch {
  const { credits, now, until } = allowance
  const affordable = (credits * DAY_MS) / (until - now)
  const costOf = (stretch: Stretch): SolvedStretch => {
    const rates = addresses.map((tracked) => 1 / stretchedInterval(tracked, stretch))
    return { ...stretch, creditsPerDay: factor * costOfRates(rates) }
  }
  const none = costOf({ stretch: 1, atLeastStretch: 1 })
  if (none.creditsPerDay <= affordable) return none
  if (addresses.every(({ guaranteed }) => guaranteed.size === 0)) {
    // The cost is inversely proportional to the intervals.
    const stretch = Math.min(MAX_STRETCH, none.creditsPerDay / affordable)
    return { stretch, atLeastStretch: 1, creditsPerDay: none.creditsPerDay / stretch }
  }
  // Use the forecast's factor only when the other intervals are at their longest: otherwise it was simulated for another schedule.
  const guaranteeFactor = current.stretch === MAX_STRETCH ? factor : 1
  const isKept =
    guaranteeFactor * costOfGuarantees(addresses, allowance) <= credits ||
    costOfSeparateGuarantees(addresses, allowance) <= credits
  const withFactor = isKept
    ? (stretch: number) => costOf({ stretch, atLeastStretch: 1 })
    : (atLeastStretch: number) => costOf({ stretch: MAX_STRETCH, atLeastStretch })
  return withFactor(bisect((value) => withFactor(value).creditsPerDay <= affordable, MAX_STRETCH, 1))
}

/**
 * The lowest cost of every `atLeastEveryMs` until the credits are renewed, after `bought` is bought now. At the end of a day no other
 * purchase may be due.
 */
export function costOfGuarantees(
  addresses: readonly TrackedPrice[],
  { now, until }: Allowance,
  bought: readonly TrackedPrice[] = [],
): number {
  const boughtNow = new Set(bought)
  const counts = addresses.map((tracked) =>
    purchasesOf(tracked, boughtNow.has(tracked) ? now : tracked.at, { now, until }),
  )
  return costOfRates(counts.filter((count) => count > 0).map((count) => count / DAY_MS))
}

/** The cost of a separate batch for each watch, so that one purchase of a few addresses is not taken for more than it costs. */
function costOfSeparateGuarantees(
  addresses: readonly TrackedPrice[],
  allowance: Pick<Allowance, 'now' | 'until'>,
): number {
  const counts = new Map<Watcher, number>()
  for (const tracked of addresses) {
    const watcher = tracked.guaranteed.peek()
    if (watcher === undefined) continue
    counts.set(watcher, Math.max(counts.get(watcher) ?? 0, purchasesOf(tracked, tracked.at, allowance)))
  }
  let credits = 0
  for (const [{ prices }, count] of counts) credits += count * creditsFor(prices.length)
  return credits
}

/** How often an address has to be bought until the credits are renewed, to keep its `atLeastEveryMs`. */
function purchasesOf(
  { guaranteed }: TrackedPrice,
  lastAt: number,
  { now, until }: Pick<Allowance, 'now' | 'until'>,
): number {
  const { atLeastEveryMs = Number.POSITIVE_INFINITY } = guaranteed.peek() ?? {}
  const first = Math.max(now, lastAt + atLeastEveryMs)
  return first < until ? Math.ceil((until - first) / atLeastEveryMs) : 0
}

/** A cost that no schedule goes below, for addresses that are bought this often in a millisecond; in credits a day. */
function costOfRates(rates: readonly number[]): number {
  let purchasesPerMs = 0
  const highest: number[] = []
  for (const rate of rates) {
    purchasesPerMs += rate
    if (highest.length === 3 && rate <= (highest[2] ?? 0)) continue
    highest.push(rate)
    highest.sort((a, b) => b - a)
    highest.length = Math.min(3, highest.length)
  }
  const shortest = highest.map((rate) => 1 / rate)
  return lowestCreditsPerDay(rates.length, purchasesPerMs, shortest)
}
