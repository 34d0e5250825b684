import { hashKey, notifyManager, type QueryClient } from '@tanstack/react-query'
import type { AnyQuery } from './cost.ts'

/** Knows which queries the page would have to buy. */
export interface Freshness {
  /** Whether a query is answered from the page's cache. */
  isFresh(query: AnyQuery): boolean
  /** Calls `listener` when the answer of `isFresh` may have changed. Returns a function that stops it. */
  subscribe(listener: () => void): () => void
}

const TICK_MS = 1_000

export function createFreshness(queryClient: QueryClient): Freshness {
  const cache = queryClient.getQueryCache()
  const listeners = new Set<() => void>()
  let stop = () => {}
  // React reads twice in a row and expects the same, so time passes only between two notifications.
  let now = Date.now()

  function start(): () => void {
    const notify = () => {
      now = Date.now()
      for (const listener of listeners) listener()
    }
    // The cache reports changes while components render, when none of them may be updated.
    const stopCache = cache.subscribe(notifyManager.batchCalls(notify))
    // Nothing reports that data grows old.
    const timer = setInterval(notify, TICK_MS)
    now = Date.now()
    return () => {
      stopCache()
      clearInterval(timer)
    }
  }

  return {
    isFresh({ queryKey, staleTime }) {
      const state = cache.get(hashKey(queryKey))?.state
      if (state === undefined) return false
      const { data, dataUpdatedAt, isInvalidated, fetchStatus } = state
      // A request in flight is shared.
      return fetchStatus === 'fetching' || (data !== undefined && !isInvalidated && dataUpdatedAt + staleTime > now)
    },
    subscribe(listener) {
      if (listeners.size === 0) stop = start()
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
  }
}
