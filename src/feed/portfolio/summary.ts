import type { BalanceDocument } from '../../generated/types.ts'
import { isInteger, isObject } from '../../operations/type-guards.ts'
import { looksLikeAddress } from '../../utils/address.ts'
import type { FeedPrice } from '../watch/types.ts'
import type { TokenInfo } from './token-info.ts'
import type { Portfolio } from './types.ts'
import { heldBalances, type TokenLookUps, valueWallet } from './value-wallet.ts'

/** The balances of a wallet, as they were last requested. */
export interface Holdings {
  /** By EIP-55 token address, as the service sends them, without those of 0. */
  readonly balances: ReadonlyMap<string, string>
  /** The tokens that can be looked up: keys that are addresses. */
  readonly addresses: readonly string[]
  readonly complete: boolean
  readonly updated: number
  /** When they were requested, by the clock of the feed. */
  readonly at: number
  /** The same moment in unix milliseconds. */
  readonly requestedAt: number
  /** What the request was charged. */
  readonly credits: number
}

/** The largest page. */
export const MAX_BALANCES = 200

/** With `validate: 'warn'` an answer may have any shape. */
export function isBalanceDocument(value: unknown): boolean {
  return isObject(value) && isObject(value.balances)
}

export function readHoldings(
  document: BalanceDocument,
  request: Pick<Holdings, 'at' | 'requestedAt' | 'credits'>,
): Holdings {
  const balances = heldBalances(document)
  const updated = isInteger(document.updated) ? document.updated : 0
  const addresses = [...balances.keys()].filter(looksLikeAddress)
  const complete = Object.keys(document.balances).length < MAX_BALANCES
  return { balances, addresses, complete, updated, ...request }
}

export function summarize(
  wallet: string,
  { balances, complete, updated, requestedAt }: Holdings,
  lookUps: TokenLookUps<TokenInfo, FeedPrice>,
  isBehind: boolean,
): Portfolio {
  const { totalUsd, totalEtn, tokens } = valueWallet(balances, lookUps)
  const positions = tokens.map(({ address, balance, info, price = null, amount, usd, etn }) => {
    const { symbol = null, name = null, decimals = null } = info ?? {}
    return { address, symbol, name, decimals, balance, amount, usd, etn, price }
  })
  return {
    wallet,
    totalUsd,
    totalEtn,
    positions,
    unpriced: positions.filter(({ usd, etn }) => usd === null || etn === null).map(({ address }) => address),
    complete,
    updated,
    at: requestedAt,
    stale: isBehind || positions.some(({ price }) => price?.stale === true),
  }
}
