import { operations } from '../generated/operations.ts'
import type { BalanceDocument, TokenPrice } from '../generated/types.ts'
import { isInteger, isObject, isString } from '../operations/type-guards.ts'
import { checksumAddress, looksLikeAddress } from '../utils/address.ts'
import { add, compareDecimals, type Decimal, formatDecimal, multiply, parseDecimal } from '../utils/decimal.ts'
import { toUnits } from '../utils/units.ts'

/** A token of a wallet, and what it is worth. Figures are exact decimal texts; null where they are not known. */
export interface ValuedToken<Info, Price> {
  /** In EIP-55 form. */
  readonly address: string
  /** In the smallest unit, as the service sends it. */
  readonly balance: string
  readonly info: Info | undefined
  readonly price: Price | undefined
  /** In whole tokens. */
  readonly amount: string | null
  readonly usd: string | null
  readonly etn: string | null
}

/** What a wallet holds, as the service recorded it. */
export interface HeldBalances {
  /** By EIP-55 token address, as the service sends them, without those of 0. */
  readonly balances: ReadonlyMap<string, string>
  readonly complete: boolean
  readonly updated: number
}

/** How many balances the service returns at most. */
export const MAX_BALANCES = operations['balances.get'].credits.maxItems

/** With `validate: 'warn'` an answer may have any shape. */
export function readBalances({ balances, updated }: BalanceDocument): HeldBalances {
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
export function valueWallet<Info extends { readonly decimals: number }, Price extends Pick<TokenPrice, 'usd' | 'etn'>>(
  balances: ReadonlyMap<string, string>,
  infoOf: (address: string) => Info | undefined,
  priceOf: (address: string) => Price | undefined,
) {
  const tokens = [...balances].map(([address, balance]): ValuedToken<Info, Price> => {
    const info = infoOf(address)
    const price = priceOf(address)
    const amount = info === undefined ? null : amountOf(balance, info.decimals)
    return { address, balance, info, price, amount, usd: times(amount, price?.usd), etn: times(amount, price?.etn) }
  })
  const usdOf = ({ usd }: (typeof tokens)[number]) => parseDecimal(usd) ?? NONE
  tokens.sort((one, other) => compareDecimals(usdOf(other), usdOf(one)))
  return { totalUsd: sumOf(tokens.map(({ usd }) => usd)), totalEtn: sumOf(tokens.map(({ etn }) => etn)), tokens }
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
