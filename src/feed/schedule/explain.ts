import type { Clock } from '../../concurrency/clock.ts'
import { creditsToUsd } from '../../credits/cost.ts'
import type { FeedPlan, PlannedRate } from '../plan.ts'
import { DAY_MS } from '../prices/daily-budget.ts'
import type { DueTimes } from './due-times.ts'
import { costOf, rateOf, simulateSchedule } from './simulate-schedule.ts'
import type { TokenBucket } from './token-bucket.ts'

export interface ExplainParts {
  readonly clock: Clock
  readonly dueTimes: DueTimes
  readonly bucket: TokenBucket
}

/** A watch, as the cost of a call of its own sees it. */
export interface PlannedWatch {
  readonly addresses: number
  readonly everyMs: number
}

/** Maximum number of calls that are simulated to compute the cost of a day. */
const MAX_SIMULATED_CALLS = 1_000

export function explain(
  { clock, dueTimes, bucket }: ExplainParts,
  watches: readonly PlannedWatch[],
  shown: number,
): FeedPlan {
  const now = clock.now()
  const { stretch } = dueTimes
  const maxCalls = Math.max(shown, MAX_SIMULATED_CALLS)
  const calls = simulateSchedule({ dueTimes, bucket, now, until: now + DAY_MS, maxCalls })
  const rate = rateOf(calls)
  const separate = { creditsPerDay: 0, requestsPerDay: 0 }
  for (const { addresses, everyMs } of watches) {
    const { credits, requests } = costOf(addresses)
    const perDay = DAY_MS / (everyMs * stretch)
    separate.creditsPerDay += credits * perDay
    separate.requestsPerDay += requests * perDay
  }
  return {
    calls: calls.slice(0, shown),
    stretch,
    cost: toRate(rate, 1),
    onePerConsumer: toRate(separate, 1),
    unstretched: { cost: toRate(rate, stretch), onePerConsumer: toRate(separate, stretch) },
  }
}

function toRate(rate: { creditsPerDay: number; requestsPerDay: number }, factor: number): PlannedRate {
  const creditsPerDay = rate.creditsPerDay * factor
  return {
    creditsPerDay,
    usdPerDay: creditsToUsd(creditsPerDay),
    requestsPerDay: rate.requestsPerDay * factor,
    creditsPer30Days: 30 * creditsPerDay,
    usdPer30Days: creditsToUsd(30 * creditsPerDay),
  }
}
