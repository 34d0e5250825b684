import type { FakeService } from 'etn-market/fake'
import type { FeedEvent, PriceFeed } from 'etn-market/feed'

/** The share of the tokens that move after a purchase. */
const MOVING = 0.35
/** A price strays at most so far from where it began. */
const MAX_CHANGE = 0.03
const MOVE_MS = 2_000

/** Returns a listener for the feed that moves some of the prices that were just bought, so that there is something to see. */
export function createPriceMover(fake: FakeService, feedOf: () => Pick<PriceFeed, 'peek'>): (event: FeedEvent) => void {
  const firstPrices = new Map<string, number>()
  return (event) => {
    if (event.type !== 'feed.bought') return
    for (const address of event.addresses) {
      const first = firstPrices.get(address) ?? Number(feedOf().peek(address)?.usd ?? 0)
      if (first === 0 || Math.random() > MOVING) continue
      firstPrices.set(address, first)
      fake.world.setPrice(address, first * (1 + MAX_CHANGE * (2 * Math.random() - 1)), { overMs: MOVE_MS })
    }
  }
}
