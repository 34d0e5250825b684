import { type ClientInternals, internalsOf, withInternals } from '../client/client-internals.ts'
import {
  abortReason,
  type CancellationSignal,
  createAbortListeners,
  LightAbortController,
} from '../concurrency/cancellation.ts'
import { SystemClock } from '../concurrency/clock.ts'
import { EtnMarketError } from '../errors/base.ts'
import {
  checkCallbacks,
  checkSignal,
  checkStore,
  invalidOption,
  rejectUnknown,
  requireGlobals,
} from '../errors/input.ts'
import { fleetInternalsOf, type SharedLease } from '../fleet/fleet.ts'
import { checksumAddress, memoize } from '../utils/address.ts'
import { ASYNC_DISPOSE, callSafely, messageOf } from '../utils/runtime.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { CheckedStore } from './checked-store.ts'
import { DailyBudget } from './daily-budget.ts'
import type { FeedEvent } from './events.ts'
import { FeedClock } from './feed-clock.ts'
import { withFeedInternals } from './feed-internals.ts'
import { followPageVisibility, type PageVisibility, requireVisibility } from './page-visibility.ts'
import { SharedPrices } from './prices/shared-prices.ts'
import { PriceTable } from './prices/tracked-price.ts'
import { Backoff } from './requests/backoff.ts'
import type { RecurringRequest } from './requests/requester.ts'
import { createSend, type Send } from './requests/send.ts'
import { Schedule } from './schedule/schedule.ts'
import { explain, readStatus } from './status.ts'
import { FeedStream } from './stream/feed-stream.ts'
import type { FeedClient, FeedOptions, PriceFeed } from './types.ts'
import { watchAlerts } from './watch/alert.ts'
import { getPrices } from './watch/get-prices.ts'
import { type RunningWatch, watchPrices } from './watch/watch.ts'

const OPTIONS = ['collectMs', 'maxAgeMs', 'budget', 'store', 'fleet', 'stream', 'pauseWhenHidden', 'onEvent', 'clock']

/**
 * Creates a feed, which buys each price once for everybody who needs it, in the cheapest requests, and only as often as needed.
 * Creating it is free.
 * @example const feed = createPriceFeed(client, { budget: { creditsPerDay: 20_000 } })
 * @throws InvalidRequestError if an option is unknown or invalid.
 */
export function createPriceFeed(client: FeedClient, options: FeedOptions = {}): PriceFeed {
  rejectUnknown('feed option', options, OPTIONS)
  requireGlobals()
  const context = new FeedContext(client, options)
  const { listeners, dailyBudget, internals } = context
  const close = () => context.close()
  const methods = {
    async price(address, requestOptions = {}) {
      const prices = await getPrices([address], requestOptions, context)
      return prices[address] as NonNullable<(typeof prices)[string]>
    },
    prices: (addresses, requestOptions = {}) => getPrices(addresses, requestOptions, context) as never,
    peek(address) {
      const [checksummed = address] = context.toChecksum([address])
      return context.table.find(checksummed)?.peek(address, context.clock.now(), context.maxAgeMs)
    },
    subscribe(listener) {
      const subscription = () => callSafely(listener, undefined)
      listeners.add(subscription)
      return () => void listeners.delete(subscription)
    },
    watch: (addresses, watchOptions) => watchPrices(addresses, watchOptions, context),
    alert: (address, alertOptions) => watchAlerts(address, alertOptions, context),
    status: () => readStatus(context),
    explain: (explainOptions = {}) => explain(context, explainOptions),
    close,
    [ASYNC_DISPOSE]: close,
  } satisfies PriceFeed
  const feed = withFeedInternals(methods, context)
  if (!internals) return feed
  // What a proxy calls for the feed is paid by its budget.
  const call: typeof internals.call = (operation, params, callOptions, more) =>
    internals.call(operation, params, callOptions, { ...more, budget: dailyBudget.budget })
  return withInternals(feed, { ...internals, call })
}

/** What the parts of a feed share. Its functions may be taken apart. */
export class FeedContext {
  readonly client: FeedClient
  /** Undefined for a client that `createClient` did not make. */
  readonly internals: ClientInternals | undefined
  readonly options: FeedOptions
  readonly clock: FeedClock
  readonly lifetime = new Lifetime()
  /** What outlives the feed; undefined without a store. */
  readonly store: CheckedStore | undefined
  readonly table = new PriceTable()
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly schedule: Schedule
  readonly watches = new Set<RunningWatch>()
  /** What is requested again and again, besides prices. */
  readonly recurring = new Set<RecurringRequest>()
  readonly listeners = new Set<() => void>()
  /** What ends before `close` resolves, besides prices. */
  readonly closing = new Set<() => Promise<void>>()
  readonly send: Send
  /** How long price requests and new watches wait for others, in milliseconds. */
  readonly collectMs: number
  /** The default of a price request. */
  readonly maxAgeMs: number
  readonly #page: PageVisibility | undefined
  readonly #shared: Record<string, unknown> = {}
  readonly #checksum = memoize(checksumAddress)

  constructor(client: FeedClient, options: FeedOptions) {
    const { budget, store, stream = false, pauseWhenHidden = stream } = options
    const internals = internalsOf(client)
    if (budget && !internals) throw invalidOption('budget', budget, 'left out: the client was not made by createClient')
    checkCallbacks(options)
    checkStore('store', store, 'delete')
    const fleetLease = readSharedLease(options)
    this.client = client
    this.internals = internals
    this.options = options
    this.collectMs = readDuration('collectMs', options.collectMs ?? 5, 1_000)
    this.maxAgeMs = readDuration('maxAgeMs', options.maxAgeMs ?? 60_000, DAY_MS)
    this.clock = new FeedClock(options.clock ?? internals?.clock ?? new SystemClock())
    this.store = store && new CheckedStore(store, this)
    this.dailyBudget = new DailyBudget(options, this.clock, internals?.budget)
    this.backoff = new Backoff(this.clock, this.emit)
    this.send = createSend(client, internals, this.dailyBudget.budget)
    this.schedule = new Schedule(this, store && new SharedPrices(this, store, fleetLease))
    if (stream) this.schedule.stream = new FeedStream(this)
    if (typeof pauseWhenHidden !== 'boolean') requireVisibility('pauseWhenHidden', pauseWhenHidden, 'true, false')
    this.#page = pauseWhenHidden ? followPageVisibility(() => this.schedule.wake(), pauseWhenHidden) : undefined
    if (internals) this.#endWith(internals.closed)
  }

  readonly emit = (event: FeedEvent): void => callSafely(this.options.onEvent, event)

  readonly notify = (): void => {
    for (const listener of [...this.listeners]) listener()
  }

  /** Returns what all readers of one kind share, such as the candles that are known. It is made for the first of them. */
  readonly share = <T>(kind: string, create: () => T): T => {
    this.#shared[kind] ??= create()
    return this.#shared[kind] as T
  }

  readonly isPaused = (): boolean => this.#page?.hidden ?? false

  /** Returns the EIP-55 form of addresses; throws the client's error for an invalid one. */
  readonly toChecksum = (addresses: readonly string[]): string[] => {
    this.client.prices.batch.estimate({ addresses: addresses as string[] })
    return addresses.map(this.#checksum)
  }

  /**
   * Resolves when no timer, listener or request is left.
   * @param error why it ends, if its user has not closed it
   */
  async close(error?: { readonly reason: unknown }): Promise<void> {
    this.lifetime.end(error)
    this.listeners.clear()
    this.#page?.stop()
    this.schedule.stream?.stop()
    await Promise.all([this.schedule.stop(), ...Array.from(this.closing, (end) => end())])
    await this.dailyBudget
      .close()
      .catch((failure) => this.emit({ type: 'feed.store_failed', message: messageOf(failure) }))
  }

  /** Without its client it can request nothing. */
  #endWith(closed: CancellationSignal): void {
    const onClosed = () => void this.close(closed)
    if (closed.aborted) onClosed()
    else closed.addEventListener('abort', onClosed)
    this.lifetime.addEventListener('abort', () => closed.removeEventListener('abort', onClosed))
  }
}

/** How long the feed lives: a signal that aborts when it is closed. */
export class Lifetime extends LightAbortController {
  /** Why the feed has ended; undefined while it lives, and where its user has closed it. */
  error: { readonly reason: unknown } | undefined
  readonly #onAbort = createAbortListeners()

  /** Calls back when the signal aborts or the feed ends, with the reason unless the feed was closed. Returns a function that stops it. */
  onEnd(signal: AbortSignal | undefined, callback: (error?: { reason: unknown }) => void): () => void {
    checkSignal(signal)
    const onClose = () => callback(this.error)
    const stopListening = signal && this.#onAbort(signal, () => callback({ reason: abortReason(signal) }))
    this.addEventListener('abort', onClose)
    return () => {
      stopListening?.()
      this.removeEventListener('abort', onClose)
    }
  }

  end(error?: { readonly reason: unknown }): void {
    if (this.aborted) return
    this.error = error
    const message = 'The feed is closed. Make a new one with createPriceFeed.'
    this.abort(error ? error.reason : new EtnMarketError(message, { code: 'feed_closed' }))
  }
}

/** The lease of the fleet, if there is one. Without a shared store a member could not read what another one buys. */
function readSharedLease({ fleet, store }: FeedOptions): SharedLease | undefined {
  if (fleet === undefined) return undefined
  const internals = fleetInternalsOf(fleet)
  if (internals === undefined) throw invalidOption('fleet', fleet, 'a fleet of createRedisFleet')
  if (store === undefined) throw invalidOption('store', store, 'a store that all members of the fleet share')
  return internals.buyLease
}

function readDuration(name: string, ms: number, longest: number): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= longest) return ms
  throw invalidOption(name, ms, `a number of milliseconds from 0 to ${longest}`)
}
