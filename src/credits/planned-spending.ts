import { creditsToUsd } from './cost.ts'
import type { PlannedSpending } from './plan-types.ts'

/** What a call of a plan costs a day. */
export type DailyCost = Pick<PlannedSpending, 'creditsPerDay' | 'minCreditsPerDay' | 'requestsPerDay'>

const DAYS_PER_MONTH = 30

/** What calls cost together, a day and in 30 days, in credits and US dollars. */
export function sumSpending(costs: readonly DailyCost[]): PlannedSpending {
  const sum = (field: keyof DailyCost) => costs.reduce((total, cost) => total + cost[field], 0)
  const creditsPerDay = roundError(sum('creditsPerDay'))
  const minCreditsPerDay = roundError(sum('minCreditsPerDay'))
  return {
    creditsPerDay,
    usdPerDay: creditsToUsd(creditsPerDay),
    creditsPer30Days: DAYS_PER_MONTH * creditsPerDay,
    usdPer30Days: creditsToUsd(DAYS_PER_MONTH * creditsPerDay),
    minCreditsPerDay,
    minUsdPerDay: creditsToUsd(minCreditsPerDay),
    minCreditsPer30Days: DAYS_PER_MONTH * minCreditsPerDay,
    minUsdPer30Days: creditsToUsd(DAYS_PER_MONTH * minCreditsPerDay),
    requestsPerDay: sum('requestsPerDay'),
  }
}

/** Shares and rates are off by billionths of a credit: a plan that costs its limit exactly would exceed it. */
const roundError = (credits: number) => Math.round(credits * 1e6) / 1e6
