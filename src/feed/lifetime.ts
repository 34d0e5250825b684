import { createAbortListeners, LightAbortController } from '../concurrency/cancellation.ts'
import { EtnMarketError } from '../errors/base.ts'

/** How long the feed lives. */
export class Lifetime {
  readonly #controller = new AbortController()
  readonly #callbacks = new Set<() => void>()
  /** The same as `signal`, for internal use, where many listen. */
  readonly closed = new LightAbortController()
  /** Listens to a signal of the caller. */
  readonly onAbort = createAbortListeners()

  /** Aborts when the feed is closed. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Calls back when the feed is closed. Returns a function that stops listening. */
  onClose(callback: () => void): () => void {
    this.#callbacks.add(callback)
    return () => void this.#callbacks.delete(callback)
  }

  end(): void {
    const message = 'The feed is closed. Make a new one with createPriceFeed.'
    const reason = new EtnMarketError(message, { code: 'feed_closed' })
    this.#controller.abort(reason)
    this.closed.abort(reason)
    for (const callback of [...this.#callbacks]) callback()
    this.#callbacks.clear()
  }
}
