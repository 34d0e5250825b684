import { sumCosts } from '../credits/cost.ts'
import type { CallMeta } from '../method.ts'
import { sumTallies } from './tally.ts'
import type { Answer, Part } from './types.ts'

/** What a call cost and how it went. A request that several calls share is paid by one of them, so that sums are right. */
export function metaOf(
  parts: readonly Part[],
  answers: readonly Answer[],
  remaining: number | undefined,
  durationMs: number,
): CallMeta {
  const from = (source: Answer['from']) => answers.filter((answer) => answer.from === source)
  const paid = sumTallies(from('service').map(({ tally }) => tally))
  const shared = from('shared')
  return {
    credits: {
      estimated: sumCosts(parts.map(({ cost }) => cost)).max,
      charged: paid.credits,
      remaining,
      source: paid.charge === 'none' ? 'none' : paid.computed ? 'computed' : 'header',
    },
    attempts: paid.attempts + sumTallies(shared.map(({ tally }) => tally)).attempts,
    requests: parts.length - from('cache').length,
    shared: shared.length > 0,
    cached: from('cache').length > 0,
    durationMs,
  }
}
