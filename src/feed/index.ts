export type * from './events.ts'
export type { FeedPlan, PlannedPurchase, PlannedRate } from './explain.ts'
export { createPriceFeed } from './feed.ts'
export type * from './types.ts'
