import type { ProxySettings } from './settings.ts'
import type { ProxyStatus, SpentBudget, VisitorSpending } from './status-types.ts'
import type { Streams } from './stream/streams.ts'
import type { Visitors } from './visitors.ts'

export interface ProxyStatusParts {
  readonly settings: Pick<ProxySettings, 'budget' | 'stream'>
  /** The budgets of calls. */
  readonly visitors: Visitors | undefined
  /** The budgets of streams, which may be the same. */
  readonly streamVisitors: Visitors | undefined
  readonly streams: Streams | undefined
}

const TOP = 10

export function createProxyStatus(parts: ProxyStatusParts): () => ProxyStatus {
  const { settings, visitors, streamVisitors, streams } = parts
  const budgets = new Set([visitors, streamVisitors].filter((each) => each !== undefined))

  function topSpenders(): VisitorSpending[] {
    const found = new Set([...budgets].flatMap((each) => each.top(TOP)).map(({ visitor }) => visitor))
    const spending = Array.from(found, (visitor) => {
      const each = Array.from(budgets, (of) => ({ budget: of.find(visitor), available: of.available(visitor) }))
      return {
        visitor,
        spent: each.reduce((sum, { budget }) => sum + (budget ? budget.spent + budget.uncertain : 0), 0),
        available: each.reduce((sum, { available }) => sum + available, 0),
        streams: streams?.countOf(visitor) ?? 0,
      }
    })
    return spending.sort((one, other) => other.spent - one.spent).slice(0, TOP)
  }

  return () => ({
    visitors: new Set([...budgets].flatMap((each) => [...each.ids()])).size,
    streams: streams?.size ?? 0,
    addresses: streams?.addresses ?? 0,
    stretch: streams?.stretch ?? 1,
    topSpenders: topSpenders(),
    budget: spentOf(settings),
    feed: settings.stream?.feed.status(),
  })
}

function spentOf({ budget }: Pick<ProxySettings, 'budget'>): SpentBudget | undefined {
  const { limit, spent, uncertain, available, resetsAt } = budget
  return limit === Number.POSITIVE_INFINITY ? undefined : { limit, spent: spent + uncertain, available, resetsAt }
}
