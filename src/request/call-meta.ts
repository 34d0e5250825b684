import type { CallMeta } from '../api-promise.ts'
import { sumCosts } from '../credits/cost.ts'
import { sumTotals } from './charge-totals.ts'
import type { Answer, ChargeTotals, PlannedRequest } from './types.ts'

/** The cost and the course of a call. A request that several calls share is paid by one of them, so that sums are right. */
export function callMeta(
  requests: readonly PlannedRequest[],
  answers: readonly Answer[],
  remaining: number | undefined,
  durationMs: number,
): CallMeta {
  const totals: Record<Answer['from'], ChargeTotals[]> = { service: [], shared: [], cache: [] }
  for (const answer of answers) totals[answer.from].push(answer.totals)
  const paid = sumTotals(totals.service)
  const { status, headers } = answers.findLast((answer) => answer.status !== undefined) ?? {}
  return {
    credits: {
      estimated: sumCosts(requests.map(({ cost }) => cost)).max,
      charged: paid.credits,
      remaining,
      source: paid.charge === 'none' ? 'none' : paid.isComputed ? 'computed' : 'header',
    },
    attempts: paid.attempts + sumTotals(totals.shared).attempts,
    requests: requests.length - totals.cache.length,
    shared: totals.shared.length > 0,
    cached: totals.cache.length > 0,
    durationMs,
    status,
    headers: headers && Object.fromEntries(headers),
  }
}
