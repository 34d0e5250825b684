import { createAbortListeners, LightAbortController } from '../concurrency/cancellation.ts'
import { EtnMarketError } from '../errors/base.ts'
import type { CheckedStore } from './checked-store.ts'
import type { DailyBudget } from './daily-budget.ts'
import type { FeedEvent } from './events.ts'
import type { FeedClock } from './feed-clock.ts'
import type { PriceBuyer } from './prices/price-buyer.ts'
import type { PriceTable } from './prices/tracked-price.ts'
import type { Backoff } from './requests/backoff.ts'
import type { RecurringRequest } from './requests/requester.ts'
import type { Send } from './requests/send.ts'
import type { Schedule } from './schedule/schedule.ts'
import type { FeedClient, FeedStore } from './types.ts'
import type { RunningWatch } from './watch/watch.ts'

/** What the parts of a feed share. */
export interface FeedContext {
  readonly client: FeedClient
  readonly clock: FeedClock
  readonly lifetime: Lifetime
  /** What outlives the feed; undefined without a store. */
  readonly store: FeedStore | undefined
  readonly checkedStore: CheckedStore | undefined
  readonly table: PriceTable
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly schedule: Schedule
  readonly buyer: PriceBuyer
  /** The running watches of the feed. */
  readonly watches: Set<RunningWatch>
  /** What is requested again and again, besides prices. */
  readonly recurring: Set<RecurringRequest>
  readonly send: Send
  /** How long price requests and new watches wait for others, in milliseconds. */
  readonly windowMs: number
  /** The default of a price request. */
  readonly maxAgeMs: number
  emit(event: FeedEvent): void
  /** Calls those who subscribed to new prices and states. */
  notify(): void
  isPaused(): boolean
  /** Returns the EIP-55 form of addresses; throws the client's error for an invalid one. */
  toChecksum(addresses: readonly string[]): string[]
}

/** How long the feed lives: a signal that aborts when it is closed. */
export class Lifetime extends LightAbortController {
  readonly #controller = new AbortController()
  readonly #onAbort = createAbortListeners()

  /** The same for a client that `createClient` did not make: it may need a real signal. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /**
   * Calls back when the signal aborts, with its reason, or when the feed is closed, without one. Returns a function that stops listening.
   */
  onEnd(signal: AbortSignal | undefined, callback: (error?: { reason: unknown }) => void): () => void {
    const onClose = () => callback()
    const stopListening = this.#onAbort(signal, () => callback({ reason: signal?.reason }))
    this.addEventListener('abort', onClose)
    return () => {
      stopListening()
      this.removeEventListener('abort', onClose)
    }
  }

  end(): void {
    const message = 'The feed is closed. Make a new one with createPriceFeed.'
    const reason = new EtnMarketError(message, { code: 'feed_closed' })
    this.#controller.abort(reason)
    this.abort(reason)
  }
}
