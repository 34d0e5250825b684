import type { BalanceDocument } from '../../generated/types.ts'
import { isInteger, isObject, isString } from '../../operations/type-guards.ts'
import { checksumAddress, looksLikeAddress } from '../../utils/address.ts'
import { add, compareDecimals, type Decimal, formatDecimal, multiply, parseDecimal } from '../../utils/decimal.ts'
import { toUnits } from '../../utils/units.ts'
import type { FeedPrice } from '../watch/types.ts'
import type { TokenInfo } from './token-info.ts'
import type { Portfolio, PortfolioPosition } from './types.ts'

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
  { at, requestedAt, credits }: Pick<Holdings, 'at' | 'requestedAt' | 'credits'>,
): Holdings {
  const entries = Object.entries(document.balances)
  const balances = new Map<string, string>()
  for (const [key, entry] of entries) {
    const address = looksLikeAddress(key) ? checksumAddress(key) : key
    const balance = isObject(entry) && isString(entry.balance) ? entry.balance : ''
    if (amountOf(balance, 0) !== '0') balances.set(address, balance)
  }
  const updated = isInteger(document.updated) ? document.updated : 0
  const addresses = [...balances.keys()].filter(looksLikeAddress)
  return { balances, addresses, complete: entries.length < MAX_BALANCES, updated, at, requestedAt, credits }
}

/** The exact amount in whole tokens; null for what is no amount. */
function amountOf(balance: string, decimals: number): string | null {
  return /^0x[0-9a-f]{1,64}$/i.test(balance) ? toUnits(balance, decimals) : null
}

export function summarize(
  wallet: string,
  { balances, complete, updated, requestedAt }: Holdings,
  infoOf: (address: string) => TokenInfo | undefined,
  priceOf: (address: string) => FeedPrice | undefined,
  isBehind: boolean,
): Portfolio {
  const valued = [...balances].map(([address, balance]) =>
    evaluate(address, balance, infoOf(address), priceOf(address)),
  )
  valued.sort((one, other) => compareDecimals(other.usd ?? NONE, one.usd ?? NONE))
  return {
    wallet,
    totalUsd: sumOf(valued.map(({ usd }) => usd)),
    totalEtn: sumOf(valued.map(({ etn }) => etn)),
    positions: valued.map(({ position }) => position),
    unpriced: valued.filter(({ usd, etn }) => !usd || !etn).map(({ position }) => position.address),
    complete,
    updated,
    at: requestedAt,
    stale: isBehind || valued.some(({ position }) => position.price?.stale === true),
  }
}

/** Below every value, so that positions without one are last. */
const NONE: Decimal = { digits: -1n, scale: 0 }

interface ValuedPosition {
  readonly position: PortfolioPosition
  readonly usd: Decimal | undefined
  readonly etn: Decimal | undefined
}

function evaluate(
  address: string,
  balance: string,
  info: TokenInfo | undefined,
  price: FeedPrice | undefined,
): ValuedPosition {
  const amount = info === undefined ? null : amountOf(balance, info.decimals)
  const units = parseDecimal(amount)
  const times = (text: string | null | undefined) => {
    const rate = parseDecimal(text)
    return units && rate && multiply(units, rate)
  }
  const usd = times(price?.usd)
  const etn = times(price?.etn)
  const { symbol = null, name = null, decimals = null } = info ?? {}
  const values = { usd: usd ? formatDecimal(usd) : null, etn: etn ? formatDecimal(etn) : null }
  return { usd, etn, position: { address, symbol, name, decimals, balance, amount, ...values, price: price ?? null } }
}

function sumOf(values: readonly (Decimal | undefined)[]): string {
  const zero: Decimal = { digits: 0n, scale: 0 }
  return formatDecimal(values.reduce<Decimal>((sum, value) => (value ? add(sum, value) : sum), zero))
}
