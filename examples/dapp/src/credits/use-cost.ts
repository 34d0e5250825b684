import type { CostEstimate } from 'etn-market'
import { useSyncExternalStore } from 'react'
import { useMarket } from '../market.ts'
import { type AnyQuery, costOf } from './cost.ts'

type Cost = Pick<CostEstimate, 'min' | 'max'>

/** What it costs now to have the data of these queries: nothing for those that the page's cache answers. */
export function useCost(queries: readonly AnyQuery[]): Cost {
  const [cost = { min: 0, max: 0 }] = useCosts([queries])
  return cost
}

/** The same for several clicks, of which each has its queries. */
export function useCosts(clicks: readonly (readonly AnyQuery[])[]): readonly Cost[] {
  const { freshness } = useMarket()
  const toBuy = () => clicks.map((queries) => queries.filter((query) => !freshness.isFresh(query)))
  // A text, because React compares snapshots by identity.
  const getSnapshot = () => JSON.stringify(toBuy().map((queries) => queries.map(({ queryKey }) => queryKey)))
  useSyncExternalStore(freshness.subscribe, getSnapshot)
  return toBuy().map(costOf)
}
