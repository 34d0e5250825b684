import { inheritInternals, internalsOf } from '../client-internals.ts'
import { systemClock } from '../concurrency/clock.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import { checksumAddress, memoize } from '../utils/address.ts'
import { ASYNC_DISPOSE } from '../utils/async-dispose.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { createCandleStore } from './candles/store.ts'
import { watchCandles } from './candles/watch-candles.ts'
import { createCheckedStore } from './checked-store.ts'
import { callSafely, type FeedEvent, messageOf } from './events.ts'
import { codeOf } from './failures.ts'
import { createFeedClock, type FeedClock } from './feed-clock.ts'
import { createLifetime, type Lifetime } from './lifetime.ts'
import { followPageVisibility } from './page-visibility.ts'
import { createTokenInfos } from './portfolio/token-info.ts'
import { watchPortfolio } from './portfolio/watch-portfolio.ts'
import { DailyBudget } from './prices/daily-budget.ts'
import { createPriceBuyer, type PriceBuyer } from './prices/price-buyer.ts'
import { createBuyLease, createPriceStore, readSharedLease } from './prices/shared-prices.ts'
import { createPriceTable } from './prices/tracked-price.ts'
import { type Backoff, createBackoff } from './requests/backoff.ts'
import { createRecurringRequests } from './requests/requester.ts'
import { createSend } from './requests/send.ts'
import { explain } from './schedule/explain.ts'
import { Schedule } from './schedule/schedule.ts'
import { FeedStream } from './stream/feed-stream.ts'
import type { FeedStreamStatus } from './stream/stream-state.ts'
import { createTrades } from './trades/trades.ts'
import type { FeedClient, FeedOptions, FeedStatus, PriceFeed } from './types.ts'
import { createAlertFunction } from './watch/alert.ts'
import { getPrices } from './watch/get-prices.ts'
import { createWatchFunction } from './watch/handle.ts'
import { createPeek } from './watch/peek.ts'
import { createWatchRegistry, type WatchRegistry } from './watch/registry.ts'

const OPTIONS = ['windowMs', 'maxAgeMs', 'budget', 'store', 'fleet', 'stream', 'pauseWhenHidden', 'onEvent', 'clock']
/** A stretch that has changed by less is not reported. */
const MIN_CHANGE = 0.05
const BLIND_STORE =
  'The store does not show what was written to it. The feed continues; several processes may buy the same price.'

/**
 * Creates a feed, which buys each price once for everybody who needs it, in the cheapest requests, and only as often as needed.
 * Creating it is free.
 * @example const feed = createPriceFeed(client, { budget: { creditsPerDay: 20_000 } })
 * @throws InvalidRequestError if an option is unknown or invalid.
 */
export function createPriceFeed(client: FeedClient, options: FeedOptions = {}): PriceFeed {
  rejectUnknown('feed option', options, OPTIONS)
  const { pauseWhenHidden = Boolean(options.stream) } = options
  const clock = createFeedClock(options.clock ?? systemClock)
  const windowMs = readDuration('windowMs', options.windowMs ?? 5)
  const maxAgeMs = readDuration('maxAgeMs', options.maxAgeMs ?? 60_000)
  const emit = (event: FeedEvent) => callSafely(options.onEvent, event)
  const checksum = memoize(checksumAddress)
  const toChecksum = (addresses: readonly string[]) => {
    // Throws the client's error for an invalid address.
    client.prices.batch.estimate({ addresses: addresses as string[] })
    return addresses.map(checksum)
  }

  if (options.budget && !internalsOf(client))
    throw invalidOption('budget', options.budget, 'left out: the client was not made by createClient')
  const sharedLease = readSharedLease(options)
  const lifetime = createLifetime()
  const { closed } = lifetime
  const table = createPriceTable()
  const dailyBudget = new DailyBudget(options, clock)
  const backoff = createBackoff(clock, emit)
  const send = createSend(client, dailyBudget.budget)
  const checked = options.store && createCheckedStore(options.store, clock, emit, closed)
  const onBlind = () => emit({ type: 'feed.store_failed', message: BLIND_STORE })
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of [...listeners]) listener()
  }
  const page = pauseWhenHidden ? followPageVisibility(() => schedule.wake()) : undefined
  const isPaused = () => page?.hidden ?? false
  let reported = { stretch: 1, atLeastStretch: 1 }
  const schedule: Schedule = new Schedule({
    clock,
    dailyBudget,
    backoff,
    windowMs,
    isShared: checked !== undefined,
    buyer: (): PriceBuyer => buyer,
    isPaused: () => isPaused() || Boolean(stream?.isLoading),
    stream: () => stream,
    onSlow: ({ address, lateAfterMs: everyMs }, leadMs) => emit({ type: 'feed.slow', address, everyMs, leadMs }),
    onStretch() {
      const { stretch, atLeastStretch, watchesPerDay: creditsPerDay } = dailyBudget
      if (!isChange(stretch, reported.stretch) && !isChange(atLeastStretch, reported.atLeastStretch)) return
      reported = { stretch, atLeastStretch }
      emit({ type: 'feed.stretched', stretch, atLeastStretch, creditsPerDay })
    },
  })
  const buyer = createPriceBuyer({
    send,
    clock,
    dailyBudget,
    backoff,
    emit,
    shared:
      options.store && checked
        ? {
            store: createPriceStore(checked, clock),
            lease: createBuyLease({ store: options.store, clock, closed, shared: sharedLease, onBlind }),
          }
        : undefined,
    closed,
    onChange: (tracked) => schedule.changed(tracked),
    onFailed: (tracked, failure) => schedule.failed(tracked, failure),
    onDelivered: notify,
    onLoaded: () => schedule.loaded(),
    onLatency: (ms) => schedule.recordLatency(ms),
    onRecovery: () => schedule.recovered(),
  })
  const stream = options.stream
    ? new FeedStream({
        client,
        clock,
        windowMs,
        buyer,
        table,
        schedule,
        isPaused,
        onState() {
          if (stream) emit({ type: 'feed.stream', ...stream.status })
          notify()
        },
      })
    : undefined
  const shared = { clock, emit, table, send, dailyBudget, backoff, schedule, lifetime, toChecksum }
  const recurring = createRecurringRequests()
  const requests = { ...shared, client, isPaused, recurring }
  const candles = createCandleStore(checked, clock)
  const storeParts = options.store && checked && { store: options.store, checked, clock, emit }
  const trades = createTrades({ ...shared, client, storeParts, isPaused })
  const watches = createWatchRegistry(shared)
  const tokens = createTokenInfos(checked, clock)
  const watch = createWatchFunction({ ...shared, registry: watches })
  const wallets = { ...requests, tokens, holdings: new Map(), watch }
  const request = (addresses: readonly string[], requestOptions = {}) =>
    getPrices(addresses, requestOptions, { ...shared, maxAgeMs })

  const close = async () => {
    lifetime.end()
    listeners.clear()
    page?.stop()
    stream?.stop()
    await Promise.all([schedule.stop(), trades.stop()])
    await dailyBudget.flush().catch((error) => emit({ type: 'feed.store_failed', message: messageOf(error) }))
  }
  const feed = {
    async price(address, requestOptions) {
      const prices = await request([address], requestOptions)
      return prices[address] as NonNullable<(typeof prices)[string]>
    },
    prices: (addresses, requestOptions) => request(addresses, requestOptions) as never,
    peek: createPeek({ ...shared, maxAgeMs }),
    subscribe(listener) {
      const subscription = () => callSafely(listener, undefined)
      listeners.add(subscription)
      return () => void listeners.delete(subscription)
    },
    watch,
    alert: createAlertFunction({ ...shared, registry: watches }),
    portfolio: (wallet, portfolioOptions) => watchPortfolio(wallet, portfolioOptions, wallets),
    watchCandles: (address, candleOptions) => watchCandles(address, candleOptions, { ...requests, candles }),
    trades: trades.follow,
    status: createStatus({
      ...shared,
      watches,
      hasBudget: options.budget !== undefined,
      isPaused,
      streamStatus: () => stream?.status,
    }),
    explain: ({ calls = 10 } = {}) =>
      explain(shared, watches.planned(), [...recurring.list(), ...trades.planned()], calls),
    close,
    [ASYNC_DISPOSE]: close,
  } satisfies PriceFeed
  return inheritInternals(client, feed)
}

/** A stretch that ends is a change, however small it was. */
const isChange = (now: number, before: number) =>
  Math.abs(now / before - 1) > MIN_CHANGE || (now === 1) !== (before === 1)

function readDuration(name: string, ms: number): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= DAY_MS) return ms
  throw invalidOption(name, ms, 'a number of milliseconds from 0 to a day')
}

export interface StatusParts {
  readonly clock: FeedClock
  readonly schedule: Schedule
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly watches: WatchRegistry
  readonly lifetime: Lifetime
  /** Whether the options say what the feed may spend. */
  readonly hasBudget: boolean
  isPaused(): boolean
  /** The state of the stream; undefined for a feed that buys. */
  streamStatus(): FeedStreamStatus | undefined
}

export function createStatus(parts: StatusParts): () => FeedStatus {
  const { clock, schedule, dailyBudget, backoff, watches } = parts
  return () => {
    const state = stateOf(parts)
    const isWaiting = state === 'waiting' || state === 'stopped'
    schedule.settle()
    return {
      state,
      until: isWaiting ? clock.toUnix(backoff.until) : undefined,
      reason: isWaiting ? codeOf(backoff.failure?.error) : undefined,
      stretch: dailyBudget.stretch,
      atLeastStretch: dailyBudget.atLeastStretch,
      creditsPerDay: Math.round(schedule.timetable.creditsPerDay),
      limit: parts.hasBudget ? dailyBudget.budget.limit : undefined,
      spent: dailyBudget.spent,
      projected: dailyBudget.projected,
      watches: watches.size,
      addresses: schedule.watched.size,
      stream: parts.streamStatus(),
    }
  }
}

function stateOf({ lifetime, backoff, watches, isPaused }: StatusParts): FeedStatus['state'] {
  if (lifetime.signal.aborted) return 'closed'
  if (isPaused()) return 'paused'
  if (backoff.state !== 'none') return backoff.state
  return watches.size > 0 ? 'running' : 'idle'
}
