import { invalidOption } from '../errors/input.ts'
import type { FeedContext } from './feed.ts'
import type { PriceFeed } from './types.ts'

/** What other entries of this package need of a feed, and its users do not. */
export type FeedInternals = RequestingFeed &
  Pick<FeedContext, 'client' | 'lifetime' | 'store' | 'recurring' | 'closing' | 'share' | 'toChecksum'>

/** What it takes to make requests within the budget of a feed, beside its prices. */
export type RequestingFeed = Pick<FeedContext, 'clock' | 'send' | 'dailyBudget' | 'backoff' | 'emit' | 'isPaused'>

/** Registered, because an application may load the ES module and the CommonJS copy of the package. */
const INTERNALS = Symbol.for('etn-market.feed')

/** Adds the internals of a feed. */
export function withFeedInternals<Feed extends PriceFeed>(feed: Feed, internals: FeedInternals): Feed {
  return Object.assign(feed, { [INTERNALS]: () => internals })
}

/** The internals of a feed. @throws InvalidRequestError for anything else */
export function feedInternalsOf(feed: PriceFeed): FeedInternals {
  const internals = (Object(feed) as { [INTERNALS]?: () => FeedInternals })[INTERNALS]?.()
  if (internals === undefined) throw invalidOption('feed', feed, 'a feed of createPriceFeed')
  return internals
}
