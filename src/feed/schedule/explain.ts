import { creditsToUsd } from '../../credits/cost.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import { RULES, type RuleChoice } from './choose-rule.ts'
import type { DueTimes } from './due-times.ts'
import type { FeedPlan, PlannedRate, PlannedRequests } from './plan.ts'
import { costOf, rateOf, type Simulation, simulateSchedule } from './simulate-schedule.ts'
import type { TokenBucket } from './token-bucket.ts'

/** Requests at an interval, besides prices. */
export interface OtherRequests extends Pick<PlannedRequests, 'operation' | 'address'> {
  readonly everyMs: number
  /** The cost of one of these requests after an interval. */
  credits(intervalMs: number): number
}

export interface ExplainParts {
  readonly clock: FeedClock
  readonly dueTimes: DueTimes
  readonly bucket: TokenBucket
  readonly dailyBudget: DailyBudget
  readonly rules: RuleChoice
}

/** A watch, as the cost of a call of its own sees it. */
export interface PlannedWatch {
  readonly addresses: number
  readonly everyMs: number
  readonly atLeastEveryMs: number
}

/** Maximum number of calls that are simulated to compute the cost of a day. */
const MAX_SIMULATED_CALLS = 1_000

export function explain(
  { clock, dueTimes, bucket, dailyBudget, rules }: ExplainParts,
  watches: readonly PlannedWatch[],
  requests: readonly OtherRequests[],
  shown: number,
): FeedPlan {
  const now = clock.now()
  const { stretch, atLeastStretch } = dueTimes.stretch
  const maxCalls = Math.max(shown, MAX_SIMULATED_CALLS)
  const simulation = { dueTimes, bucket, rule: rules.at(now), now, until: now + DAY_MS, maxCalls }
  const { calls } = simulateSchedule(simulation)
  const cost = toRate(rateOf(calls))
  const onePerConsumer = separateCalls(watches, ({ everyMs, atLeastEveryMs }) =>
    Math.min(everyMs * stretch, atLeastEveryMs * atLeastStretch),
  )
  const unstretched =
    stretch === 1
      ? { cost, onePerConsumer }
      : {
          cost: toRate(cheapestUnstretched(simulation)),
          onePerConsumer: separateCalls(watches, ({ everyMs }) => everyMs),
        }
  const others = requests.map(({ operation, address, everyMs, credits }) => {
    const costAt = (intervalMs: number) => {
      const requestsPerDay = DAY_MS / intervalMs
      return toRate({ creditsPerDay: credits(intervalMs) * requestsPerDay, requestsPerDay })
    }
    return { operation, address, cost: costAt(everyMs * dailyBudget.requestStretch), unstretched: costAt(everyMs) }
  })
  const planned = calls.slice(0, shown).map((call) => ({ ...call, at: clock.toUnix(call.at) }))
  return { calls: planned, stretch, atLeastStretch, cost, onePerConsumer, unstretched, others }
}

/** Without the stretch another rule may be the cheapest. */
function cheapestUnstretched(simulation: Simulation): ReturnType<typeof rateOf> {
  const rates = RULES.map((rule) => rateOf(simulateSchedule({ ...simulation, rule, unstretched: true }).calls))
  return rates.reduce((best, rate) => (rate.creditsPerDay < best.creditsPerDay ? rate : best))
}

/** The cost of a call for each watch, at its own interval. */
function separateCalls(watches: readonly PlannedWatch[], intervalOf: (watch: PlannedWatch) => number): PlannedRate {
  const rate = { creditsPerDay: 0, requestsPerDay: 0 }
  for (const watch of watches) {
    const { credits, requests } = costOf(watch.addresses)
    const perDay = DAY_MS / intervalOf(watch)
    rate.creditsPerDay += credits * perDay
    rate.requestsPerDay += requests * perDay
  }
  return toRate(rate)
}

function toRate({ creditsPerDay, requestsPerDay }: { creditsPerDay: number; requestsPerDay: number }): PlannedRate {
  return {
    creditsPerDay,
    usdPerDay: creditsToUsd(creditsPerDay),
    requestsPerDay,
    creditsPer30Days: 30 * creditsPerDay,
    usdPer30Days: creditsToUsd(30 * creditsPerDay),
  }
}
