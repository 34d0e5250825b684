import { sumCosts } from '../credits/cost.ts'
import type { CallMeta } from '../method.ts'
import { sumTallies } from './tally.ts'
import type { Answer, Part, Tally } from './types.ts'

/** What a call cost and how it went. A request that several calls share is paid by one of them, so that sums are right. */
export function metaOf(
  parts: readonly Part[],
  answers: readonly Answer[],
  remaining: number | undefined,
  durationMs: number,
): CallMeta {
  const tallies: Record<Answer['from'], Tally[]> = { service: [], shared: [], cache: [] }
  for (const { from, tally } of answers) tallies[from].push(tally)
  const paid = sumTallies(tallies.service)
  return {
    credits: {
      estimated: sumCosts(parts.map(({ cost }) => cost)).max,
      charged: paid.credits,
      remaining,
      source: paid.charge === 'none' ? 'none' : paid.computed ? 'computed' : 'header',
    },
    attempts: paid.attempts + sumTallies(tallies.shared).attempts,
    requests: parts.length - tallies.cache.length,
    shared: tallies.shared.length > 0,
    cached: tallies.cache.length > 0,
    durationMs,
  }
}
