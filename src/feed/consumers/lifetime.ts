import { createAbortListeners, type ListenForAbort } from '../../concurrency/abort-listeners.ts'
import { EtnMarketError } from '../../errors/base.ts'

/** How long the feed lives. */
export interface Lifetime {
  /** Aborts when the feed is closed. */
  readonly signal: AbortSignal
  /** Calls back when the feed is closed. Returns a function that stops listening. */
  onClose(callback: () => void): () => void
  /** Listens to a signal of the caller. */
  readonly onAbort: ListenForAbort
  end(): void
}

export function createLifetime(): Lifetime {
  const controller = new AbortController()
  const callbacks = new Set<() => void>()
  return {
    signal: controller.signal,
    onClose(callback) {
      callbacks.add(callback)
      return () => void callbacks.delete(callback)
    },
    onAbort: createAbortListeners(),
    end() {
      controller.abort(
        new EtnMarketError('The feed is closed. Make a new one with createPriceFeed.', { code: 'feed_closed' }),
      )
      for (const callback of [...callbacks]) callback()
      callbacks.clear()
    },
  }
}
