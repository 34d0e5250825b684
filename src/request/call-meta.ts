import type { CallMeta } from '../api-promise.ts'
import { sumCosts } from '../credits/cost.ts'
import { sumPaid } from './charge-totals.ts'
import type { Answer, ChunkResult, PlannedRequest } from './types.ts'

/** The cost and the course of a call. A request that several calls share is paid by one of them, so that sums are right. */
export function callMeta(
  requests: readonly PlannedRequest[],
  results: readonly ChunkResult[],
  remaining: number | undefined,
  durationMs: number,
): CallMeta {
  const answersFrom = (source: Answer['from']) =>
    results.flatMap(({ answer }) => (answer?.from === source ? [{ paid: answer.totals }] : []))
  const shared = answersFrom('shared')
  const cached = answersFrom('cache')
  const paid = sumPaid(answersFrom('service'))
  const { status, headers } = results.findLast(({ answer }) => answer?.status !== undefined)?.answer ?? {}
  return {
    credits: {
      estimated: sumCosts(requests).max,
      charged: paid.credits,
      remaining,
      source: paid.charge === 'none' ? 'none' : paid.isComputed ? 'computed' : 'header',
    },
    attempts: paid.attempts + sumPaid(shared).attempts,
    requests: requests.length - cached.length,
    shared: shared.length > 0,
    cached: cached.length > 0,
    durationMs,
    status,
    headers: headers && Object.fromEntries(headers),
  }
}
