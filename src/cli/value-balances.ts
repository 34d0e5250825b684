import { type BalanceDocument, type TokenPrice, toUnits } from 'etn-market'
import { add, compareDecimals, type Decimal, formatDecimal, multiply, parseDecimal } from '../utils/decimal.ts'
import type { Tokens } from './tokens.ts'

/** What a wallet holds of one token. Figures are exact decimal texts. */
export interface Position {
  readonly address: string
  readonly symbol: string | null
  /** In whole tokens; null if the decimals are not known. */
  readonly amount: string | null
  readonly usd: string | null
  readonly etn: string | null
}

/** A token that is missing in a total, and why. */
export interface Unpriced {
  readonly address: string
  readonly symbol: string | null
  readonly reason: string
}

export interface Valuation {
  readonly totalUsd: string
  readonly totalEtn: string
  /** The highest value first. */
  readonly positions: readonly Position[]
  readonly unpriced: readonly Unpriced[]
}

export type Prices = Readonly<Record<string, TokenPrice | null>>

const ZERO: Decimal = { digits: 0n, scale: 0 }

/** The balances that are not zero, by token address. */
export function heldTokens({ balances }: BalanceDocument): [address: string, balance: string][] {
  return Object.entries(balances)
    .map(([address, { balance }]): [string, string] => [address, balance])
    .filter(([, balance]) => !/^(0x)?0*$/i.test(balance))
}

/** Values balances exactly. A token without known decimals or a price is reported with the reason. */
export function valueBalances(
  held: readonly (readonly [address: string, balance: string])[],
  tokens: Tokens,
  prices: Prices,
): Valuation {
  const positions: Position[] = []
  const unpriced: Unpriced[] = []
  for (const [address, balance] of held) {
    const info = tokens.get(address.toLowerCase())
    const symbol = info?.symbol ?? null
    const amount = info === undefined ? null : amountOf(balance, info.decimals)
    const price = prices[address]
    const [usd, etn] = [multiplyTexts(amount, price?.usd), multiplyTexts(amount, price?.etn)]
    positions.push({ address, symbol, amount, usd, etn })
    const reason = whyUnpriced(info !== undefined, amount, price, usd)
    if (reason !== undefined) unpriced.push({ address, symbol, reason })
  }
  const usdOf = ({ usd }: Position) => parseDecimal(usd ?? '-1') ?? ZERO
  positions.sort((one, other) => compareDecimals(usdOf(other), usdOf(one)))
  const total = (name: 'usd' | 'etn') =>
    formatDecimal(positions.reduce((sum, position) => add(sum, parseDecimal(position[name] ?? '0') ?? ZERO), ZERO))
  return { totalUsd: total('usd'), totalEtn: total('etn'), positions, unpriced }
}

function amountOf(balance: string, decimals: number): string | null {
  try {
    return toUnits(balance, decimals)
  } catch {
    return null
  }
}

function multiplyTexts(amount: string | null, price: string | null | undefined): string | null {
  const factors = [parseDecimal(amount), parseDecimal(price)]
  const [one, other] = factors
  return one === undefined || other === undefined ? null : formatDecimal(multiply(one, other))
}

function whyUnpriced(
  isListed: boolean,
  amount: string | null,
  price: TokenPrice | null | undefined,
  usd: string | null,
): string | undefined {
  if (usd !== null) return undefined
  if (!isListed) return 'not in token.list, so its decimals are not known'
  if (amount === null) return 'its balance or its decimals cannot be read'
  if (price === undefined) return 'its price could not be bought'
  return price === null ? 'the service has no price for it' : 'it has no price in USD'
}
