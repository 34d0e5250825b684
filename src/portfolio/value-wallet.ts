import { operations } from '../generated/operations.ts'
import type { BalanceDocument, TokenPrice } from '../generated/types.ts'
import { isInteger, isObject, isString } from '../operations/type-guards.ts'
import { checksumAddress, looksLikeAddress } from '../utils/address.ts'
import { add, compareDecimals, type Decimal, formatDecimal, multiply, parseDecimal } from '../utils/decimal.ts'
import { toUnits } from '../utils/units.ts'
import type { TokenInfo } from './token-info.ts'

export type HeldBalances = Readonly<ReturnType<typeof readBalances>>

/** How many balances the service returns at most. */
export const MAX_BALANCES = operations['balances.get'].credits.maxItems

/** What a wallet holds, by EIP-55 token address, without balances of 0. With `validate: 'warn'` an answer may have any shape. */
export function readBalances({ balances, updated }: BalanceDocument) {
  const held = new Map<string, string>()
  for (const [key, entry] of Object.entries(balances)) {
    const address = looksLikeAddress(key) ? checksumAddress(key) : key
    const balance = isObject(entry) && isString(entry.balance) ? entry.balance : ''
    if (amountOf(balance, 0) !== '0') held.set(address, balance)
  }
  const complete = Object.keys(balances).length < MAX_BALANCES
  return { balances: held, complete, updated: isInteger(updated) ? updated : 0 }
}

/** Values the balances of a wallet, the highest value in USD first. Both functions return undefined for what is not known. */
export function valueWallet<Price extends Pick<TokenPrice, 'usd' | 'etn'>>(
  balances: ReadonlyMap<string, string>,
  infoOf: (address: string) => TokenInfo | undefined,
  priceOf: (address: string) => Price | undefined,
) {
  const positions = [...balances].map(([address, balance]) => {
    const { symbol = null, name = null, decimals = null } = infoOf(address) ?? {}
    const price = priceOf(address) ?? null
    const amount = decimals === null ? null : amountOf(balance, decimals)
    const [usd, etn] = [times(amount, price?.usd), times(amount, price?.etn)]
    return { address, symbol, name, decimals, balance, amount, usd, etn, price }
  })
  const usdOf = ({ usd }: (typeof positions)[number]) => parseDecimal(usd) ?? NONE
  positions.sort((one, other) => compareDecimals(usdOf(other), usdOf(one)))
  return {
    totalUsd: sumOf(positions.map(({ usd }) => usd)),
    totalEtn: sumOf(positions.map(({ etn }) => etn)),
    positions,
  }
}

/** Below every value, so that tokens without one are last. */
const NONE: Decimal = { digits: -1n, scale: 0 }
const ZERO: Decimal = { digits: 0n, scale: 0 }

/** The exact amount in whole tokens; null for what is no amount. */
function amountOf(balance: string, decimals: number): string | null {
  return /^0x[0-9a-f]{1,64}$/i.test(balance) ? toUnits(balance, decimals) : null
}

function times(amount: string | null, rate: string | null | undefined): string | null {
  const [one, other] = [parseDecimal(amount), parseDecimal(rate)]
  return one === undefined || other === undefined ? null : formatDecimal(multiply(one, other))
}

function sumOf(values: readonly (string | null)[]): string {
  return formatDecimal(values.reduce((sum, value) => add(sum, parseDecimal(value) ?? ZERO), ZERO))
}
