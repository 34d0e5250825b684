type Amount = number | string | null

export interface Presale {
  id?: string | number | null
  pool: string
  status: 'PENDING' | 'ACTIVE' | 'LAUNCHED' | 'FAILED' | 'CANCELLED' | (string & {})
  token: {
    name?: string | null
    symbol?: string | null
    decimals?: number | null
    totalSupply?: Amount
    address?: string | null
    liquidityPool?: string | null
  }
  campaign?: Campaign | null
}

export interface Campaign {
  creator?: string | null
  description?: string | null
  website?: string | null
  starts?: Amount
  ends?: Amount
  etnRaised?: Amount
  minEtnToLaunch?: Amount
  minEtnToList?: Amount
  contributorCount?: number | null
  maxBuy?: Amount
}
