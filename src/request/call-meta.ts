import type { CallMeta } from '../api-promise.ts'
import { sumCosts } from '../credits/cost.ts'
import { addTotals, createTotals } from './charge-totals.ts'
import type { Answer, ChunkResult, PlannedRequest } from './types.ts'

/** The cost and the course of a call. A request that several calls share is paid by one of them, so that sums are right. */
export function callMeta(
  requests: readonly PlannedRequest[],
  results: readonly ChunkResult[],
  remaining: number | undefined,
  durationMs: number,
): CallMeta {
  const totals = { service: createTotals(), shared: createTotals(), cache: createTotals() }
  const counts = { service: 0, shared: 0, cache: 0 }
  let last: Answer | undefined
  for (const { answer } of results) {
    if (answer === undefined) continue
    if (answer.status !== undefined) last = answer
    addTotals(totals[answer.from], answer.totals)
    counts[answer.from]++
  }
  const paid = totals.service
  const { status, headers } = last ?? {}
  return {
    credits: {
      estimated: sumCosts(requests).max,
      charged: paid.credits,
      remaining,
      source: paid.charge === 'none' ? 'none' : paid.isComputed ? 'computed' : 'header',
    },
    attempts: paid.attempts + totals.shared.attempts,
    requests: requests.length - counts.cache,
    shared: counts.shared > 0,
    cached: counts.cache > 0,
    durationMs,
    status,
    headers: headers && Object.fromEntries(headers),
  }
}
