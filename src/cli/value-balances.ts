import type { BalanceDocument, TokenPrice } from 'etn-market'
import { heldBalances, type ValuedToken, valueWallet } from '../feed/portfolio/value-wallet.ts'
import type { TokenInfo, Tokens } from './tokens.ts'

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

type Valued = ValuedToken<TokenInfo, TokenPrice | { readonly usd: null }>

/** Values balances exactly. A token without known decimals or a price is reported with the reason. */
export function valueBalances(document: BalanceDocument, known: Tokens, prices: Prices): Valuation {
  const { totalUsd, totalEtn, tokens } = valueWallet(heldBalances(document), {
    infoOf: (address) => known.get(address.toLowerCase()),
    priceOf: (address): Valued['price'] => (prices[address] === null ? { usd: null } : prices[address]),
  })
  const positions = tokens.map(({ address, info, amount, usd, etn }) => {
    return { address, symbol: info?.symbol ?? null, amount, usd, etn }
  })
  const unpriced = tokens.flatMap((token) => {
    const reason = whyUnpriced(token)
    return reason === undefined ? [] : [{ address: token.address, symbol: token.info?.symbol ?? null, reason }]
  })
  return { totalUsd, totalEtn, positions, unpriced }
}

function whyUnpriced({ info, amount, price, usd }: Valued): string | undefined {
  if (usd !== null) return undefined
  if (info === undefined) return 'its decimals are not known'
  if (amount === null) return 'its balance or its decimals cannot be read'
  if (price === undefined) return 'its price could not be bought'
  return 'address' in price ? 'it has no price in USD' : 'the service has no price for it'
}
