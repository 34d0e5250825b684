import { inheritInternals, internalsOf } from '../client-internals.ts'
import { systemClock } from '../concurrency/clock.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import { checksumAddress, memoize } from '../utils/address.ts'
import { ASYNC_DISPOSE } from '../utils/runtime.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { CandleWatches } from './candles/watch-candles.ts'
import { CheckedStore } from './checked-store.ts'
import { type FeedContext, Lifetime } from './context.ts'
import { DailyBudget } from './daily-budget.ts'
import type { FeedEvent } from './events.ts'
import { callSafely, messageOf } from './failures.ts'
import { createFeedClock } from './feed-clock.ts'
import { followPageVisibility } from './page-visibility.ts'
import { Portfolios } from './portfolio/watch-portfolio.ts'
import { PriceBuyer } from './prices/price-buyer.ts'
import { readSharedLease, SharedPrices } from './prices/shared-prices.ts'
import { PriceTable } from './prices/tracked-price.ts'
import { Backoff } from './requests/backoff.ts'
import { createSend } from './requests/send.ts'
import { Schedule } from './schedule/schedule.ts'
import { explain, readStatus } from './status.ts'
import { FeedStream } from './stream/feed-stream.ts'
import { Trades } from './trades/trades.ts'
import type { FeedClient, FeedOptions, PriceFeed } from './types.ts'
import { watchAlerts } from './watch/alert.ts'
import { createPeek, getPrices } from './watch/get-prices.ts'
import { watchPrices } from './watch/watch.ts'

const OPTIONS = ['windowMs', 'maxAgeMs', 'budget', 'store', 'fleet', 'stream', 'pauseWhenHidden', 'onEvent', 'clock']

/**
 * Creates a feed, which buys each price once for everybody who needs it, in the cheapest requests, and only as often as needed.
 * Creating it is free.
 * @example const feed = createPriceFeed(client, { budget: { creditsPerDay: 20_000 } })
 * @throws InvalidRequestError if an option is unknown or invalid.
 */
export function createPriceFeed(client: FeedClient, options: FeedOptions = {}): PriceFeed {
  rejectUnknown('feed option', options, OPTIONS)
  const { store, budget, pauseWhenHidden = Boolean(options.stream) } = options
  const clock = createFeedClock(options.clock ?? systemClock)
  const windowMs = readDuration('windowMs', options.windowMs ?? 5)
  const maxAgeMs = readDuration('maxAgeMs', options.maxAgeMs ?? 60_000)
  const emit = (event: FeedEvent) => callSafely(options.onEvent, event)
  const checksum = memoize(checksumAddress)
  if (budget && !internalsOf(client))
    throw invalidOption('budget', budget, 'left out: the client was not made by createClient')
  const fleetLease = readSharedLease(options)

  const lifetime = new Lifetime()
  const page = pauseWhenHidden ? followPageVisibility(() => schedule.wake()) : undefined
  const dailyBudget = new DailyBudget(options, clock)
  const listeners = new Set<() => void>()
  const context: FeedContext = {
    client,
    clock,
    lifetime,
    store,
    checkedStore: store && new CheckedStore(store, { clock, emit, lifetime }),
    table: new PriceTable(),
    dailyBudget,
    backoff: new Backoff(clock, emit),
    recurring: new Set(),
    watches: new Set(),
    get schedule(): Schedule {
      return schedule
    },
    get buyer(): PriceBuyer {
      return buyer
    },
    send: createSend(client, dailyBudget.budget),
    windowMs,
    maxAgeMs,
    emit,
    notify() {
      for (const listener of [...listeners]) listener()
    },
    isPaused: () => page?.hidden ?? false,
    toChecksum(addresses) {
      // Throws the client's error for an invalid address.
      client.prices.batch.estimate({ addresses: addresses as string[] })
      return addresses.map(checksum)
    },
  }
  const buyer = new PriceBuyer(context, store && new SharedPrices(context, store, fleetLease))
  const schedule = new Schedule(context)
  if (options.stream) schedule.stream = new FeedStream(context)
  const candles = new CandleWatches(context)
  const portfolios = new Portfolios(context)
  const trades = new Trades(context)

  const close = async () => {
    lifetime.end()
    listeners.clear()
    page?.stop()
    schedule.stream?.stop()
    await Promise.all([schedule.stop(), trades.stop()])
    await dailyBudget.flush().catch((error) => emit({ type: 'feed.store_failed', message: messageOf(error) }))
  }
  const feed = {
    async price(address, requestOptions = {}) {
      const prices = await getPrices([address], requestOptions, context)
      return prices[address] as NonNullable<(typeof prices)[string]>
    },
    prices: (addresses, requestOptions = {}) => getPrices(addresses, requestOptions, context) as never,
    peek: createPeek(context),
    subscribe(listener) {
      const subscription = () => callSafely(listener, undefined)
      listeners.add(subscription)
      return () => void listeners.delete(subscription)
    },
    watch: (addresses, watchOptions) => watchPrices(addresses, watchOptions, context),
    alert: (address, alertOptions) => watchAlerts(address, alertOptions, context),
    portfolio: (wallet, portfolioOptions) => portfolios.watch(wallet, portfolioOptions),
    watchCandles: (address, candleOptions) => candles.watch(address, candleOptions),
    trades: (tradesOptions) => trades.follow(tradesOptions),
    status: () => readStatus(context, budget !== undefined),
    explain: ({ calls = 10 } = {}) => explain(context, calls),
    close,
    [ASYNC_DISPOSE]: close,
  } satisfies PriceFeed
  return inheritInternals(client, feed)
}

function readDuration(name: string, ms: number): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= DAY_MS) return ms
  throw invalidOption(name, ms, 'a number of milliseconds from 0 to a day')
}
