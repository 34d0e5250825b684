import {
  type CancellationSignal,
  createAbortListeners,
  LightAbortController,
  type ListenForAbort,
} from '../concurrency/cancellation.ts'
import { EtnMarketError } from '../errors/base.ts'

/** How long the feed lives. */
export interface Lifetime {
  /** Aborts when the feed is closed. */
  readonly signal: AbortSignal
  /** The same for internal use, where many listen. */
  readonly closed: CancellationSignal
  /** Calls back when the feed is closed. Returns a function that stops listening. */
  onClose(callback: () => void): () => void
  /** Listens to a signal of the caller. */
  readonly onAbort: ListenForAbort
  end(): void
}

export function createLifetime(): Lifetime {
  const controller = new AbortController()
  const closed = new LightAbortController()
  const callbacks = new Set<() => void>()
  return {
    signal: controller.signal,
    closed,
    onClose(callback) {
      callbacks.add(callback)
      return () => void callbacks.delete(callback)
    },
    onAbort: createAbortListeners(),
    end() {
      const message = 'The feed is closed. Make a new one with createPriceFeed.'
      const reason = new EtnMarketError(message, { code: 'feed_closed' })
      controller.abort(reason)
      closed.abort(reason)
      for (const callback of [...callbacks]) callback()
      callbacks.clear()
    },
  }
}
