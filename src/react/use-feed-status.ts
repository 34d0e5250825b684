import { useMemo, useSyncExternalStore } from 'react'

/** How often the state is read while it is shown: some of it changes with time alone. */
const REFRESH_MS = 1_000

/** A feed of `etn-market/feed`, or a stream of `etn-market/stream`. */
export interface StatusSource<Status> {
  /** The state. */
  status(): Status
  /** Calls `listener` after changes. */
  subscribe(listener: () => void): () => void
}

/**
 * The state of a feed or a price stream, up to date while the component is mounted: whether it runs, its costs, and the state of its `stream`. It
 * buys nothing.
 * @example const { stream } = useFeedStatus(feed) // stream?.state is 'connected', 'reconnecting', 'out_of_credits', …
 */
export function useFeedStatus<Status>(feed: StatusSource<Status>): Status {
  const { subscribe, getSnapshot } = useMemo(() => createStatusStore(feed), [feed])
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
}

/** The state as a store for React: the same object until something in it changes, and never between two looks of one rendering. */
export function createStatusStore<Status>(feed: StatusSource<Status>) {
  let last = feed.status()
  let text = JSON.stringify(last)
  return {
    getSnapshot: () => last,
    subscribe(onChange: () => void): () => void {
      const refresh = () => {
        const next = feed.status()
        const nextText = JSON.stringify(next)
        if (nextText === text) return
        last = next
        text = nextText
        onChange()
      }
      // What has changed before somebody looked.
      refresh()
      const timer = setInterval(refresh, REFRESH_MS)
      const stop = feed.subscribe(refresh)
      return () => {
        clearInterval(timer)
        stop()
      }
    },
  }
}
