// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod/mini'
import { address, addresses, chain, choice, choiceInAnyCase, limit, params } from '../operations/param-schemas.ts'
import type { OperationId } from './operations.ts'
import type { OperationData, OperationParams } from './types.ts'


const unixSeconds = /* @__PURE__ */ z.int().check(/* @__PURE__ */ z.minimum(-8640000000000), /* @__PURE__ */ z.maximum(8640000000000))
const EtnPrice = /* @__PURE__ */ z.looseObject({ usd: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())) })
const TokenPrice = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), usd: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), etn: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())) })
const BatchPrice = /* @__PURE__ */ z.looseObject({ usd: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), etn: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())) })
const PriceBatch = /* @__PURE__ */ z.record(/* @__PURE__ */ z.string(), BatchPrice)
const Token = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), name: /* @__PURE__ */ z.string(), symbol: /* @__PURE__ */ z.string(), decimals: /* @__PURE__ */ z.int(), totalSupply: /* @__PURE__ */ z.number() })
const TokenDetails = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), name: /* @__PURE__ */ z.string(), symbol: /* @__PURE__ */ z.string(), decimals: /* @__PURE__ */ z.int(), totalSupply: /* @__PURE__ */ z.number(), usd: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), etn: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())) })
const Candle = /* @__PURE__ */ z.looseObject({ time: unixSeconds, open: /* @__PURE__ */ z.number(), high: /* @__PURE__ */ z.number(), low: /* @__PURE__ */ z.number(), close: /* @__PURE__ */ z.number(), volume: /* @__PURE__ */ z.number(), count: /* @__PURE__ */ z.int() })
const PricePoint = /* @__PURE__ */ z.looseObject({ timestamp: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(unixSeconds)), value: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())) })
const TokenHistory = /* @__PURE__ */ z.looseObject({ prices: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.array(PricePoint))), volume: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())), high: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())), low: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())) })
const PoolToken = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), name: /* @__PURE__ */ z.string(), symbol: /* @__PURE__ */ z.string(), decimals: /* @__PURE__ */ z.int(), chainId: /* @__PURE__ */ z.int(), blockAdded: /* @__PURE__ */ z.int(), deployer: /* @__PURE__ */ z.string(), totalSupply: /* @__PURE__ */ z.number() })
const Pool = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), chainId: /* @__PURE__ */ z.int(), version: /* @__PURE__ */ z.int(), token0: PoolToken, token1: PoolToken })
const Trade = /* @__PURE__ */ z.looseObject({ hash: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), timestamp: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(unixSeconds)), pool: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), token0: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), token1: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), amount0: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), amount1: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), usd: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), sender: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())) })
const NftCollectionTotals = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), name: /* @__PURE__ */ z.string(), symbol: /* @__PURE__ */ z.string(), image: /* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string()), floorPrice: /* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number()), uniqueOwners: /* @__PURE__ */ z.int(), listingCount: /* @__PURE__ */ z.int() })
const NftStats = /* @__PURE__ */ z.looseObject({ updatedAt: /* @__PURE__ */ z.string(), collections: /* @__PURE__ */ z.array(NftCollectionTotals) })
const NftCollection = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), name: /* @__PURE__ */ z.string(), symbol: /* @__PURE__ */ z.string(), totalSupply: /* @__PURE__ */ z.number() })
const NftCollectionStats = /* @__PURE__ */ z.looseObject({ floorPrice: /* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number()), uniqueOwners: /* @__PURE__ */ z.int(), listingCount: /* @__PURE__ */ z.int(), volume: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())) })
const NftCollectionDetails = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), name: /* @__PURE__ */ z.string(), symbol: /* @__PURE__ */ z.string(), totalSupply: /* @__PURE__ */ z.number(), stats: NftCollectionStats })
const NftTrait = /* @__PURE__ */ z.looseObject({ name: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), value: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), rarity: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())) })
const NftAsset = /* @__PURE__ */ z.looseObject({ tokenId: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), name: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), description: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), image: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), ownerAddress: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), lastPrice: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())), traits: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.array(NftTrait))) })
const PresaleToken = /* @__PURE__ */ z.looseObject({ name: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), symbol: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), decimals: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.int())), totalSupply: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))), address: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), liquidityPool: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())) })
const PresaleCampaign = /* @__PURE__ */ z.looseObject({ creator: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), description: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), website: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), starts: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.int(), /* @__PURE__ */ z.string()]))), ends: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.int(), /* @__PURE__ */ z.string()]))), etnRaised: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))), minEtnToLaunch: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))), minEtnToList: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))), contributorCount: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.int())), maxBuy: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))) })
const Presale = /* @__PURE__ */ z.looseObject({ id: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.string(), /* @__PURE__ */ z.int()]))), pool: /* @__PURE__ */ z.string(), status: /* @__PURE__ */ z.string(), token: PresaleToken, campaign: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(PresaleCampaign)) })
const TokenBalance = /* @__PURE__ */ z.looseObject({ balance: /* @__PURE__ */ z.string(), blockUpdated: /* @__PURE__ */ z.int() })
const BalanceDocument = /* @__PURE__ */ z.looseObject({ address: /* @__PURE__ */ z.string(), updated: /* @__PURE__ */ z.int(), balances: /* @__PURE__ */ z.record(/* @__PURE__ */ z.string(), TokenBalance) })
const LiquidityLock = /* @__PURE__ */ z.looseObject({ lockId: /* @__PURE__ */ z.union([/* @__PURE__ */ z.string(), /* @__PURE__ */ z.int()]), pair: /* @__PURE__ */ z.string(), owner: /* @__PURE__ */ z.string(), created: /* @__PURE__ */ z.int(), duration: /* @__PURE__ */ z.int(), token0: /* @__PURE__ */ z.string(), token1: /* @__PURE__ */ z.string(), amountToken0: /* @__PURE__ */ z.string(), amountToken1: /* @__PURE__ */ z.string(), percentSupply: /* @__PURE__ */ z.number(), active: /* @__PURE__ */ z.boolean(), version: /* @__PURE__ */ z.string() })
const ThirdPartyReward = /* @__PURE__ */ z.looseObject({ token: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), symbol: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), tokensPerBlock: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))), endBlock: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.int())) })
const Farm = /* @__PURE__ */ z.looseObject({ id: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.string(), /* @__PURE__ */ z.int()]))), version: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.string(), /* @__PURE__ */ z.int()]))), name: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), poolAddr: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())), liquidity: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))), allocation: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))), farmerCount: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.int())), token0: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.string(), /* @__PURE__ */ z.looseObject({})]))), token1: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.string(), /* @__PURE__ */ z.looseObject({})]))), fee: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())), active: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.boolean())), tvl: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.union([/* @__PURE__ */ z.number(), /* @__PURE__ */ z.string()]))), baseRewardApy: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())), thirdPartyRewardApy: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())), thirdPartyReward: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(ThirdPartyReward)) })
const Account = /* @__PURE__ */ z.looseObject({ credits: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.number())), tier: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string())) })
const OpenApiDocument = /* @__PURE__ */ z.looseObject({ openapi: /* @__PURE__ */ z.string() })

/** The zod/mini schemas of one operation. */
export interface OperationSchemas<Id extends OperationId> {
  /** The parameters, with the rules that a call checks before it sends anything. Rejects unknown parameters. */
  readonly params: z.ZodMiniType<OperationParams[Id]>
  /** The `data` of the answer. Keeps unknown fields. */
  readonly data: z.ZodMiniType<OperationData[Id]>
}

/** The schemas of `etn.price`: spot price of ETN in USD. */
export const etnPrice: OperationSchemas<'etn.price'> = {
  params: /* @__PURE__ */ params({}),
  data: EtnPrice,
}

/** The schemas of `prices.batch`: prices of many tokens, keyed by address; a token without a price is absent. */
export const pricesBatch: OperationSchemas<'prices.batch'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), addresses: /* @__PURE__ */ addresses() }),
  data: PriceBatch,
}

/** The schemas of `token.price`: price of one token in USD and in ETN. */
export const tokenPrice: OperationSchemas<'token.price'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address() }),
  data: TokenPrice,
}

/** The schemas of `token.list`: listed tokens, in no particular order. */
export const tokenList: OperationSchemas<'token.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(100)) }),
  data: /* @__PURE__ */ z.array(Token),
}

/** The schemas of `token.get`: one token with its supply and last price. */
export const tokenGet: OperationSchemas<'token.get'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address() }),
  data: TokenDetails,
}

/** The schemas of `token.candles`: OHLCV candles of a token; periods without a trade may be left out. */
export const tokenCandles: OperationSchemas<'token.candles'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address(), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(500)), bucket: /* @__PURE__ */ z.optional(/* @__PURE__ */ choice(["1m","15m","1h","4h","1d"])), currency: /* @__PURE__ */ z.optional(/* @__PURE__ */ choice(["USD","ETN"])) }),
  data: /* @__PURE__ */ z.array(Candle),
}

/** The schemas of `token.history`: price history of a token over a window, with its volume, high and low. */
export const tokenHistory: OperationSchemas<'token.history'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address(), duration: /* @__PURE__ */ z.optional(/* @__PURE__ */ choiceInAnyCase(["HOUR","DAY","WEEK","MONTH","YEAR"])), currency: /* @__PURE__ */ z.optional(/* @__PURE__ */ choice(["USD","ETN"])) }),
  data: TokenHistory,
}

/** The schemas of `pool.list`: liquidity pools of one version; there is no combined list. */
export const poolList: OperationSchemas<'pool.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(100)), version: /* @__PURE__ */ z.optional(/* @__PURE__ */ choice([2,3])) }),
  data: /* @__PURE__ */ z.array(Pool),
}

/** The schemas of `trade.list`: the newest swaps, newest first; never more than 25, and no way to page further back. */
export const tradeList: OperationSchemas<'trade.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(25)), token: /* @__PURE__ */ z.optional(/* @__PURE__ */ address()) }),
  data: /* @__PURE__ */ z.array(Trade),
}

/** The schemas of `nft.stats`: totals of the NFT marketplace. */
export const nftStats: OperationSchemas<'nft.stats'> = {
  params: /* @__PURE__ */ params({}),
  data: NftStats,
}

/** The schemas of `nft.collections`: listed NFT collections, identity only. */
export const nftCollections: OperationSchemas<'nft.collections'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(50)) }),
  data: /* @__PURE__ */ z.array(NftCollection),
}

/** The schemas of `nft.collection`: one NFT collection with its floor, owners and volume. */
export const nftCollection: OperationSchemas<'nft.collection'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address() }),
  data: NftCollectionDetails,
}

/** The schemas of `nft.assets`: assets inside an NFT collection. */
export const nftAssets: OperationSchemas<'nft.assets'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address(), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(50)) }),
  data: /* @__PURE__ */ z.array(NftAsset),
}

/** The schemas of `presale.list`: launchpad campaigns. */
export const presaleList: OperationSchemas<'presale.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(50)) }),
  data: /* @__PURE__ */ z.array(Presale),
}

/** The schemas of `presale.get`: one launchpad campaign, by its pool address. */
export const presaleGet: OperationSchemas<'presale.get'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), pool: /* @__PURE__ */ address() }),
  data: Presale,
}

/** The schemas of `balances.get`: what an address holds, as last recorded; not refreshed, not priced. */
export const balancesGet: OperationSchemas<'balances.get'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address(), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(200)) }),
  data: BalanceDocument,
}

/** The schemas of `locks.get`: locked liquidity of a token and when it unlocks. */
export const locksGet: OperationSchemas<'locks.get'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address() }),
  data: /* @__PURE__ */ z.array(LiquidityLock),
}

/** The schemas of `farm.list`: active yield farms and what they pay; there is no filter by account. */
export const farmList: OperationSchemas<'farm.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)) }),
  data: /* @__PURE__ */ z.array(Farm),
}

/** The schemas of `account.me`: credit balance and tier of the calling key. */
export const accountMe: OperationSchemas<'account.me'> = {
  params: /* @__PURE__ */ params({}),
  data: Account,
}

/** The schemas of `meta.openapi`: the service's own description of its interface. */
export const metaOpenapi: OperationSchemas<'meta.openapi'> = {
  params: /* @__PURE__ */ params({}),
  data: OpenApiDocument,
}

/** The schemas of every operation, by its id. Import one by its own name where the size of a bundle matters. */
export const schemas: { readonly [Id in OperationId]: OperationSchemas<Id> } = {
  'etn.price': etnPrice,
  'prices.batch': pricesBatch,
  'token.price': tokenPrice,
  'token.list': tokenList,
  'token.get': tokenGet,
  'token.candles': tokenCandles,
  'token.history': tokenHistory,
  'pool.list': poolList,
  'trade.list': tradeList,
  'nft.stats': nftStats,
  'nft.collections': nftCollections,
  'nft.collection': nftCollection,
  'nft.assets': nftAssets,
  'presale.list': presaleList,
  'presale.get': presaleGet,
  'balances.get': balancesGet,
  'locks.get': locksGet,
  'farm.list': farmList,
  'account.me': accountMe,
  'meta.openapi': metaOpenapi,
}
