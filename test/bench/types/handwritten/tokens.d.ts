export interface TokenPrice {
  address: string
  usd?: string | null
  etn?: string | null
}

export interface Token {
  address: string
  name: string
  symbol: string
  decimals: number
  totalSupply: number
}

export interface TokenDetails extends Token {
  usd?: string | null
  etn?: string | null
}

export interface Candle {
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  count: number
}

export interface TokenHistory {
  prices?: { timestamp?: number | null; value?: number | null }[] | null
  volume?: number | null
  high?: number | null
  low?: number | null
}

export interface PoolToken extends Token {
  chainId: number
  blockAdded: number
  deployer: string
}

export interface Pool {
  address: string
  chainId: number
  version: number
  token0: PoolToken
  token1: PoolToken
}

export interface Trade {
  hash?: string | null
  timestamp?: number | null
  pool?: string | null
  token0?: string | null
  token1?: string | null
  amount0?: string | null
  amount1?: string | null
  usd?: string | null
  sender?: string | null
}
