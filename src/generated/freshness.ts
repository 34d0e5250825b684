// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import type { OperationId } from './operations.ts'

/** For how long an answer of each operation is shown before it is bought again, milliseconds; 0 for never. */
export const FRESHNESS_MS: Readonly<Record<OperationId, number>> = {
  'etn.price': 15000,
  'prices.batch': 15000,
  'token.price': 15000,
  'token.list': 600000,
  'token.get': 60000,
  'token.candles': 30000,
  'token.history': 60000,
  'pool.list': 60000,
  'trade.list': 15000,
  'nft.stats': 300000,
  'nft.collections': 600000,
  'nft.collection': 300000,
  'nft.assets': 300000,
  'presale.list': 60000,
  'presale.get': 60000,
  'balances.get': 30000,
  'locks.get': 300000,
  'farm.list': 300000,
  'account.me': 0,
  'meta.openapi': 86400000,
}
