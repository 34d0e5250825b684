/**
 * New trades of a token, or of all tokens, over a price feed: bought once for all readers, each trade yielded once.
 *
 * @module etn-market/trades
 */

export { followTrades, type TradesOptions } from './follow-trades.ts'
