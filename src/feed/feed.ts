import { inheritInternals } from '../client-internals.ts'
import { systemClock } from '../concurrency/clock.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import { checksumAddress, memoize } from '../utils/address.ts'
import { ASYNC_DISPOSE } from '../utils/async-dispose.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { createCandleStore } from './candles/store.ts'
import { watchCandles } from './candles/watch-candles.ts'
import { callSafely, type FeedEvent, messageOf } from './events.ts'
import { createFeedClock } from './feed-clock.ts'
import { createLifetime } from './lifetime.ts'
import { followPageVisibility } from './page-visibility.ts'
import { createTokenInfos } from './portfolio/token-info.ts'
import { watchPortfolio } from './portfolio/watch-portfolio.ts'
import { createCheckedStore } from './prices/checked-store.ts'
import { createDailyBudget } from './prices/daily-budget.ts'
import { readSharedLease } from './prices/lease.ts'
import { createPriceFetcher } from './prices/price-fetcher.ts'
import { createPriceStore } from './prices/price-store.ts'
import { createPriceTable } from './prices/price-table.ts'
import type { TrackedPrice } from './prices/tracked-price.ts'
import { createBackoff } from './requests/backoff.ts'
import { createRecurringRequests } from './requests/recurring-requests.ts'
import { createRuleChoice } from './schedule/choose-rule.ts'
import { createCostForecast } from './schedule/cost-forecast.ts'
import { createDueTimes } from './schedule/due-times.ts'
import { explain } from './schedule/explain.ts'
import { createLeadTime } from './schedule/lead-time.ts'
import { createScheduler } from './schedule/scheduler.ts'
import { costOfGuarantees, solveStretch } from './schedule/solve-stretch.ts'
import { createTokenBucket } from './schedule/token-bucket.ts'
import { createStatus } from './status.ts'
import { loadStreams } from './stream/load-streams.ts'
import { createTrades } from './trades/trades.ts'
import type { FeedClient, FeedOptions, PriceFeed } from './types.ts'
import { createAlertFunction } from './watch/alert.ts'
import { getPrices } from './watch/get-prices.ts'
import { createWatchFunction } from './watch/handle.ts'
import { createPeek } from './watch/peek.ts'
import { createWatchRegistry } from './watch/registry.ts'

const OPTIONS = ['windowMs', 'maxAgeMs', 'budget', 'store', 'fleet', 'stream', 'pauseWhenHidden', 'onEvent', 'clock']
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

  const sharedLease = readSharedLease(options)
  const lifetime = createLifetime()
  const table = createPriceTable()
  const dueTimes = createDueTimes()
  const dailyBudget = createDailyBudget({
    options: options.budget,
    store: options.store,
    clock,
    costOfGuarantees: (allowance, bought) => costOfGuarantees(dueTimes.demand.addresses(), allowance, bought),
    solveStretch(allowance) {
      const addresses = dueTimes.demand.addresses()
      return solveStretch({ addresses, allowance, factor: forecast.factor, current: dueTimes.stretch })
    },
    onStretch: () => onStretch(),
  })
  const bucket = createTokenBucket()
  const backoff = createBackoff(clock, emit)
  const applyTiming = () => {
    const { stretch, atLeastStretch } = dailyBudget
    dueTimes.setTiming({ stretch, atLeastStretch }, leadTime.ms)
    bucket.setLeadTime(leadTime.ms)
  }
  let slowLeadMs: number | undefined
  const onSlow = ({ address, lateAfterMs: everyMs }: TrackedPrice) => {
    if (slowLeadMs === leadTime.ms) return
    slowLeadMs = leadTime.ms
    emit({ type: 'feed.slow', address, everyMs, leadMs: leadTime.ms })
  }
  const onStretch = () => {
    applyTiming()
    const { stretch, atLeastStretch } = dailyBudget
    emit({ type: 'feed.stretched', stretch, atLeastStretch, creditsPerDay: forecast.creditsPerDay() })
  }
  const leadTime = createLeadTime(applyTiming)
  const rules = createRuleChoice({ dueTimes, bucket })
  const forecast = createCostForecast({ clock, dueTimes, bucket })
  const checked = options.store && createCheckedStore(options.store, clock, emit, lifetime.closed)
  const onBlind = () => emit({ type: 'feed.store_failed', message: BLIND_STORE })
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of [...listeners]) listener()
  }
  const onStreamStatus = () => {
    if (streams) emit({ type: 'feed.stream', ...streams.status })
    notify()
  }
  const fetcher = createPriceFetcher({
    client,
    clock,
    dailyBudget,
    backoff,
    emit,
    store:
      options.store &&
      checked &&
      createPriceStore({ store: options.store, clock, checked, closed: lifetime.closed, shared: sharedLease, onBlind }),
    signal: lifetime.signal,
    reserveExtra(credits) {
      const isCovered = bucket.covers(credits, clock.now())
      if (isCovered) bucket.spend(credits, clock.now())
      return isCovered
    },
    schedule: dueTimes.schedule,
    onLatency: leadTime.record,
    onDelivered: notify,
    onRecovery: dueTimes.retryMaybeCharged,
  })
  const page = pauseWhenHidden ? followPageVisibility(() => scheduler.wake()) : undefined
  const isPaused = () => page?.hidden ?? false
  const streams = options.stream
    ? loadStreams({
        client,
        clock,
        windowMs,
        fetcher,
        table,
        dueTimes,
        isPaused,
        onStatus: onStreamStatus,
      })
    : undefined
  const plainScheduler = createScheduler({
    clock,
    dueTimes,
    dailyBudget,
    bucket,
    backoff,
    forecast,
    rules,
    fetcher: streams?.fetcher ?? fetcher,
    windowMs,
    isPaused: () => isPaused() || Boolean(streams?.isLoading),
    onSlow,
    onStretch,
  })
  const scheduler = streams?.follow(plainScheduler) ?? plainScheduler
  const shared = {
    clock,
    emit,
    table,
    dueTimes,
    dailyBudget,
    bucket,
    leadTime,
    backoff,
    forecast,
    rules,
    scheduler,
    lifetime,
    toChecksum,
  }
  const recurring = createRecurringRequests()
  const requests = { ...shared, client, isPaused, recurring }
  const candles = createCandleStore(checked, clock)
  const storeParts = options.store && checked && { store: options.store, checked, clock, emit }
  const trades = createTrades({ ...shared, client, storeParts, isPaused })
  const watches = createWatchRegistry({ ...shared, windowMs })
  const tokens = createTokenInfos(client, checked, clock)
  const watch = createWatchFunction({ ...shared, registry: watches })
  const wallets = { ...requests, tokens, holdings: new Map(), watch }
  const request = (addresses: readonly string[], requestOptions = {}) =>
    getPrices(addresses, requestOptions, { ...shared, maxAgeMs })

  const close = async () => {
    lifetime.end()
    listeners.clear()
    page?.stop()
    streams?.stop()
    await Promise.all([scheduler.stop(), trades.stop()])
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
      streamStatus: () => streams?.status,
    }),
    explain: ({ calls = 10 } = {}) =>
      explain(shared, watches.planned(), [...recurring.list(), ...trades.planned()], calls),
    close,
    [ASYNC_DISPOSE]: close,
  } satisfies PriceFeed
  return inheritInternals(client, feed)
}

function readDuration(name: string, ms: number): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= DAY_MS) return ms
  throw invalidOption(name, ms, 'a number of milliseconds from 0 to a day')
}
