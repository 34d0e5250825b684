import type { CostEstimate } from 'etn-market'
import { useSyncExternalStore } from 'react'
import { useMarket } from '../market.ts'
import { type AnyQuery, costOf } from './cost.ts'

/** What it costs now to have the data of these queries: nothing for those that the page's cache answers. */
export function useCost(queries: readonly AnyQuery[]): Pick<CostEstimate, 'min' | 'max'> {
  const { freshness } = useMarket()
  const toBuy = () => queries.filter((query) => !freshness.isFresh(query))
  // A text, because React compares snapshots by identity.
  const getSnapshot = () =>
    toBuy()
      .map(({ queryKey }) => JSON.stringify(queryKey))
      .join()
  useSyncExternalStore(freshness.subscribe, getSnapshot)
  return costOf(toBuy())
}
