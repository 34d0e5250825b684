import type { OperationId } from 'etn-market'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** By how fast the data moves and what it costs: prices change with each block, lists over days. Milliseconds. */
export const STALE_TIMES: Readonly<Record<OperationId, number>> = {
  'account.me': 5 * SECOND,
  'etn.price': 15 * SECOND,
  'token.price': 15 * SECOND,
  'prices.batch': 15 * SECOND,
  'trade.list': 15 * SECOND,
  'token.candles': 30 * SECOND,
  'balances.get': 30 * SECOND,
  'token.get': MINUTE,
  'token.history': MINUTE,
  'pool.list': MINUTE,
  'presale.list': MINUTE,
  'presale.get': MINUTE,
  'nft.stats': 5 * MINUTE,
  'nft.collection': 5 * MINUTE,
  'nft.assets': 5 * MINUTE,
  'locks.get': 5 * MINUTE,
  'farm.list': 5 * MINUTE,
  'token.list': 10 * MINUTE,
  'nft.collections': 10 * MINUTE,
  'meta.openapi': 24 * HOUR,
}
