import { systemClock } from '../concurrency/clock.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import { checksumAddress, memoize } from '../utils/address.ts'
import { ASYNC_DISPOSE } from '../utils/async-dispose.ts'
import { getPrices } from './consumers/get-prices.ts'
import { createLifetime } from './consumers/lifetime.ts'
import { followPageVisibility } from './consumers/page-visibility.ts'
import { createPeek } from './consumers/peek.ts'
import { createStatus } from './consumers/status.ts'
import { createTradeStore } from './consumers/trade-store.ts'
import { createTrades } from './consumers/trades.ts'
import { createWatchRegistry } from './consumers/watch-registry.ts'
import { callSafely, type FeedEvent, messageOf } from './events.ts'
import { createBackoff } from './prices/backoff.ts'
import { createDailyBudget, DAY_MS } from './prices/daily-budget.ts'
import { createPriceFetcher } from './prices/price-fetcher.ts'
import { createPriceStore } from './prices/price-store.ts'
import { createPriceTable } from './prices/price-table.ts'
import { createCostForecast } from './schedule/cost-forecast.ts'
import { createDueTimes } from './schedule/due-times.ts'
import { explain } from './schedule/explain.ts'
import { createLeadTime } from './schedule/lead-time.ts'
import { createScheduler } from './schedule/scheduler.ts'
import { createTokenBucket } from './schedule/token-bucket.ts'
import type { FeedClient, FeedOptions, PriceFeed } from './types.ts'

const OPTIONS = ['windowMs', 'maxAgeMs', 'budget', 'store', 'pauseWhenHidden', 'onEvent', 'clock']

/**
 * Creates a feed, which buys each price once for everybody who needs it, in the cheapest requests, and only as often as needed.
 * Creating it is free.
 * @example const feed = createPriceFeed(client, { budget: { creditsPerDay: 20_000 } })
 * @throws InvalidRequestError if an option is unknown or invalid.
 */
export function createPriceFeed(client: FeedClient, options: FeedOptions = {}): PriceFeed {
  rejectUnknown('feed option', options, OPTIONS)
  const { clock = systemClock, pauseWhenHidden = false } = options
  const windowMs = readDuration('windowMs', options.windowMs ?? 5)
  const maxAgeMs = readDuration('maxAgeMs', options.maxAgeMs ?? 60_000)
  const emit = (event: FeedEvent) => callSafely(options.onEvent, event)
  const checksum = memoize(checksumAddress)
  const toChecksum = (addresses: readonly string[]) => {
    // Throws the client's error for an invalid address.
    client.prices.batch.estimate({ addresses: addresses as string[] })
    return addresses.map(checksum)
  }

  const lifetime = createLifetime()
  const table = createPriceTable()
  const dueTimes = createDueTimes()
  const dailyBudget = createDailyBudget({
    options: options.budget,
    store: options.store,
    clock,
    onStretch() {
      applyTiming()
      emit({ type: 'feed.stretched', stretch: dailyBudget.stretch, creditsPerDay: forecast.creditsPerDay() })
    },
  })
  const bucket = createTokenBucket()
  const backoff = createBackoff(clock, emit)
  const applyTiming = () => {
    dueTimes.setTiming(dailyBudget.stretch, leadTime.ms)
    bucket.setLeadTime(leadTime.ms)
  }
  const leadTime = createLeadTime(applyTiming)
  const forecast = createCostForecast({ clock, dueTimes, bucket })
  const listeners = new Set<() => void>()
  const fetcher = createPriceFetcher({
    client,
    clock,
    dailyBudget,
    backoff,
    emit,
    store: options.store && createPriceStore(options.store, clock, emit),
    signal: lifetime.signal,
    covers: (credits) => bucket.covers(credits, clock.now()),
    schedule: dueTimes.schedule,
    onLatency: leadTime.record,
    onDelivered() {
      for (const listener of [...listeners]) listener()
    },
    onRecovery: dueTimes.retryWasted,
  })
  const page = pauseWhenHidden ? followPageVisibility(() => scheduler.wake()) : undefined
  const isPaused = () => page?.hidden ?? false
  const scheduler = createScheduler({
    clock,
    dueTimes,
    dailyBudget,
    bucket,
    backoff,
    forecast,
    fetcher,
    windowMs,
    isPaused,
    applyTiming,
    emit,
  })
  const shared = {
    clock,
    emit,
    table,
    dueTimes,
    dailyBudget,
    bucket,
    backoff,
    forecast,
    scheduler,
    lifetime,
    toChecksum,
  }
  const tradeStore = options.store && createTradeStore(options.store, clock, emit)
  const trades = createTrades({ ...shared, client, store: tradeStore, isPaused })
  const watches = createWatchRegistry({ ...shared, windowMs })
  const request = (addresses: readonly string[], requestOptions = {}) =>
    getPrices(addresses, requestOptions, { ...shared, maxAgeMs })

  const close = async () => {
    lifetime.end()
    listeners.clear()
    page?.stop()
    await Promise.all([scheduler.stop(), trades.stop()])
    await dailyBudget.flush().catch((error) => emit({ type: 'feed.store_failed', message: messageOf(error) }))
  }
  return {
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
    watch: watches.watch,
    trades: trades.follow,
    status: createStatus({ ...shared, watches, isPaused }),
    explain: ({ calls = 10 } = {}) => explain(shared, watches.planned(), calls),
    close,
    [ASYNC_DISPOSE]: close,
  }
}

function readDuration(name: string, ms: number): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= DAY_MS) return ms
  throw invalidOption(name, ms, 'a number of milliseconds from 0 to a day')
}
