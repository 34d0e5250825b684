import { withInternals } from '../client/client-internals.ts'
import { rejectUnknown, requireGlobals } from '../errors/input.ts'
import { ASYNC_DISPOSE } from '../utils/runtime.ts'
import { FeedContext } from './context.ts'
import { callSafely } from './failures.ts'
import { withFeedInternals } from './feed-internals.ts'
import { explain, readStatus } from './status.ts'
import type { FeedClient, FeedOptions, PriceFeed } from './types.ts'
import { watchAlerts } from './watch/alert.ts'
import { getPrices } from './watch/get-prices.ts'
import { watchPrices } from './watch/watch.ts'

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
