// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

/** Spot price of ETN. Unknown fields are kept. */
export interface EtnPrice {
  /** USD for one ETN. Evidence: assumed. */
  usd?: string | null | undefined
}

/** Price of one token. The price in either currency may be missing. Unknown fields are kept. */
export interface TokenPrice {
  /** The token's address. Evidence: observed. */
  address: string
  /** USD for one token. Evidence: observed. */
  usd?: string | null | undefined
  /** ETN for one token. Evidence: observed. */
  etn?: string | null | undefined
}

/** One entry of a batch of prices. Unknown fields are kept. */
export interface BatchPrice {
  /** USD for one token. Evidence: observed. */
  usd?: string | null | undefined
  /** ETN for one token. Evidence: observed. */
  etn?: string | null | undefined
}

/** Prices keyed by lower-cased token address; a token without a price is absent. Unknown fields are kept. */
export type PriceBatch = Record<string, BatchPrice>

/** A listed token. Unknown fields are kept. */
export interface Token {
  /** EIP-55 address. Evidence: observed. */
  address: string
  /** Evidence: observed. */
  name: string
  /** Evidence: observed. */
  symbol: string
  /** Decimal places of the smallest unit. Evidence: observed. */
  decimals: number
  /** Supply in whole tokens. A JavaScript number: above 2^53 its last digits are rounded. Evidence: observed. */
  totalSupply: number
}

/** A listed token with its last price. Unknown fields are kept. */
export interface TokenDetails {
  /** EIP-55 address. Evidence: observed. */
  address: string
  /** Evidence: observed. */
  name: string
  /** Evidence: observed. */
  symbol: string
  /** Decimal places of the smallest unit. Evidence: observed. */
  decimals: number
  /** Supply in whole tokens. A JavaScript number: above 2^53 its last digits are rounded. Evidence: observed. */
  totalSupply: number
  /** Last price in USD; the field is documented, but not its name. Evidence: assumed. */
  usd?: string | null | undefined
  /** Last price in ETN; the field is documented, but not its name. Evidence: assumed. */
  etn?: string | null | undefined
}

/** One OHLCV bucket. Unknown fields are kept. */
export interface Candle {
  /** Start of the bucket, unix seconds. Evidence: observed. */
  time: number
  /** First price, in the quote currency. Evidence: observed. */
  open: number
  /** Highest price, in the quote currency. Evidence: observed. */
  high: number
  /** Lowest price, in the quote currency. Evidence: observed. */
  low: number
  /** Last price, in the quote currency. Evidence: observed. */
  close: number
  /** Volume of the bucket. Evidence: observed. */
  volume: number
  /** Trades in the bucket. Evidence: observed. */
  count: number
}

/** Price history over a window. Its contents are documented, but not their names. Unknown fields are kept. */
export interface TokenHistory {
  /** The prices over the window. Evidence: assumed. */
  prices?: PricePoint[] | null | undefined
  /** Volume over the window. Evidence: assumed. */
  volume?: number | null | undefined
  /** Highest price over the window. Evidence: assumed. */
  high?: number | null | undefined
  /** Lowest price over the window. Evidence: assumed. */
  low?: number | null | undefined
}

/** A price at a moment. Unknown fields are kept. */
export interface PricePoint {
  /** Unix seconds. Evidence: assumed. */
  timestamp?: number | null | undefined
  /** Price in the quote currency. Evidence: assumed. */
  value?: number | null | undefined
}

/** A liquidity pool. Neither reserves nor a liquidity figure are given. Unknown fields are kept. */
export interface Pool {
  /** Pool address. Evidence: observed. */
  address: string
  /** Evidence: observed. */
  chainId: number
  /** 2 or 3. Evidence: observed. */
  version: number
  /** Evidence: observed. */
  token0: PoolToken
  /** Evidence: observed. */
  token1: PoolToken
}

/** One side of a pool. Unknown fields are kept. */
export interface PoolToken {
  /** EIP-55 address. Evidence: observed. */
  address: string
  /** Evidence: observed. */
  name: string
  /** Evidence: observed. */
  symbol: string
  /** Decimal places of the smallest unit. Evidence: observed. */
  decimals: number
  /** Evidence: observed. */
  chainId: number
  /** Block in which the token was first seen. Evidence: observed. */
  blockAdded: number
  /** Address that deployed the token. Evidence: observed. */
  deployer: string
  /** Supply in whole tokens. A JavaScript number: above 2^53 its last digits are rounded. Evidence: observed. */
  totalSupply: number
}

/** A swap. Every name here is assumed. Unknown fields are kept. */
export interface Trade {
  /** Transaction hash. Evidence: assumed. */
  hash?: string | null | undefined
  /** Unix seconds. Evidence: assumed. */
  timestamp?: number | null | undefined
  /** Pool address. Evidence: assumed. */
  pool?: string | null | undefined
  /** Address of the pool's first token. Evidence: assumed. */
  token0?: string | null | undefined
  /** Address of the pool's second token. Evidence: assumed. */
  token1?: string | null | undefined
  /** Amount of token0. Evidence: assumed. */
  amount0?: string | null | undefined
  /** Amount of token1. Evidence: assumed. */
  amount1?: string | null | undefined
  /** Value of the swap in USD. Evidence: assumed. */
  usd?: string | null | undefined
  /** Address that swapped. Evidence: assumed. */
  sender?: string | null | undefined
}

/** Totals of the NFT marketplace. Unknown fields are kept. */
export interface NftStats {
  /** When the totals were made, ISO 8601. Evidence: observed. */
  updatedAt: string
  /** Evidence: observed. */
  collections: NftCollectionTotals[]
}

/** Totals of one collection. Unknown fields are kept. */
export interface NftCollectionTotals {
  /** Collection address. Evidence: observed. */
  address: string
  /** Evidence: observed. */
  name: string
  /** Evidence: observed. */
  symbol: string
  /** URL of the collection's picture. Evidence: observed. */
  image: string | null
  /** Lowest asking price in ETN, or null. Evidence: observed. */
  floorPrice: number | null
  /** Evidence: observed. */
  uniqueOwners: number
  /** Evidence: observed. */
  listingCount: number
}

/** Identity of an NFT collection. Unknown fields are kept. */
export interface NftCollection {
  /** Collection address. Evidence: observed. */
  address: string
  /** Evidence: observed. */
  name: string
  /** Evidence: observed. */
  symbol: string
  /** Assets in the collection. Evidence: observed. */
  totalSupply: number
}

/** An NFT collection with its figures. Unknown fields are kept. */
export interface NftCollectionDetails {
  /** Collection address. Evidence: observed. */
  address: string
  /** Evidence: observed. */
  name: string
  /** Evidence: observed. */
  symbol: string
  /** Assets in the collection. Evidence: observed. */
  totalSupply: number
  /** Evidence: observed. */
  stats: NftCollectionStats
}

/** Figures of one NFT collection. Unknown fields are kept. */
export interface NftCollectionStats {
  /** Lowest asking price in ETN, or null. Evidence: observed. */
  floorPrice: number | null
  /** Evidence: observed. */
  uniqueOwners: number
  /** Evidence: observed. */
  listingCount: number
  /** Volume in ETN; the field is documented, but not its name. Evidence: assumed. */
  volume?: number | null | undefined
}

/** An asset inside a collection. Unknown fields are kept. */
export interface NftAsset {
  /** Evidence: inferred. */
  tokenId?: string | null | undefined
  /** Evidence: inferred. */
  name?: string | null | undefined
  /** Evidence: inferred. */
  description?: string | null | undefined
  /** URL of the asset's picture. Evidence: inferred. */
  image?: string | null | undefined
  /** Evidence: inferred. */
  ownerAddress?: string | null | undefined
  /** Last sale in ETN, or null. Evidence: inferred. */
  lastPrice?: number | null | undefined
  /** Evidence: inferred. */
  traits?: NftTrait[] | null | undefined
}

/** A trait of an asset. Unknown fields are kept. */
export interface NftTrait {
  /** Evidence: inferred. */
  name?: string | null | undefined
  /** Evidence: inferred. */
  value?: string | null | undefined
  /** Share of the collection that has it. Evidence: inferred. */
  rarity?: number | null | undefined
}

/** A launchpad campaign. That it has a pool, a token and a status is documented; the other names are inferred. Unknown fields are kept. */
export interface Presale {
  /** Evidence: inferred. */
  id?: string | number | null | undefined
  /** Presale pool address. Evidence: documented. */
  pool: string
  /** An open set; further values may come. Evidence: documented. */
  status: 'PENDING' | 'ACTIVE' | 'LAUNCHED' | 'FAILED' | 'CANCELLED' | (string & {})
  /** Evidence: documented. */
  token: PresaleToken
  /** Evidence: inferred. */
  campaign?: PresaleCampaign | null | undefined
}

/** The token of a presale. Unknown fields are kept. */
export interface PresaleToken {
  /** Evidence: inferred. */
  name?: string | null | undefined
  /** Evidence: inferred. */
  symbol?: string | null | undefined
  /** Evidence: inferred. */
  decimals?: number | null | undefined
  /** Supply. As a number, it is rounded above 2^53. Evidence: inferred. */
  totalSupply?: number | string | null | undefined
  /** Evidence: inferred. */
  address?: string | null | undefined
  /** Pool in which the token trades after launch. Evidence: inferred. */
  liquidityPool?: string | null | undefined
}

/** The terms of a presale and how it goes. Unknown fields are kept. */
export interface PresaleCampaign {
  /** Address that started the campaign. Evidence: inferred. */
  creator?: string | null | undefined
  /** Evidence: inferred. */
  description?: string | null | undefined
  /** Evidence: inferred. */
  website?: string | null | undefined
  /** When it starts. Evidence: inferred. */
  starts?: number | string | null | undefined
  /** When it ends. Evidence: inferred. */
  ends?: number | string | null | undefined
  /** ETN raised so far. Evidence: inferred. */
  etnRaised?: number | string | null | undefined
  /** ETN it takes to launch. Evidence: inferred. */
  minEtnToLaunch?: number | string | null | undefined
  /** ETN it takes to be listed. Evidence: inferred. */
  minEtnToList?: number | string | null | undefined
  /** Evidence: inferred. */
  contributorCount?: number | null | undefined
  /** Most ETN one address may put in. Evidence: inferred. */
  maxBuy?: number | string | null | undefined
}

/** What an address holds, as last recorded. Unknown fields are kept. */
export interface BalanceDocument {
  /** Evidence: observed. */
  address: string
  /** When it was recorded, unix milliseconds. Evidence: observed. */
  updated: number
  /** By EIP-55 token address. The entries are the items that are charged. Evidence: observed. */
  balances: Record<string, TokenBalance>
}

/** Balance of one token. Unknown fields are kept. */
export interface TokenBalance {
  /** Amount in the smallest unit, hex with 0x. Evidence: observed. */
  balance: string
  /** Block of the last change. Evidence: observed. */
  blockUpdated: number
}

/** A liquidity lock; it unlocks at `created + duration`. Unknown fields are kept. */
export interface LiquidityLock {
  /** Evidence: observed. */
  lockId: string | number
  /** Address of the locked pair. Evidence: observed. */
  pair: string
  /** Address that owns the lock. Evidence: observed. */
  owner: string
  /** When it was locked, unix seconds. Evidence: observed. */
  created: number
  /** How long it is locked, seconds. Evidence: observed. */
  duration: number
  /** Evidence: observed. */
  token0: string
  /** Evidence: observed. */
  token1: string
  /** Amount in the smallest unit. Evidence: observed. */
  amountToken0: string
  /** Amount in the smallest unit. Evidence: observed. */
  amountToken1: string
  /** Share of the pair's supply that is locked. Evidence: observed. */
  percentSupply: number
  /** Evidence: observed. */
  active: boolean
  /** V2 or V3. Evidence: observed. */
  version: 'V2' | 'V3' | (string & {})
}

/** A yield farm. That farms are listed with what they pay is documented; the names are inferred. Unknown fields are kept. */
export interface Farm {
  /** Evidence: inferred. */
  id?: string | number | null | undefined
  /** Evidence: inferred. */
  version?: string | number | null | undefined
  /** Evidence: inferred. */
  name?: string | null | undefined
  /** Pool that is farmed. Evidence: inferred. */
  poolAddr?: string | null | undefined
  /** Evidence: inferred. */
  liquidity?: number | string | null | undefined
  /** The farm's share of rewards. Evidence: inferred. */
  allocation?: number | string | null | undefined
  /** Evidence: inferred. */
  farmerCount?: number | null | undefined
  /** Evidence: inferred. */
  token0?: string | Record<string, unknown> | null | undefined
  /** Evidence: inferred. */
  token1?: string | Record<string, unknown> | null | undefined
  /** Fee of the pool. Evidence: inferred. */
  fee?: number | null | undefined
  /** Evidence: inferred. */
  active?: boolean | null | undefined
  /** Value locked in USD. Evidence: inferred. */
  tvl?: number | string | null | undefined
  /** Yearly reward in per cent. Evidence: inferred. */
  baseRewardApy?: number | null | undefined
  /** Yearly reward of a third party in per cent. Evidence: inferred. */
  thirdPartyRewardApy?: number | null | undefined
  /** Evidence: inferred. */
  thirdPartyReward?: ThirdPartyReward | null | undefined
}

/** What a third party adds to a farm. Unknown fields are kept. */
export interface ThirdPartyReward {
  /** Evidence: inferred. */
  token?: string | null | undefined
  /** Evidence: inferred. */
  symbol?: string | null | undefined
  /** Evidence: inferred. */
  tokensPerBlock?: number | string | null | undefined
  /** Evidence: inferred. */
  endBlock?: number | null | undefined
}

/** The caller's credits and tier. That both are given is documented, the names are not. Unknown fields are kept. */
export interface Account {
  /** Credits left on the key. Evidence: assumed. */
  credits?: number | null | undefined
  /** Tier of the key. Evidence: assumed. */
  tier?: string | null | undefined
}

/** An OpenAPI document. Unknown fields are kept. */
export interface OpenApiDocument {
  /** Version of the OpenAPI format. Evidence: observed. */
  openapi: string
}

/** The parameters of each operation. They have no names of their own, so that declarations of a user need none. */
export interface OperationParams {
  /** Spot price of ETN in USD. */
  'etn.price': Record<string, never>
  /** Prices of many tokens, keyed by address. */
  'prices.batch': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** Token addresses, separated by commas. A list of addresses, each 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    addresses: readonly string[]
  }
  /** Price of one token in USD and in ETN. */
  'token.price': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** An address; goes out in EIP-55 checksum form. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    address: string
  }
  /** Listed tokens, in no particular order. */
  'token.list': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** Most tokens to return. A whole number from 1 to 100. */
    limit?: number | undefined
  }
  /** One token with its supply and last price. */
  'token.get': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** An address; goes out in EIP-55 checksum form. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    address: string
  }
  /** OHLCV candles of a token; periods without a trade may be left out. */
  'token.candles': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** An address; goes out in EIP-55 checksum form. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    address: string
    /** Most candles to return. A whole number from 1 to 500. */
    limit?: number | undefined
    /** Length of one candle. One of 1m, 15m, 1h, 4h, 1d. The service takes 1h when it is left out. */
    bucket?: '1m' | '15m' | '1h' | '4h' | '1d' | undefined
    /** Quote currency. One of USD, ETN. The service takes USD when it is left out. */
    currency?: 'USD' | 'ETN' | undefined
  }
  /** Price history of a token over a window, with its volume, high and low. */
  'token.history': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** An address; goes out in EIP-55 checksum form. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    address: string
    /** Window looking back from now, in any case of letters. One of HOUR, DAY, WEEK, MONTH, YEAR, in any case of letters. The service takes DAY when it is left out. */
    duration?: 'HOUR' | 'hour' | 'DAY' | 'day' | 'WEEK' | 'week' | 'MONTH' | 'month' | 'YEAR' | 'year' | undefined
    /** Quote currency. One of USD, ETN. The service takes USD when it is left out. */
    currency?: 'USD' | 'ETN' | undefined
  }
  /** Liquidity pools of one version; there is no combined list. */
  'pool.list': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** Most pools to return. A whole number from 1 to 100. */
    limit?: number | undefined
    /** Pool version. One of 2, 3. The service takes 2 when it is left out. */
    version?: 2 | 3 | undefined
  }
  /** The newest swaps, newest first; never more than 25, and no way to page further back. */
  'trade.list': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** Most trades to return. A whole number from 1 to 25. */
    limit?: number | undefined
    /** Only trades in this token. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    token?: string | undefined
  }
  /** Totals of the NFT marketplace. */
  'nft.stats': Record<string, never>
  /** Listed NFT collections, identity only. */
  'nft.collections': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** Most collections to return. A whole number from 1 to 50. */
    limit?: number | undefined
  }
  /** One NFT collection with its floor, owners and volume. */
  'nft.collection': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** An address; goes out in EIP-55 checksum form. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    address: string
  }
  /** Assets inside an NFT collection. */
  'nft.assets': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** An address; goes out in EIP-55 checksum form. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    address: string
    /** Most assets to return. A whole number from 1 to 50. */
    limit?: number | undefined
  }
  /** Launchpad campaigns. */
  'presale.list': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** Most presales to return. A whole number from 1 to 50. */
    limit?: number | undefined
  }
  /** One launchpad campaign, by its pool address. */
  'presale.get': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** Presale pool address. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    pool: string
  }
  /** What an address holds, as last recorded; not refreshed, not priced. */
  'balances.get': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** An address; goes out in EIP-55 checksum form. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    address: string
    /** Most tokens to return. A whole number from 1 to 200. */
    limit?: number | undefined
  }
  /** Locked liquidity of a token and when it unlocks. */
  'locks.get': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
    /** An address; goes out in EIP-55 checksum form. 0x and 40 hex digits, with a valid EIP-55 checksum when in mixed case. */
    address: string
  }
  /** Active yield farms and what they pay; there is no filter by account. */
  'farm.list': {
    /** The chain; only 52014 exists. Always 52014. */
    chainId?: 52014 | undefined
  }
  /** Credit balance and tier of the calling key. */
  'account.me': Record<string, never>
  /** The service's own description of its interface. */
  'meta.openapi': Record<string, never>
}

/** The `data` of each operation's answer, as the service sends it. */
export interface OperationData {
  /** Spot price of ETN in USD. */
  'etn.price': EtnPrice
  /** Prices of many tokens, keyed by address. */
  'prices.batch': PriceBatch
  /** Price of one token in USD and in ETN. */
  'token.price': TokenPrice
  /** Listed tokens, in no particular order. */
  'token.list': Token[]
  /** One token with its supply and last price. */
  'token.get': TokenDetails
  /** OHLCV candles of a token; periods without a trade may be left out. */
  'token.candles': Candle[]
  /** Price history of a token over a window, with its volume, high and low. */
  'token.history': TokenHistory
  /** Liquidity pools of one version; there is no combined list. */
  'pool.list': Pool[]
  /** The newest swaps, newest first; never more than 25, and no way to page further back. */
  'trade.list': Trade[]
  /** Totals of the NFT marketplace. */
  'nft.stats': NftStats
  /** Listed NFT collections, identity only. */
  'nft.collections': NftCollection[]
  /** One NFT collection with its floor, owners and volume. */
  'nft.collection': NftCollectionDetails
  /** Assets inside an NFT collection. */
  'nft.assets': NftAsset[]
  /** Launchpad campaigns. */
  'presale.list': Presale[]
  /** One launchpad campaign, by its pool address. */
  'presale.get': Presale
  /** What an address holds, as last recorded; not refreshed, not priced. */
  'balances.get': BalanceDocument
  /** Locked liquidity of a token and when it unlocks. */
  'locks.get': LiquidityLock[]
  /** Active yield farms and what they pay; there is no filter by account. */
  'farm.list': Farm[]
  /** Credit balance and tier of the calling key. */
  'account.me': Account
  /** The service's own description of its interface. */
  'meta.openapi': OpenApiDocument
}
