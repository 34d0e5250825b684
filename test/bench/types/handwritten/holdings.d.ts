export interface BalanceDocument {
  address: string
  updated: number
  balances: Record<string, { balance: string; blockUpdated: number }>
}

export interface LiquidityLock {
  lockId: string | number
  pair: string
  owner: string
  created: number
  duration: number
  token0: string
  token1: string
  amountToken0: string
  amountToken1: string
  percentSupply: number
  active: boolean
  version: 'V2' | 'V3' | (string & {})
}

type Figure = number | string | null

export interface Farm {
  id?: Figure
  version?: Figure
  name?: string | null
  poolAddr?: string | null
  liquidity?: Figure
  allocation?: Figure
  farmerCount?: number | null
  token0?: string | Record<string, unknown> | null
  token1?: string | Record<string, unknown> | null
  fee?: number | null
  active?: boolean | null
  tvl?: Figure
  baseRewardApy?: number | null
  thirdPartyRewardApy?: number | null
  thirdPartyReward?: {
    token?: string | null
    symbol?: string | null
    tokensPerBlock?: Figure
    endBlock?: number | null
  } | null
}
